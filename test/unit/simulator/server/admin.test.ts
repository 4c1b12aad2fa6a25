import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { formatUnits } from '../../../../src/domain/money.ts';
import { AdminApi, isLoopbackIp } from '../../../../src/simulator-server/exchange-server.ts';
import { ALI, BUY, START_MS } from '../wire/fixture.ts';
import { ADMIN_TOKEN, serve, type Served } from './fixture.ts';

let served: Served;
beforeEach(async () => {
  served = await serve({
    users: [
      {
        username: 'ali',
        id: ALI,
        tokens: ['ali-token'],
        balances: { rls: '100000000000', btc: '2' },
        bankAccounts: [{ id: 11, number: '1', shaba: 'IR120000000000000000000001', bank: 'B' }],
      },
      { username: 'sara', id: 8, tokens: ['sara-token'], balances: { rls: '100000000000', btc: '2' } },
    ],
    trading: { recordVersions: true },
  });
});
afterEach(() => served.close());

const balance = (currency: string, userId = ALI) =>
  formatUnits(served.venue.exchange.accounts.find(userId, currency)?.total ?? 0n);
const add = async (change: Record<string, unknown> = {}) =>
  (await served.ask('/market/orders/add', { body: { ...BUY, ...change } })).body;
const profile = async () => (await served.ask('/users/profile')).body['profile'] as Record<string, unknown>;
const status = async (id: number) => {
  const { body } = await served.ask('/market/orders/status', { body: { id } });
  return (body['order'] as Record<string, unknown>)['status'];
};
/** Returns the HTTP status of a call of the administrator. */
const admin = async (...call: Parameters<Served['admin']>) => (await served.admin(...call)).status;

describe('the door', () => {
  test('asks for its own token', async () => {
    expect((await served.ask('/_sim/users', { token: null })).status).toBe(401);
    expect((await served.ask('/_sim/users', { token: ADMIN_TOKEN })).status).toBe(401);
    expect(await admin('/users')).toBe(200);
  });

  test('is not there when it is off', async () => {
    await served.close();
    served = await serve({}, null);
    expect(await served.admin('/users')).toMatchObject({ status: 404, body: { error: 'NotFound' } });
  });

  test('opens to this machine only', () => {
    const { venue, clock } = served;
    const api = new AdminApi({ simulation: venue, clock, tick: () => START_MS }, ADMIN_TOKEN);
    const request = { method: 'GET', path: '/_sim/users', authorization: `Bearer ${ADMIN_TOKEN}`, body: '' };
    expect(api.handle({ ...request, ip: '10.0.0.2' }).status).toBe(403);
    expect(api.handle({ ...request, ip: '::1' }).status).toBe(200);
    expect(
      ['127.0.0.1', '127.4.5.6', '::ffff:127.0.0.1', '128.0.0.1', '127.0.0.1.evil', ''].map(isLoopbackIp),
    ).toEqual([true, true, true, false, false, false]);
  });

  test('says what it expected and what it found', async () => {
    expect((await served.admin('/nothing')).body['commands']).toContainEqual(
      expect.stringMatching(/^POST \/_sim\/deposit: /) as unknown,
    );
    expect(await admin('/deposit', undefined, 'DELETE')).toBe(405);
    expect(
      (await served.admin('/deposit', { user: 'ali', currency: 'btc', amount: '-1', colour: 1 })).body,
    ).toMatchObject({
      error: 'InvalidInput',
      problems: [{ path: 'amount' }, { message: expect.stringContaining('colour') as unknown }],
    });
    expect(await admin('/deposit', '{')).toBe(400);
    expect(
      (await served.admin('/deposit', { user: 'nobody', currency: 'btc', amount: '1' })).body['message'],
    ).toBe('expected a user, one of ali, sara, was "nobody"');
    expect((await served.admin('/markets', { symbol: 'NOPE', closed: true })).body['message']).toMatch(
      /BTCIRT.*was "NOPE"/,
    );
    expect(await admin('/orders/cancel', { id: 99 })).toBe(404);
    expect(await served.admin('/markets', { symbol: 'BTCIRT', priceStep: '0.00000000001' })).toMatchObject({
      status: 400,
    });
  });
});

describe('money', () => {
  test('is deposited at once or after confirmations, which can be given', async () => {
    await served.admin('/deposit', { user: 'ali', currency: 'btc', amount: '0.5' });
    expect(balance('btc')).toBe('2.5');
    const { body } = await served.admin('/deposit', {
      user: ALI,
      currency: 'btc',
      amount: '1',
      confirmations: 3,
      txHash: 'h',
    });
    expect(balance('btc')).toBe('2.5');
    const { body: listed } = await served.ask('/users/wallets/deposits/list');
    expect(listed['deposits']).toMatchObject([
      { txHash: 'h', confirmed: false, requiredConfirmations: 3 },
      { confirmed: true },
    ]);
    await served.admin('/deposits/confirm', { id: body['id'] });
    expect(balance('btc')).toBe('3.5');
    expect(await admin('/deposits/confirm', { id: body['id'] })).toBe(404);
  });

  test('is taken out, which breaks holds by cancelling the newest orders', async () => {
    await add();
    await add({ amount: '2' });
    expect(await admin('/withdraw', { user: 'ali', currency: 'rls', amount: '50000000000' })).toBe(200);
    expect([await status(1), await status(2)]).toEqual(['Active', 'Canceled']);
    expect(balance('rls')).toBe('50000000000');
    expect(await admin('/withdraw', { user: 'ali', currency: 'rls', amount: '60000000000' })).toBe(409);
  });

  test('on its way to the bank is moved by the bank', async () => {
    const { body } = await served.ask('/cobank/withdraw', {
      body: { destinationBankAccountId: 11, amount: '5000000' },
    });
    const { id } = body['result'] as { id: string };
    expect(await admin('/withdrawals', { id, status: 'Done' })).toBe(200);
    const { body: after } = await served.ask(`/cobank/withdraw/${id}`);
    expect(after['result']).toMatchObject({ status: 'Done', fulfilledAmount: '4950000' });
    expect(await admin('/withdrawals', { id, status: 'Failed' })).toBe(404);
  });
});

describe('orders', () => {
  test('are placed as another user, listed and canceled', async () => {
    await add({ type: 'sell', price: '50000000000' });
    const { body } = await served.admin('/orders', {
      user: 'sara',
      ...BUY,
      price: '50000000000',
      amount: '0.002',
    });
    expect(body['orders']).toMatchObject([{ id: 2, userId: 8, matchedAmount: '0.001', status: 'Active' }]);
    expect((await served.admin('/orders')).body['orders']).toMatchObject([{ id: 2 }]);
    expect((await served.admin('/orders?user=ali&all=yes')).body['orders']).toMatchObject([
      { id: 1, status: 'Done' },
    ]);
    await served.admin('/orders/cancel', { id: 2 });
    expect((await served.admin('/orders')).body['orders']).toEqual([]);
    expect(await admin('/orders/cancel', { id: 2 })).toBe(409);
    expect((await served.admin('/orders', { user: 'sara', ...BUY, price: '100' })).body['message']).toMatch(
      /^BadPrice: /,
    );
  });

  test('that were accepted are rejected with a word that nobody knows', async () => {
    await add();
    await served.admin('/orders/reject', { id: 1 });
    expect(await status(1)).toBe('Rejected');
    expect(served.venue.exchange.accounts.find(ALI, 'rls')?.held).toBe(0n);
  });

  test('start as New and are activated by hand or by time', async () => {
    await served.admin('/orders/new-first', { newForMs: 60_000 });
    expect((await add())['order']).toMatchObject({ status: 'New' });
    await add({ amount: '0.002' });
    expect((await served.ask('/market/orders/list')).body['orders']).toHaveLength(2);
    await served.admin('/orders/activate', { id: 1 });
    expect([await status(1), await status(2)]).toEqual(['Active', 'New']);
    await served.admin('/clock', { advanceMs: 60_000 });
    expect(await status(2)).toBe('Active');
  });
});

describe('markets and fees', () => {
  test('a market is closed and opened', async () => {
    await served.admin('/markets', { symbol: 'BTCIRT', closed: true, closedReason: 'repair' });
    expect((await add())['code']).toBe('MarketClosed');
    const { body } = await served.ask('/market/stats?srcCurrency=btc&dstCurrency=rls');
    expect(body['stats']).toMatchObject({ 'btc-rls': { isClosed: true, isClosedReason: 'repair' } });
    await served.admin('/markets', { symbol: 'btc-rls', closed: false });
    expect((await add())['status']).toBe('ok');
  });

  test('steps and minimum values change while orders rest', async () => {
    await add();
    const { body } = await served.admin('/markets', {
      symbol: 'BTCIRT',
      priceStep: '1',
      amountStep: '0.00000001',
      minOrderValue: '10',
    });
    expect(body).toMatchObject({ priceStep: '1', amountStep: '0.00000001', minOrderValue: '10', version: 2 });
    expect((await add({ price: '45000000001', amount: '0.00000001' }))['order']).toMatchObject({
      price: '45000000001',
    });
    expect((await served.ask('/v2/options')).body).toMatchObject({
      'service.pricePrecisions': { BTCIRT: '1' },
    });
    expect((await served.ask('/market/orders/list?order=price')).body['orders']).toMatchObject([
      { price: '45000000000' },
      { price: '45000000001' },
    ]);
  });

  test('fees change for one user, and show in the profile and in fills', async () => {
    await served.admin('/fees', { user: 'ali', rls: { maker: '0.1', taker: '0.5' } });
    await served.admin('/orders', { user: 'sara', ...BUY, type: 'sell', price: '50000000000' });
    expect((await add({ price: '50000000000' }))['order']).toMatchObject({ fee: '0.000005' });
    const { body } = await served.ask('/users/profile');
    expect(body['profile']).toMatchObject({ options: { fee: '0.5', feeUsdt: '0.13' } });
    expect(await admin('/fees', { user: 'ali' })).toBe(409);
  });
});

describe('users', () => {
  test('come while the exchange runs', async () => {
    expect(await admin('/users', { username: 'reza', tokens: ['reza-token'], balances: { rls: '7' } })).toBe(
      200,
    );
    expect((await served.ask('/v2/wallets', { token: 'reza-token' })).body).toMatchObject({
      wallets: { RLS: { balance: '7' } },
    });
    expect(await admin('/users', { username: 'reza' })).toBe(409);
    expect(await admin('/users', { username: 'other', tokens: ['reza-token'] })).toBe(409);
  });

  test('lose and regain what they may do', async () => {
    await add({ clientOrderId: 'mine' });
    await served.admin('/users/permissions', {
      user: 'ali',
      clientIdLookup: false,
      mayTrade: false,
      features: { rial_withdrawal: false },
    });
    expect(
      (await served.ask('/market/orders/status', { body: { clientOrderId: 'mine' } })).body['code'],
    ).toBe('FeatureUnavailable');
    expect((await add({ amount: '0.002' }))['code']).toBe('TradingUnavailable');
    const withdraw = { body: { destinationBankAccountId: 11, amount: '5000000' } };
    expect((await served.ask('/cobank/withdraw', withdraw)).body['code']).toBe('FeatureUnavailable');
    await served.admin('/users/permissions', { user: 'ali', clientIdLookup: true });
    expect(
      (await served.ask('/market/orders/status', { body: { clientOrderId: 'mine' } })).body['status'],
    ).toBe('ok');
  });
});

describe('what users add', () => {
  test('an account takes withdrawals once it is confirmed', async () => {
    await served.ask('/users/accounts-add', {
      body: { number: '2', shaba: 'IR120000000000000000000002', bank: 'B' },
    });
    const [, added] = (await profile())['bankAccounts'] as { id: number; confirmed: boolean }[];
    expect(added).toMatchObject({ confirmed: false, status: 'new' });
    const withdraw = { body: { destinationBankAccountId: added?.id, amount: '5000000' } };
    expect((await served.ask('/cobank/withdraw', withdraw)).body['code']).toBe('BankAccountNotFound');
    expect(await served.admin('/accounts/confirm', { user: 'ali', id: added?.id })).toMatchObject({
      status: 200,
      body: { bankAccounts: [{ id: 11 }, { id: added?.id, confirmed: true }] },
    });
    expect((await served.ask('/cobank/withdraw', withdraw)).body['status']).toBe('ok');
    expect(await profile()).toMatchObject({
      bankAccounts: [{}, { confirmed: true, status: 'confirmed' }],
      pendingVerifications: { bankAccount: false },
    });
  });

  test('a card is confirmed by its number, however it is spelled', async () => {
    await served.ask('/users/cards-add', { body: { number: '6219861000000002', bank: 'Saman' } });
    expect(await profile()).toMatchObject({
      bankCards: [{ confirmed: false }],
      pendingVerifications: { bankCard: true },
    });
    expect(await admin('/cards/confirm', { user: 'ali', number: '6219-8610-0000-0002' })).toBe(200);
    expect(await profile()).toMatchObject({
      bankCards: [{ confirmed: true }],
      pendingVerifications: { bankCard: false },
    });
  });

  test('what is not there can not be confirmed', async () => {
    expect(await served.admin('/accounts/confirm', { user: 'ali', id: 12 })).toMatchObject({
      status: 404,
      body: { message: 'expected the id of a bank account of "ali" (11), was 12' },
    });
    expect(await admin('/cards/confirm', { user: 'ali', number: '1' })).toBe(404);
    expect(await admin('/accounts/confirm', { user: 'nobody', id: 11 })).toBe(404);
  });

  test('an identity that is not verified keeps its user from trading until it is', async () => {
    await served.admin('/users/permissions', { user: 'ali', verifications: { identity: false } });
    expect((await add())['code']).toBe('TradingUnavailable');
    await served.admin('/users/permissions', { user: 'ali', verifications: { identity: true } });
    expect((await add())['status']).toBe('ok');
  });
});

describe('time and faults', () => {
  test('the clock is frozen and moved on', async () => {
    expect((await served.admin('/clock', { frozen: true, advanceMs: 5_000 })).body).toEqual({
      timeMs: START_MS + 5_000,
      isFrozen: true,
    });
    expect((await add())['order']).toMatchObject({ created_at: '2025-04-10T12:00:05.000+00:00' });
    expect((await served.admin('/clock', { frozen: false })).body).toMatchObject({ isFrozen: false });
    expect((await served.admin('/clock')).body).toEqual({ timeMs: START_MS + 5_000, isFrozen: false });
  });

  test('faults are set, read and taken back, and do not strike the administrator', async () => {
    await served.admin('/faults', { rules: [{ kind: 'server-error' }], clockSkewMs: 1_000 });
    expect((await served.ask('/v2/options')).status).toBe(500);
    expect((await served.admin('/faults')).body['faults']).toMatchObject({
      rules: [{ kind: 'server-error' }],
    });
    expect((await served.admin('/clock')).body['timeMs']).toBe(START_MS + 1_000);
    await served.admin('/faults', undefined, 'DELETE');
    expect((await served.ask('/v2/options')).status).toBe(200);
    expect(await admin('/faults', { rules: [{ kind: 'earthquake' }] })).toBe(400);
  });

  test('lagging lists need the past to be recorded', async () => {
    expect(await admin('/faults', { rules: [{ kind: 'lagging-lists' }] })).toBe(200);
    await served.close();
    served = await serve();
    expect((await served.admin('/faults', { rules: [{ kind: 'lagging-lists' }] })).body['message']).toMatch(
      /recordVersions/,
    );
  });
});

describe('the ledger', () => {
  test('shows every wallet and a house that balances', async () => {
    await served.admin('/orders', { user: 'sara', ...BUY, type: 'sell', price: '50000000000' });
    await add({ price: '50000000000' });
    const { body } = await served.admin('/ledger?transactions=1');
    const house = body['house'] as { currency: string; imbalance: string; fees: string }[];
    expect(house.map(({ imbalance }) => imbalance)).toEqual(house.map(() => '0'));
    expect(house.find(({ currency }) => currency === 'rls')?.fees).toBe('100000');
    const wallets = body['wallets'] as { userId: number; currency: string; transactions: unknown[] }[];
    const mine = wallets.find(({ userId, currency }) => userId === ALI && currency === 'btc');
    expect(mine).toMatchObject({
      total: '2.0009975',
      held: '0',
      transactions: [{ amount: '0.0009975', description: 'Trade' }],
    });
  });

  test('of requests is read in parts', async () => {
    for (const path of ['/v2/options', '/users/profile', '/nowhere']) await served.ask(path);
    const { body } = await served.admin('/requests?after=1&limit=1');
    expect(body).toMatchObject({
      count: 3,
      hasNext: true,
      requests: [{ number: 2, endpoint: 'profile', status: 200, ip: '127.0.0.1' }],
    });
  });

  test('as a whole is what a state file holds', async () => {
    await add();
    const { body } = await served.admin('/state');
    expect(body).toMatchObject({
      counters: { nextOrderId: 2 },
      orders: [{ id: 1, status: 'Active', userId: ALI }],
    });
  });
});
