import { afterEach, beforeEach, expect, test } from 'vitest';
import { ALI, START_MS } from '../wire/fixture.ts';
import { serve, type Served } from './fixture.ts';

let served: Served;
beforeEach(async () => {
  served = await serve();
});
afterEach(() => served.close());

const KEY = '6kpsY-KcUgq-9VB7Ey7F-ZVHdq6-vnuSQh7qaRRG0iw';

test.each([
  ['a token twice', { username: 'new', tokens: ['one', 'one'] }],
  [
    'a key twice, with and without its padding',
    {
      username: 'new',
      keys: [
        { publicKey: KEY, permissions: [] },
        { publicKey: `${KEY}=`, permissions: [] },
      ],
    },
  ],
])('a user with %s is refused and does not come to be', async (_what, user) => {
  expect((await served.admin('/users', user)).status).toBe(409);
  expect(served.venue.exchange.services.users.findByName('new')).toBeUndefined();
});

test("a token that has expired is still its user's", async () => {
  await served.admin('/users', { username: 'first', tokens: [{ token: 'short', validForMs: 1 }] });
  await served.admin('/clock', { advanceMs: 1_000 });
  expect((await served.admin('/users', { username: 'second', tokens: ['short'] })).status).toBe(409);
  expect(served.venue.exchange.services.users.findByName('second')).toBeUndefined();
});

test('an id of the synthetic traders is refused', async () => {
  expect((await served.admin('/users', { username: 'new', id: 9_000_000 })).status).toBe(400);
});

test('a skew of more than a year is refused, as the clock could never come back from it', async () => {
  expect((await served.admin('/faults', { clockSkewMs: 9e15 })).status).toBe(400);
  expect((await served.admin('/clock')).body['timeMs']).toBe(START_MS);
});

test('a fault comes with any share of the requests', async () => {
  const rules = [{ kind: 'lost', probability: 0.25 }];
  expect(await served.admin('/faults', { rules })).toMatchObject({
    status: 200,
    body: { faults: { rules } },
  });
  expect((await served.admin('/faults', { rules: [{ kind: 'lost', probability: 1.5 }] })).status).toBe(400);
});

test('a fee of more than all is refused', async () => {
  expect((await served.admin('/fees', { rls: { maker: '0', taker: '100.0001' } })).status).toBe(400);
  expect((await served.admin('/fees', { rls: { maker: '0', taker: '100' } })).status).toBe(200);
});

test('steps too fine for the prices of a market are refused, and its rules stay', async () => {
  expect(await served.admin('/markets', { symbol: 'BTCIRT', priceStep: '0.0000000001' })).toMatchObject({
    status: 400,
    body: { error: 'TOO_LARGE' },
  });
  const { body } = await served.admin('/markets');
  expect(body['markets']).toContainEqual(
    expect.objectContaining({ symbol: 'BTCIRT', priceStep: '10', version: 1 }),
  );
});

test('a deposit that is confirmed before its time shows when it was credited', async () => {
  const { body } = await served.admin('/deposit', {
    user: ALI,
    currency: 'btc',
    amount: '1',
    confirmations: 1_000_000,
  });
  await served.admin('/clock', { advanceMs: 60_000 });
  await served.admin('/deposits/confirm', { id: body['id'] });
  const [deposit] = (await served.ask('/users/wallets/deposits/list')).body['deposits'] as Record<
    string,
    unknown
  >[];
  const created = new Date(START_MS + 60_000).toISOString().replace('Z', '+00:00');
  expect(deposit).toMatchObject({ confirmed: true, transaction: { created_at: created } });
});
