import { describe, expect, it } from 'vitest';
import { SarrafError } from '../../../src/domain/errors.ts';
import { decodeReply } from '../../../src/exchange/reply-decoder.ts';
import type { EndpointName } from '../../../src/exchange/endpoints/index.ts';
import { backOffOf } from '../../../src/exchange/failure.ts';
import { json } from './fake-transport.ts';

const DEPTH = 100_000;
const NESTED = '['.repeat(DEPTH) + ']'.repeat(DEPTH);

/** How a placement and a read end with this body: what they throw, or the refusal. */
function endOf(name: EndpointName, body: unknown, status = 200): SarrafError | { readonly outcome: string } {
  try {
    const result = decodeReply(name, json(body, status));
    if (result.ok) throw new TypeError('expected no value of this reply');
    return result;
  } catch (error) {
    if (error instanceof SarrafError) return error;
    throw error;
  }
}

const ORDER = { id: 7, type: 'buy', amount: '1', matchedAmount: '0', market: 'BTC-USDT', status: 'Active' };

describe('a reply that can not be read', () => {
  it.each<[string, unknown]>([
    ['a message that is an object', { status: 'failed', message: { toString: 'no', text: 'x' } }],
    ['a message that is nested deeply', `{"status":"failed","message":${NESTED}}`],
    ['a code that is nested deeply', `{"status":"failed","code":${NESTED}}`],
    ['a message of objects', { status: 'failed', message: [{ a: 1 }, { toString: null }] }],
    ['an order that is nested deeply', `{"status":"ok","order":${NESTED}}`],
    ['an order that is a list', { status: 'ok', order: [] }],
    ['an amount that is an object', { status: 'ok', order: { ...ORDER, amount: {} } }],
    ['an amount that is a boolean', { status: 'ok', order: { ...ORDER, amount: true } }],
    ['a matched amount that is null', { status: 'ok', order: { ...ORDER, matchedAmount: null } }],
    [
      'an amount with an exponent beyond all bounds',
      { status: 'ok', order: { ...ORDER, amount: '1e999999' } },
    ],
    ['an id beyond all integers', { status: 'ok', order: { ...ORDER, id: 1e300 } }],
  ])('is the error of its request, and leaves a placement unknown: %s', (_, body) => {
    expect(endOf('addOrder', body).outcome).toBe('unknown');
  });

  it.each([
    ['orderBook', 'a price level that is null', { status: 'ok', bids: [[null, '1']], asks: [] }],
    ['orderBook', 'an amount that is null', { status: 'ok', bids: [['1', null]], asks: [] }],
    ['orderBook', 'a price of nothing', { status: 'ok', bids: [['0', '1']], asks: [] }],
    ['orderBook', 'an amount below nothing', { status: 'ok', bids: [['1', '-1']], asks: [] }],
    ['orderBook', 'a level that is an object', { status: 'ok', bids: [{ 0: '1', 1: '2' }], asks: [] }],
    ['orderBook', 'a price that is an object', { status: 'ok', bids: [[{}, '1']], asks: [] }],
    ['orderBook', 'sides that are nested deeply', `{"status":"ok","bids":${NESTED},"asks":[]}`],
    ['ordersList', 'a list that is an object', { status: 'ok', orders: { 0: ORDER } }],
    ['ordersList', 'an order that is null', { status: 'ok', orders: [null] }],
    ['tradesList', 'a trade without an id', { status: 'ok', trades: [{ orderId: 1 }] }],
    ['wallets', 'a wallet that is a boolean', { status: 'ok', wallets: { BTC: true } }],
    ['history', 'columns that are booleans', { s: 'ok', t: [true], o: [1], h: [1], l: [1], c: [1], v: [1] }],
  ] as const)('of %s is to be asked for again: %s', (name, _, body) => {
    expect(endOf(name, body)).toMatchObject({ code: 'UNEXPECTED_REPLY', outcome: 'none', retry: 'safe' });
  });

  it('asks for no wait that can be read', () => {
    expect(backOffOf(json(`{"status":"failed","message":${NESTED},"backOff":${NESTED}}`, 400))).toBeNull();
  });
});
