import { describe, expect, it } from 'vitest';
import { SarrafError } from '../../../src/domain/errors.ts';
import { decodeReply } from '../../../src/exchange/reply-decoder.ts';
import type { EndpointName } from '../../../src/exchange/endpoints.ts';
import { backOffOf } from '../../../src/exchange/refusals.ts';
import { json } from './fake-transport.ts';
import { parseJson } from '../../../src/domain/stored-json.ts';

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

describe('a row of a list that can not be read', () => {
  const order = { id: 7, type: 'buy', market: 'BTC-USDT', amount: '1', matchedAmount: '0', price: '98' };
  const trade = { id: 3, type: 'buy', price: '98', amount: '1', total: '98', fee: '0' };
  const line = { id: 9, amount: '1' };
  const wallet = { id: 1, balance: '1', blocked: '0' };
  const steps = { BTCIRT: {}, BTCUSDT: '0.01' };

  it.each([
    ['ordersList', 'orders.1', { orders: [order, { ...order, id: 8, amount: null }] }],
    ['tradesList', 'trades.0', { trades: [{ ...trade, price: {} }, trade] }],
    ['walletTransactions', 'transactions.1', { transactions: [line, { id: 10, amount: 'x' }] }],
    ['wallets', 'wallets.BTC', { wallets: { BTC: { ...wallet, balance: [] }, RLS: wallet } }],
    ['marketStats', 'stats.btc-usdt', { stats: { 'btc-usdt': { latest: {} }, 'btc-rls': { latest: '1' } } }],
    ['options', 'amountPrecisions.BTCIRT', { 'service.amountPrecisions': steps }],
  ] as const)('of %s costs itself where that is asked for, and else the call: %s', (name, place, body) => {
    const response = { status: 200, headers: {}, body: JSON.stringify({ status: 'ok', ...body }) };
    expect(() => decodeReply(name, response)).toThrow(SarrafError);
    const result = decodeReply(name, response, { eachRow: true });
    if (!result.ok) throw new Error(result.message);
    expect(result.unread?.map((row) => `${row.list}.${row.place}`)).toEqual([place]);
    const { value } = result;
    if (Array.isArray(value)) expect(value).toHaveLength(1);
    else if ('items' in value) expect(value.items).toHaveLength(1);
    else expect(value).toMatchObject({ amountSteps: { BTCUSDT: '0.01' } });
  });

  it.each([
    ['where none is left, since the form is another one', { orders: [{ ...order, amount: null }] }],
    ['where something beside it is wrong', { orders: [order, { ...order, amount: null }], hasNext: {} }],
  ])('is the error of the call %s', (_, body) => {
    const response = { status: 200, headers: {}, body: JSON.stringify({ status: 'ok', ...body }) };
    expect(() => decodeReply('ordersList', response, { eachRow: true })).toThrow(SarrafError);
  });
});

describe('parseJson', () => {
  it.each([
    ['{"a":0.10}', { a: '0.10' }],
    ['{"a":12345678901234567890}', { a: '12345678901234567890' }],
    ['[1e5, 0E-10, -2.5]', ['1e5', '0E-10', '-2.5']],
    ['{"a": 9007199254740993}', { a: '9007199254740993' }],
    ['0.1', '0.1'],
    ['[-0, 1.0]', ['-0', '1.0']],
  ])('gives the source text of numbers that a float may change: %s', (text, expected) => {
    expect(parseJson(text)).toEqual(expected);
  });

  it.each([
    ['{"id":25,"big":9007199254740991,"no":-3}', { id: 25, big: Number.MAX_SAFE_INTEGER, no: -3 }],
    [
      '{"text":"a:1.5","list":["0.10"],"flag":true,"none":null}',
      { text: 'a:1.5', list: ['0.10'], flag: true, none: null },
    ],
  ])('leaves safe integers and everything that is no number as they are: %s', (text, expected) => {
    expect(parseJson(text)).toEqual(expected);
  });

  it('refuses what is no JSON', () => {
    expect(() => parseJson('{"a":1.5')).toThrow(SyntaxError);
  });
});
