import { expect, test } from 'vitest';
import { BANK_ACCOUNT_ID, BUY, CAROL_TOKEN, MERCHANT } from '../world.ts';
import { RawVenue } from './raw-venue.ts';
import { LIMITATIONS, PROFILE, TRANSACTION, wallet, WITHDRAWAL } from './record-shapes.ts';
import { shapeOf } from './shape-of.ts';

const favorites = (markets: readonly string[]): object => ({ status: 'ok', favoriteMarkets: markets });

test('a log-in answers a key and a device', () => {
  const { status, json } = new RawVenue().send('POST /auth/login/', {
    token: null,
    body: { username: 'alice', password: 'alice-password', captcha: 'api' },
  });
  expect(status).toBe(200);
  expect(json).toEqual({
    status: 'success',
    key: expect.stringMatching(/^[0-9a-f]{40}$/) as string,
    device: expect.any(String) as string,
  });
});

test.each([
  ['a wrong password', { password: 'wrong' }, {}],
  ['no bot user agent', {}, { 'user-agent': 'Mozilla/5.0' }],
  ['no captcha', { captcha: undefined }, {}],
  ['a missing one-time password', { username: 'bob', password: 'bob-password' }, {}],
  ['a wrong one-time password', { username: 'bob', password: 'bob-password' }, { 'x-totp': '000000' }],
])('a log-in with %s is HTTP 400 with non_field_errors', (_, fields, headers) => {
  const body = { username: 'alice', password: 'alice-password', captcha: 'api', ...fields };
  const { status, json } = new RawVenue().send('POST /auth/login/', { token: null, body, headers });
  expect(status).toBe(400);
  expect(json).toMatchObject({ non_field_errors: [expect.any(String) as string] });
});

test('profile and limitations have every field', () => {
  const venue = new RawVenue();
  const profile = venue.send('GET /users/profile').json;
  expect(shapeOf(profile)).toEqual(PROFILE);
  expect(profile).toMatchObject({ profile: { options: { fee: '0.25', feeUsdt: '0.13' } } });
  expect(shapeOf(venue.send('GET /users/limitations').json)).toEqual(LIMITATIONS);
});

test('log-in attempts, referral and favourites have every field', () => {
  const venue = new RawVenue();
  const login = { username: 'alice', password: 'alice-password', captcha: 'api' };
  venue.send('POST /auth/login/', { token: null, body: login });
  expect(venue.send('GET /users/login-attempts').json).toEqual({
    status: 'ok',
    attempts: [
      {
        ip: '198.51.100.7',
        username: 'alice',
        status: 'Successful',
        createdAt: '2024-03-11T09:22:35.000+00:00',
      },
    ],
  });
  expect(venue.send('GET /users/get-referral-code').json).toEqual({
    status: 'ok',
    referredUsersCount: 2,
    referralCode: 'ALICE-1',
    referralFeeTotalCount: 17,
    referralFeeTotal: 1218753,
  });
  const path = '/users/markets/favorite';
  expect(venue.send(`GET ${path}`).json).toEqual(favorites(['BTCIRT']));
  expect(venue.send(`POST ${path}`, { body: { market: 'USDTIRT,SHIBUSDT' } }).json).toEqual(
    favorites(['BTCIRT', 'USDTIRT', 'SHIBUSDT']),
  );
  expect(venue.send(`DELETE ${path}`, { body: { market: 'BTCIRT' } }).json).toEqual(
    favorites(['USDTIRT', 'SHIBUSDT']),
  );
  expect(venue.send(`DELETE ${path}`, { body: { market: 'All' } }).json).toEqual(favorites([]));
});

test('cards and accounts are taken with a status alone', () => {
  const venue = new RawVenue();
  const card = { number: '6219861000000002', bank: 'Saman' };
  expect(venue.send('POST /users/cards-add', { body: card }).json).toEqual({ status: 'ok' });
  const account = { number: '987', shaba: 'IR820540102680020817909002', bank: 'Parsian' };
  expect(venue.send('POST /users/accounts-add', { body: account }).json).toEqual({ status: 'ok' });
  expect(venue.send('GET /users/profile').json).toMatchObject({
    profile: { bankCards: [{}, { confirmed: false }], bankAccounts: [{}, { confirmed: false }] },
  });
});

test('wallets are a list of full records, or chosen ones by currency', () => {
  const venue = new RawVenue();
  const list = venue.send('GET /users/wallets/list').json as {
    readonly wallets: readonly { currency: string }[];
  };
  const networks: Readonly<Record<string, readonly string[]>> = {
    rls: [],
    btc: ['BTC'],
    usdt: ['TRX', 'ETH', 'BSC'],
    shib: ['SHIB'],
  };
  expect(list.wallets.map(({ currency }) => currency)).toEqual(['rls', 'usdt', 'btc', 'shib']);
  for (const one of list.wallets) expect(shapeOf(one)).toEqual(wallet(networks[one.currency] ?? []));
  expect(list.wallets[2]).toMatchObject({ balance: '10', activeBalance: '10', rialBalance: 126000000000 });
  expect(venue.send('GET /v2/wallets?currencies=btc,rls').json).toEqual({
    status: 'ok',
    wallets: {
      BTC: { id: expect.any(Number) as number, balance: '10', blocked: '0' },
      RLS: { id: expect.any(Number) as number, balance: '1000000000000', blocked: '0' },
    },
  });
  expect(venue.send('POST /users/wallets/balance', { body: { currency: 'btc' } }).json).toEqual({
    status: 'ok',
    balance: '10',
  });
});

test('an address is made and shown by the wallet from then on', () => {
  const venue = new RawVenue();
  const made = venue.send('POST /users/wallets/generate-address', { body: { currency: 'btc' } }).json;
  expect(shapeOf(made)).toEqual({ status: 'text', address: 'text' });
  const { address } = made as { readonly address: string };
  expect(venue.send('GET /users/wallets/list').json).toMatchObject({
    wallets: [{}, {}, { depositAddress: address, depositInfo: { BTC: { address, tag: null } } }, {}],
  });
});

test('an address is made on the network that is named, and none on one that the coin has not', () => {
  const venue = new RawVenue();
  const make = (network: string) =>
    venue.send('POST /users/wallets/generate-address', { body: { currency: 'btc', network } });
  expect(make('BTC').json).toMatchObject({ status: 'ok' });
  expect(make('TRX').json).toMatchObject({ status: 'failed', code: 'InvalidNetwork' });
});

test('an address on a network with tags has its tag, as the wallet shows it', () => {
  const venue = new RawVenue();
  const made = venue.send('POST /users/wallets/generate-address', { body: { currency: 'xrp' } }).json;
  const words = expect.stringMatching(/^\w+$/) as string;
  expect(made).toEqual({ status: 'ok', address: words, tag: words });
  const { address, tag } = made as { readonly address: string; readonly tag: string };
  const { wallets } = venue.send('GET /users/wallets/list').json as {
    readonly wallets: readonly { currency: string }[];
  };
  expect(wallets.find(({ currency }) => currency === 'xrp')).toMatchObject({
    depositAddress: address,
    depositTag: tag,
    depositInfo: { XRP: { address, tag } },
  });
});

test('transactions are signed and paged', () => {
  const venue = new RawVenue();
  const { wallets } = venue.send('GET /v2/wallets?currencies=rls').json as {
    wallets: { RLS: { id: number } };
  };
  const { json } = venue.send(`GET /users/wallets/transactions/list?wallet=${wallets.RLS.id}`);
  expect(shapeOf(json)).toEqual({ status: 'text', transactions: [TRANSACTION], hasNext: 'boolean' });
  expect(json).toMatchObject({
    transactions: [{ amount: '1000000000000', currency: 'rls' }],
    hasNext: false,
  });
});

test('deposits of all wallets have a list and hasNext', () => {
  expect(new RawVenue().send('GET /users/wallets/deposits/list?wallet=all').json).toEqual({
    status: 'ok',
    deposits: [],
    hasNext: false,
  });
});

test('a wallet comes to be with the first order in its market, or with an address', () => {
  const venue = new RawVenue();
  const currencies = (): readonly string[] => {
    const { json } = venue.send('GET /users/wallets/list', { token: CAROL_TOKEN });
    return (json as { readonly wallets: readonly { currency: string }[] }).wallets.map(
      ({ currency }) => currency,
    );
  };
  expect(currencies()).toEqual(['rls']);
  venue.send('POST /market/orders/add', { token: CAROL_TOKEN, body: BUY });
  expect(currencies()).toEqual(['rls', 'btc']);
  venue.send('POST /users/wallets/generate-address', { token: CAROL_TOKEN, body: { currency: 'shib' } });
  expect(currencies()).toEqual(['rls', 'btc', 'shib']);
});

test('a deposit is shown while it waits, and credited with its last confirmation', () => {
  const venue = new RawVenue();
  const { services } = venue.exchange;
  services.deposits.create({
    userId: 1,
    currency: services.currency('btc'),
    units: 30_000_000_000n,
    timeMs: venue.nowMs,
    requiredConfirmations: 3,
  });
  const { confirmationEveryMs } = services.currency('btc');
  const deposits = (): unknown => venue.send('GET /users/wallets/deposits/list').json;
  const waiting = {
    txHash: 'text',
    address: 'text',
    confirmed: 'boolean',
    transaction: 'null',
    currency: 'text',
    blockchainUrl: 'text',
    confirmations: 'integer',
    requiredConfirmations: 'integer',
    amount: 'decimal',
  };
  venue.nowMs += 2 * confirmationEveryMs;
  expect(shapeOf(deposits())).toEqual({ status: 'text', deposits: [waiting], hasNext: 'boolean' });
  expect(deposits()).toMatchObject({
    deposits: [{ confirmed: false, confirmations: 2, requiredConfirmations: 3 }],
  });
  expect(venue.send('POST /users/wallets/balance', { body: { currency: 'btc' } }).json).toMatchObject({
    balance: '10',
  });
  venue.nowMs += confirmationEveryMs;
  expect(deposits()).toMatchObject({
    deposits: [
      { confirmed: true, confirmations: 3, amount: '3', transaction: { amount: '3', currency: 'btc' } },
    ],
  });
  expect(shapeOf(deposits())).toEqual({
    status: 'text',
    deposits: [{ ...waiting, transaction: TRANSACTION }],
    hasNext: 'boolean',
  });
  expect(venue.send('POST /users/wallets/balance', { body: { currency: 'btc' } }).json).toMatchObject({
    balance: '13',
  });
});

test('margin reads have every field', () => {
  const venue = new RawVenue();
  const { markets } = venue.send('GET /margin/markets/list', { token: null }).json as { markets: object };
  expect(Object.keys(markets)).toContain('BTCIRT');
  for (const market of Object.values(markets)) {
    expect(shapeOf(market)).toEqual({
      srcCurrency: 'text',
      dstCurrency: 'text',
      positionFeeRate: 'decimal',
      maxLeverage: 'decimal',
      sellEnabled: 'boolean',
      buyEnabled: 'boolean',
    });
  }
  const { pools } = venue.send('GET /liquidity-pools/list').json as { pools: object };
  for (const pool of Object.values(pools)) {
    expect(shapeOf(pool)).toEqual({
      capacity: 'decimal',
      filledCapacity: 'decimal',
      availableBalance: 'decimal',
    });
  }
  const limit = venue.send('GET /margin/delegation-limit?currency=btc').json;
  expect(shapeOf(limit)).toEqual({ status: 'text', limit: 'decimal' });
});

test('a transfer answers both wallets', () => {
  const { json } = new RawVenue().send('POST /wallets/transfer', {
    body: { currency: 'rls', amount: '100000', src: 'spot', dst: 'margin' },
  });
  expect(shapeOf(json)).toEqual({ status: 'text', srcWallet: wallet([]), dstWallet: wallet([]) });
  expect(json).toMatchObject({ srcWallet: { balance: '999999900000' }, dstWallet: { balance: '100000' } });
});

test.each([
  ['ParseError', { currency: 'rls', src: 'spot', dst: 'margin' }],
  ['InvalidAmount', { currency: 'rls', amount: '-1', src: 'spot', dst: 'margin' }],
  ['SameDestination', { currency: 'rls', amount: '1', src: 'spot', dst: 'spot' }],
  ['WalletNotFound', { currency: 'btc', amount: '1', src: 'spot', dst: 'margin' }],
  ['InsufficientBalance', { currency: 'rls', amount: '1000000000001', src: 'spot', dst: 'margin' }],
])('a transfer is refused with %s', (code, body) => {
  expect(new RawVenue().send('POST /wallets/transfer', { body }).json).toMatchObject({
    status: 'failed',
    code,
  });
});

test('a rial withdrawal answers its record, and is read, listed and cancelled', () => {
  const venue = new RawVenue();
  const body = { destinationBankAccountId: BANK_ACCOUNT_ID, amount: '5000000' };
  const { status, json } = venue.send('POST /cobank/withdraw', { body });
  expect(status).toBe(200);
  expect(shapeOf(json)).toEqual({ status: 'text', result: WITHDRAWAL });
  const { result } = json as { readonly result: { readonly id: string } };
  expect(result).toMatchObject({
    id: expect.stringMatching(/^CW\d+$/) as string,
    status: 'New',
    amount: '5000000',
    fulfilledAmount: '0',
    bankAccountId: BANK_ACCOUNT_ID,
    isCancelable: true,
  });
  expect(venue.send(`GET /cobank/withdraw/${result.id}`).json).toEqual(json);
  expect(venue.send('GET /users/wallets/withdraws/list').json).toMatchObject({
    status: 'ok',
    withdraws: [{ id: result.id, status: 'New', amount: '5000000' }],
    hasNext: false,
  });
  expect(venue.send(`POST /cobank/withdraw/${result.id}/cancel`).json).toMatchObject({ status: 'ok' });
  expect(venue.send(`GET /cobank/withdraw/${result.id}`).json).toMatchObject({
    result: { status: 'Canceled', isCancelable: false },
  });
});

test('an unknown withdrawal is 404 to read and a refusal to cancel', () => {
  const venue = new RawVenue();
  expect(venue.send('GET /cobank/withdraw/CW999999').status).toBe(404);
  expect(venue.send('POST /cobank/withdraw/CW999999/cancel').json).toMatchObject({
    status: 'failed',
    code: 'WithdrawRequestNotFound',
  });
});

test.each([
  ['-1', { api: undefined }],
  ['-2', { api: 'merchant-9' }],
  ['-3', { api: 'restricted-1' }],
  ['-4', { api: '!' }],
  ['-5', { amount: undefined }],
  ['-6', { amount: 'much' }],
  ['-6', { amount: 10000.5 }],
  ['-7', { amount: 9999 }],
  ['-8', { callbackURL: undefined }],
  ['-9', { callbackURL: 'https://elsewhere.example.test/back' }],
  ['-10', { callbackURL: 'shop.example.test/back' }],
  ['-11', { description: 'x'.repeat(256) }],
  ['-41', { currencies: 'btc,doge' }],
])('the gateway refuses an invoice with %s', (code, fields) => {
  const body = {
    api: MERCHANT.api,
    amount: 250000,
    callbackURL: 'https://shop.example.test/back',
    ...fields,
  };
  const { status, json } = new RawVenue().send('POST /pg/send/', { token: null, body });
  expect(status).toBe(200);
  expect(json).toEqual({ status: 'failed', code, message: expect.any(String) as string });
});
