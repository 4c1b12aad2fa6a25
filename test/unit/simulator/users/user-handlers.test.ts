import { expect, test } from 'vitest';
import { userHandlers, sessionHandlers } from '../../../../src/simulator-server/wire/handlers/user.ts';
import { rialWithdrawalHandlers } from '../../../../src/simulator-server/wire/handlers/wallets.ts';
import { ALI, ask, createExchange, START_MS } from './fixture.ts';

test('answers the profile with every field of the interface', () => {
  const { body } = ask(createExchange(), userHandlers.profile);
  expect(body).toEqual({
    status: 'ok',
    profile: {
      firstName: 'Ali',
      lastName: 'Rezaei',
      nationalCode: '',
      email: 'ali@example.org',
      username: 'ali',
      phone: '',
      mobile: '',
      city: '',
      bankCards: [],
      bankAccounts: [
        {
          id: 11,
          number: '0100',
          shaba: 'IR120000000000000000000001',
          bank: 'Mellat',
          owner: 'Ali Rezaei',
          confirmed: true,
          status: 'confirmed',
        },
      ],
      verifications: {
        email: true,
        phone: true,
        mobile: true,
        identity: true,
        selfie: true,
        bankAccount: true,
        bankCard: true,
        address: true,
        city: true,
        nationalSerialNumber: true,
      },
      pendingVerifications: {
        email: false,
        phone: false,
        mobile: false,
        identity: false,
        selfie: false,
        bankAccount: false,
        bankCard: false,
      },
      options: { fee: '0.25', feeUsdt: '0.13', isManualFee: false, tfa: false, socialLoginEnabled: false },
      withdrawEligible: true,
    },
    tradeStats: { monthTradesTotal: '0', monthTradesCount: 0 },
  });
});

test('lists log-in attempts, newest first', () => {
  const exchange = createExchange();
  const input = { username: 'ali', password: 'wrong', captcha: 'api' };
  ask(exchange, sessionHandlers.login, { input });
  ask(exchange, sessionHandlers.login, { input: { ...input, password: 'secret' }, timeMs: START_MS + 1000 });
  expect(ask(exchange, userHandlers.loginAttempts).body).toEqual({
    status: 'ok',
    attempts: [
      { ip: '10.0.0.1', username: 'ali', status: 'Successful', createdAt: '2025-04-10T12:00:01.000+00:00' },
      { ip: '10.0.0.1', username: 'ali', status: 'Failed', createdAt: '2025-04-10T12:00:00.000+00:00' },
    ],
  });
});

test('answers the referral code with counts and a number', () => {
  const users = [
    { ...ALI, referral: { code: 'X1', referredUsersCount: 2, feeTotalCount: 3, feeTotal: 1200 } },
  ];
  expect(ask(createExchange({ users }), userHandlers.referralCode).body).toMatchObject({
    referredUsersCount: 2,
    referralCode: 'X1',
    referralFeeTotalCount: 3,
    referralFeeTotal: 1200,
  });
});

test('answers limitations with what is used of each', () => {
  const exchange = createExchange({
    users: [{ ...ALI, limits: { withdrawRialDaily: '5000000' }, features: { coin_deposit: false } }],
  });
  const input = { destinationBankAccountId: 11, amount: '2000000' };
  expect(ask(exchange, rialWithdrawalHandlers.createWithdrawal, { input }).status).toBe(200);
  const { body } = ask(exchange, userHandlers.limitations);
  expect(body).toMatchObject({
    status: 'ok',
    limitations: {
      userLevel: 'level2',
      features: { coin_deposit: false, rial_withdrawal: true },
      limits: {
        withdrawRialDaily: { used: '2000000', limit: '5000000' },
        withdrawCoinDaily: { used: '0' },
        withdrawTotalDaily: { used: '2000000' },
        withdrawTotalMonthly: { used: '2000000' },
      },
    },
  });
});

test('makes an address and the wallet with it, by currency or by wallet', () => {
  const exchange = createExchange({ currencies: { eth: { networks: ['ETH'] } } });
  const made = ask(exchange, userHandlers.generateAddress, { input: { currency: 'ETH' } });
  expect(made.body).toEqual({ status: 'ok', address: expect.stringMatching(/^simeth1/) as unknown });
  const wallet = exchange.accounts.find(7, 'eth');
  expect(wallet?.total).toBe(0n);
  const again = ask(exchange, userHandlers.generateAddress, { input: { wallet: String(wallet?.id) } });
  expect(again.body['address']).toBe(made.body['address']);
});

test('refuses addresses of rial, unknown currencies, other wallets and without the feature', () => {
  const exchange = createExchange();
  const address = (input: Record<string, unknown>) => ask(exchange, userHandlers.generateAddress, { input });
  expect(address({ currency: 'rls' }).body['code']).toBe('InvalidCurrency');
  expect(address({ currency: 'nope' }).body['code']).toBe('InvalidCurrency');
  expect(address({}).status).toBe(400);
  expect(address({ wallet: 999 })).toMatchObject({ status: 404, body: { error: 'NotFound' } });
  const closed = createExchange({ users: [{ ...ALI, features: { coin_deposit: false } }] });
  expect(ask(closed, userHandlers.generateAddress, { input: { currency: 'btc' } }).body['code']).toBe(
    'FeatureUnavailable',
  );
});

test('adds cards and accounts as unconfirmed ones that the profile shows', () => {
  const exchange = createExchange();
  const card = { number: '6037-9911-2233-4455', bank: 'Melli' };
  const account = { number: '1', shaba: 'IR99 0000 0000 0000 0000 0000 99', bank: 'Melli' };
  expect(ask(exchange, userHandlers.addCard, { input: card }).body).toEqual({ status: 'ok' });
  expect(ask(exchange, userHandlers.addAccount, { input: account }).body).toEqual({ status: 'ok' });
  expect(ask(exchange, userHandlers.profile).body).toMatchObject({
    profile: {
      bankCards: [
        { number: '6037991122334455', bank: 'Melli', owner: 'Ali Rezaei', confirmed: false, status: 'new' },
      ],
      bankAccounts: [
        { id: 11 },
        { id: 5001, shaba: 'IR990000000000000000000099', confirmed: false, status: 'new' },
      ],
      pendingVerifications: { bankAccount: true, bankCard: true },
    },
  });
  expect(exchange.services.users.get(7).confirmAccount(5001)).toBe(true);
});

test.each([
  ['ParseError', userHandlers.addCard, { number: '12', bank: 'Melli' }],
  ['ParseError', userHandlers.addCard, { number: '6037991122334455' }],
  ['ParseError', userHandlers.addAccount, { number: '1', bank: 'Melli' }],
  ['ParseError', userHandlers.addAccount, { number: '1', shaba: 'DE12', bank: 'Melli' }],
  [
    'DuplicateAccount',
    userHandlers.addAccount,
    { number: '1', shaba: 'IR120000000000000000000001', bank: 'Melli' },
  ],
])('refuses with %s a card or account that is not in order', (code, handler, input) => {
  const exchange = createExchange();
  const { status, body } = ask(exchange, handler, { input });
  expect(status).toBe(code === 'ParseError' ? 400 : 200);
  expect(body).toMatchObject({ status: 'failed', code });
  expect(exchange.services.users.get(7).bankAccounts).toHaveLength(1);
});

test('refuses a card twice', () => {
  const exchange = createExchange();
  const input = { number: '6037991122334455', bank: 'Melli' };
  ask(exchange, userHandlers.addCard, { input });
  expect(ask(exchange, userHandlers.addCard, { input }).body['code']).toBe('DuplicateCard');
});

test('keeps favourite markets: adds a comma list once each, removes one, removes all', () => {
  const exchange = createExchange();
  const favorites = (handler: keyof typeof userHandlers, market?: string) =>
    ask(exchange, userHandlers[handler], { input: market === undefined ? {} : { market } }).body[
      'favoriteMarkets'
    ];
  expect(favorites('favoriteMarkets')).toEqual([]);
  expect(favorites('addFavoriteMarkets', 'btcirt, USDTIRT')).toEqual(['BTCIRT', 'USDTIRT']);
  expect(favorites('addFavoriteMarkets', 'BTCIRT')).toEqual(['BTCIRT', 'USDTIRT']);
  expect(favorites('removeFavoriteMarkets', 'BTCIRT')).toEqual(['USDTIRT']);
  expect(favorites('removeFavoriteMarkets', 'All')).toEqual([]);
});

test('refuses favourites that are no markets and changes nothing', () => {
  const exchange = createExchange();
  const add = (input: Record<string, unknown>) => ask(exchange, userHandlers.addFavoriteMarkets, { input });
  expect(add({ market: 'BTCIRT,NOPEIRT' }).body['code']).toBe('InvalidMarketPair');
  expect(add({}).status).toBe(400);
  expect(ask(exchange, userHandlers.favoriteMarkets).body['favoriteMarkets']).toEqual([]);
  expect(ask(exchange, userHandlers.removeFavoriteMarkets, { input: { market: 'X' } }).body['code']).toBe(
    'InvalidMarketPair',
  );
});

test('names the code of a failure in the field of the form', () => {
  const { body } = ask(createExchange(), userHandlers.addCard, { forms: { failureField: 'error' } });
  expect(body).toEqual({ status: 'failed', error: 'ParseError', message: expect.any(String) as unknown });
});
