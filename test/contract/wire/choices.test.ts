import { expect, test } from 'vitest';
import { BUY, OCO } from '../world.ts';
import { RawVenue, type RawReply } from './raw-venue.ts';

/** Tests the choices of `docs/exchange.md` and `docs/exchange-replies.md` where no document says anything. */

const HOUR_MS = 3_600_000;

const add = (venue: RawVenue, body: unknown): RawReply => venue.send('POST /market/orders/add', { body });
const statuses = (venue: RawVenue): readonly string[] => {
  const { json } = venue.send('GET /market/orders/list?status=all&details=2&order=id');
  return (json as { readonly orders: readonly { status: string }[] }).orders.map(({ status }) => status);
};
const cancelOld = (venue: RawVenue, body: unknown): RawReply =>
  venue.send('POST /market/orders/cancel-old', { body });

test('orders are compared after their rounding', () => {
  const venue = new RawVenue();
  expect(add(venue, { ...BUY, amount: '0.0010001' }).json).toMatchObject({ status: 'ok' });
  expect(add(venue, { ...BUY, amount: '0.0010009' }).json).toMatchObject({ code: 'DuplicateOrder' });
  expect(add(venue, { ...BUY, amount: '0.001001' }).json).toMatchObject({ status: 'ok' });
});

test('an order sent with pro is not remembered', () => {
  const venue = new RawVenue();
  for (const pro of [true, true, false])
    expect(add(venue, { ...BUY, pro }).json).toMatchObject({ status: 'ok' });
  expect(add(venue, BUY).json).toMatchObject({ code: 'DuplicateOrder' });
});

test('cancel-old takes an order that is exactly as old', () => {
  const venue = new RawVenue();
  add(venue, BUY);
  venue.nowMs += HOUR_MS - 1;
  cancelOld(venue, { hours: 1 });
  expect(statuses(venue)).toEqual(['Active']);
  venue.nowMs += 1;
  cancelOld(venue, { hours: 1 });
  expect(statuses(venue)).toEqual(['Canceled']);
});

test('cancel-old takes the stop order of an OCO with its limit order, never by itself', () => {
  const venue = new RawVenue();
  add(venue, OCO);
  cancelOld(venue, { execution: 'stop_limit' });
  expect(statuses(venue)).toEqual(['Active', 'Inactive']);
  cancelOld(venue, { execution: 'limit' });
  expect(statuses(venue)).toEqual(['Canceled', 'Canceled']);
});

test('card and account numbers are taken with spaces and hyphens, by their length alone', () => {
  const venue = new RawVenue();
  const card = (number: string): RawReply =>
    venue.send('POST /users/cards-add', { body: { number, bank: 'Saman' } });
  const account = (shaba: string): RawReply =>
    venue.send('POST /users/accounts-add', { body: { number: '1', shaba, bank: 'Saman' } });
  expect(card('6219-8610 0000-0009').json).toEqual({ status: 'ok' });
  expect(card('621986100000000').json).toMatchObject({ code: 'ParseError' });
  expect(account('ir82 0540-1026 8002 0817 9090 99').json).toEqual({ status: 'ok' });
  expect(account('82054010268002081790909900').json).toMatchObject({ code: 'ParseError' });
});

test('addresses are lower case, but for the market symbol', () => {
  const venue = new RawVenue();
  expect(venue.send('GET /v2/orderbook/btcirt').status).toBe(200);
  expect(venue.send('GET /V2/options').status).toBe(404);
  expect(venue.send('GET /Users/Profile').status).toBe(404);
});
