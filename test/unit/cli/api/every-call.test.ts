import { afterAll, beforeAll, expect, test } from 'vitest';
import { CALLS } from '../../../../src/cli/api/call-catalogue.ts';
import { apiCommand } from '../../../../src/cli/commands/api.ts';
import { PANEL_TOKEN, serveAccount, type ServedAccount } from '../../../support/served-account.ts';
import { at, runCommand, type Ended } from './run-command.ts';

const ENVIRONMENT = { SARRAF_TOKEN: PANEL_TOKEN, PASSWORD: 'pass-word-7', SHOP: 'shop-key' };

let served: ServedAccount;
beforeAll(async () => {
  served = await serveAccount({
    gateway: {
      merchants: [
        { api: 'shop-key', apiSecret: 's', callbackOrigin: 'https://shop.example', username: 'trader' },
      ],
    },
  });
});
afterAll(() => served.close());

/** Ids that earlier calls returned and later calls need. */
const given = { order: '', withdrawal: '', payment: '' };
const called = new Set<string>();

async function api(word: string, ...args: readonly string[]): Promise<Ended> {
  called.add(word);
  return runCommand(apiCommand, [word, ...args, ...at(served)], { environment: ENVIRONMENT });
}

/** Makes a call that has to succeed, and returns its reply as `--json` prints it. */
async function reply(word: string, ...args: readonly string[]): Promise<unknown> {
  const { code, out, error } = await api(word, ...args, '--json');
  expect({ word, code, error }).toEqual({ word, code: 0, error: '' });
  return JSON.parse(out);
}

test('reads market data', async () => {
  expect(await reply('order-book', 'symbol=BTCIRT')).toEqual({
    updatedAtMs: expect.any(Number),
    bids: [],
    asks: [],
  });
  expect(await reply('order-book-v3', 'symbol=BTCIRT')).toMatchObject({ bids: [], asks: [] });
  expect(await reply('all-order-books')).toHaveProperty('BTCIRT');
  expect(await reply('all-order-books-v3')).toHaveProperty('BTCIRT');
  expect(await reply('depth', 'symbol=btcirt')).toHaveProperty('lastTradePrice');
  expect(await reply('public-trades', 'symbol=BTCIRT')).toEqual([]);
  expect(await reply('market-stats', 'srcCurrency=btc', 'dstCurrency=rls')).toMatchObject([
    { market: { symbol: 'BTCIRT' }, isClosed: false },
  ]);
  expect(await reply('history', 'symbol=BTCIRT', 'resolution=60', 'to=1767225600', 'countback=24')).toEqual(
    [],
  );
  expect(await reply('global-stats')).toBeTypeOf('object');
  expect(await reply('options')).toMatchObject({ priceSteps: { BTCIRT: '10' } });
  expect(await reply('margin-markets')).toBeTypeOf('object');
});

test('reads and changes the account', async () => {
  const login = ['username=trader', 'password=env:PASSWORD', 'captcha=api'];
  expect(await reply('login', ...login)).toMatchObject({
    key: expect.any(String),
    device: expect.any(String),
  });
  expect(await reply('login-attempts')).toMatchObject([{ username: 'trader', status: 'Successful' }]);
  expect(await reply('profile')).toMatchObject({
    profile: { username: 'trader', bankAccounts: [{ id: 1 }] },
  });
  expect(await reply('referral-code')).toHaveProperty('referralCode');
  expect(await reply('limitations')).toHaveProperty('userLevel');
  expect(JSON.stringify(await reply('generate-address', 'currency=btc'))).toMatch(/[0-9a-zA-Z]{20}/);
  expect(await reply('add-card', 'number=6219861000000002', 'bank=Sample bank')).toBeNull();
  const account = ['number=9', 'shaba=IR540560083280001234567001', 'bank=Sample bank'];
  expect(await reply('add-account', ...account)).toBeNull();
  expect(await reply('add-favorite-markets', 'market=BTCIRT,USDTIRT')).toEqual(['BTCIRT', 'USDTIRT']);
  expect(await reply('favorite-markets')).toEqual(['BTCIRT', 'USDTIRT']);
  expect(await reply('remove-favorite-markets', 'market=BTCIRT')).toEqual(['USDTIRT']);
});

test('reads wallets', async () => {
  expect(await reply('wallets-list', 'type=spot')).toEqual(
    expect.arrayContaining([expect.objectContaining({ currency: 'rls', balance: '100000000000' })]),
  );
  expect(await reply('wallets', 'currencies=rls,btc')).toMatchObject([
    { currency: 'rls' },
    { currency: 'btc' },
  ]);
  expect(await reply('wallet-balance', 'currency=btc')).toBe('2');
  expect(await reply('wallet-transactions', 'wallet=1')).toHaveProperty('items');
  expect(await reply('deposits', 'wallet=all')).toMatchObject({ items: [] });
});

test('places, finds, lists and cancels orders', async () => {
  const order = ['type=buy', 'srcCurrency=btc', 'dstCurrency=rls', 'amount=0.001', 'price=49000000000'];
  const placed = (await reply('add-order', ...order, '--yes')) as {
    order: { id: number; clientOrderId: string };
  };
  given.order = String(placed.order.id);
  expect(placed.order.clientOrderId).toMatch(/^manual-[0-9a-z]{12}$/);
  expect(await reply('order-status', `clientOrderId=${placed.order.clientOrderId}`)).toMatchObject({
    id: placed.order.id,
    price: '49000000000',
  });
  expect(await reply('orders-list', 'status=open', 'details=2')).toMatchObject({
    items: [{ status: 'Active' }],
  });
  const cancel = [`order=${given.order}`, 'status=canceled'];
  expect(await reply('update-order-status', ...cancel, '--yes')).toMatchObject({ updatedStatus: 'Canceled' });
  expect(await reply('cancel-old-orders', '--yes')).toBeNull();
  expect(await reply('trades-list', 'srcCurrency=btc', 'dstCurrency=rls')).toMatchObject({ items: [] });
});

test('reaches margin and withdrawals', async () => {
  expect(await reply('liquidity-pools')).toBeTypeOf('object');
  expect(
    await reply('transfer', 'currency=usdt', 'amount=10', 'src=spot', 'dst=margin', '--yes'),
  ).toMatchObject({
    srcWallet: { balance: '49990' },
    dstWallet: { balance: '10' },
  });
  expect(await reply('delegation-limit', 'currency=btc')).toMatch(/^\d/);
  // A log-in from a new device has blocked withdrawals for an hour.
  served.simulation.exchange.services.users.get(1).withdrawalsRestrictedUntilMs = 0;
  const created = await reply('create-withdrawal', 'destinationBankAccountId=1', 'amount=5000000', '--yes');
  given.withdrawal = (created as { id: string }).id;
  expect(await reply('withdrawal', `id=${given.withdrawal}`)).toMatchObject({ amount: '5000000' });
  expect(await reply('withdrawals')).toMatchObject({ items: [{ id: given.withdrawal }] });
  expect(await reply('cancel-withdrawal', `id=${given.withdrawal}`, '--yes')).not.toBe('');
});

test('makes and verifies a payment', async () => {
  const invoice = ['api=env:SHOP', 'amount=500000', 'callbackURL=https://shop.example/back'];
  const sent = (await reply('gateway-send', ...invoice, '--yes')) as { token: string };
  const page = `${served.baseUrl}/app/paygate/${sent.token}`;
  await fetch(page, {
    method: 'POST',
    redirect: 'manual',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ action: 'pay', currency: 'btc' }),
  });
  expect(await reply('gateway-verify', 'api=env:SHOP', `token=${sent.token}`, '--yes')).toMatchObject({
    amount: '500000',
  });
});

test('leaves no declared endpoint out', () => {
  expect([...called].toSorted()).toEqual(CALLS.map(({ word }) => word).toSorted());
});
