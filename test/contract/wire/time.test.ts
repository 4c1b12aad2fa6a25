import { describe, expect, test } from 'vitest';
import { NOW_MS } from '../client-over.ts';
import { BANK_ACCOUNT_ID, BUY } from '../world.ts';
import { RawVenue } from './raw-venue.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

describe('a token from a log-in', () => {
  test.each([
    [undefined, 4 * HOUR_MS],
    ['yes', 30 * DAY_MS],
  ])('with remember %s is valid for %i ms', (remember, lifetimeMs) => {
    const venue = new RawVenue();
    const body = { username: 'alice', password: 'alice-password', captcha: 'api', remember };
    const { key } = venue.send('POST /auth/login/', { token: null, body }).json as { readonly key: string };
    venue.nowMs = NOW_MS + lifetimeMs - 1;
    expect(venue.send('GET /users/profile', { token: key }).status).toBe(200);
    venue.nowMs = NOW_MS + lifetimeMs + 1;
    expect(venue.send('GET /users/profile', { token: key }).status).toBe(401);
  });

  test('of a known device does not close withdrawals, of a new one it does for an hour', () => {
    const venue = new RawVenue();
    const login = (device?: string) =>
      venue.send('POST /auth/login/', {
        token: null,
        body: { username: 'alice', password: 'alice-password', captcha: 'api', device },
      }).json as { readonly device: string };
    const withdraw = () =>
      venue.send('POST /cobank/withdraw', {
        body: { destinationBankAccountId: BANK_ACCOUNT_ID, amount: '500000' },
      }).json;
    const { device } = login();
    expect(withdraw()).toMatchObject({ status: 'failed' });
    venue.nowMs += HOUR_MS;
    expect(withdraw()).toMatchObject({ status: 'ok' });
    expect(login(device).device).toBe(device);
    expect(withdraw()).toMatchObject({ status: 'ok' });
  });
});

test('own trades are listed for 180 days', () => {
  const venue = new RawVenue();
  venue.bobPlaces({ type: 'sell', price: '12500000000', amount: '0.001' });
  venue.send('POST /market/orders/add', { body: BUY });
  const count = () =>
    (venue.send('GET /market/trades/list').json as { readonly trades: unknown[] }).trades.length;
  venue.nowMs = NOW_MS + 180 * DAY_MS - 1;
  expect(count()).toBe(1);
  venue.nowMs = NOW_MS + 180 * DAY_MS + 1;
  expect(count()).toBe(0);
});

/** Returns the status that a cancel of a withdrawal gets `waitMs` after its creation. */
function cancelledAfter(waitMs: number): string {
  const venue = new RawVenue();
  const body = { destinationBankAccountId: BANK_ACCOUNT_ID, amount: '500000' };
  const made = venue.send('POST /cobank/withdraw', { body }).json as {
    readonly result: { readonly id: string };
  };
  venue.nowMs += waitMs;
  return (venue.send(`POST /cobank/withdraw/${made.result.id}/cancel`).json as { readonly status: string })
    .status;
}

test('a withdrawal can be cancelled for three minutes', () => {
  expect(cancelledAfter(3 * MINUTE_MS - 1000)).toBe('ok');
  expect(cancelledAfter(3 * MINUTE_MS + 1000)).toBe('failed');
});

test('cancel-old takes hours with a fraction and its other filters', () => {
  const venue = new RawVenue();
  const prices = (): readonly string[] =>
    (
      venue.send('GET /market/orders/list?order=id').json as { readonly orders: readonly { price: string }[] }
    ).orders.map(({ price }) => price);
  venue.send('POST /market/orders/add', { body: BUY });
  venue.nowMs += HOUR_MS;
  venue.send('POST /market/orders/add', { body: { ...BUY, price: '12500000010' } });
  venue.nowMs += HOUR_MS;
  venue.send('POST /market/orders/add', { body: { ...BUY, dstCurrency: 'usdt', price: '69000' } });
  const cancelOld = (body: object) => venue.send('POST /market/orders/cancel-old', { body }).json;
  expect(cancelOld({ hours: 2.5 })).toEqual({ status: 'ok' });
  expect(prices()).toHaveLength(3);
  expect(cancelOld({ hours: '1.5' })).toEqual({ status: 'ok' });
  expect(prices()).toEqual(['12500000010', '69000']);
  cancelOld({ execution: 'market' });
  cancelOld({ tradeType: 'margin' });
  cancelOld({ srcCurrency: 'shib' });
  expect(prices()).toHaveLength(2);
  cancelOld({ srcCurrency: 'btc', dstCurrency: 'usdt' });
  expect(prices()).toEqual(['12500000010']);
  expect(cancelOld({ hours: 'soon' })).toMatchObject({ status: 'failed' });
  expect(prices()).toHaveLength(1);
});

test('an order may start as New and become Active by itself', () => {
  const venue = new RawVenue({ trading: { newForMs: 2000 } });
  const { order } = venue.send('POST /market/orders/add', { body: BUY }).json as {
    order: { id: number; status: string };
  };
  expect(order.status).toBe('New');
  const status = () => venue.send('POST /market/orders/status', { body: { id: order.id } }).json;
  venue.nowMs += 1999;
  expect(status()).toMatchObject({ order: { status: 'New' } });
  venue.nowMs += 1;
  expect(status()).toMatchObject({ order: { status: 'Active' } });
});

test('an order that is rejected later has a word that nobody knows, and holds nothing', () => {
  const venue = new RawVenue({ trading: { rejectedStatus: 'Vaporised' } });
  const { order } = venue.send('POST /market/orders/add', { body: BUY }).json as { order: { id: number } };
  const found = venue.exchange.trading.find(1, { id: order.id, clientOrderId: null });
  if (found === undefined) throw new Error('expected the order');
  venue.exchange.trading.reject(found, venue.nowMs);
  expect(venue.send('POST /market/orders/status', { body: { id: order.id } }).json).toMatchObject({
    order: { status: 'Vaporised' },
  });
  expect(venue.send('GET /v2/wallets?currencies=rls').json).toMatchObject({
    wallets: { RLS: { blocked: '0' } },
  });
});
