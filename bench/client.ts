import { encodeRequest } from '../src/exchange/request-encoder.ts';
import { decodeReply } from '../src/exchange/reply-decoder.ts';
import { createSigner } from '../src/exchange/authenticator.ts';
import { median, type BenchResult } from './result.ts';

const ROUNDS = 4000;
const WARM_UP_ROUNDS = 1000;
const TARGET_MICROSECONDS = 100;

/** A fixed pair of keys: the seed is 32 bytes of 7. */
const KEY = {
  privateKey: 'BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwc=',
  publicKey: '6kpsY-KcUgq-9VB7Ey7F-ZVHdq6-vnuSQh7qaRRG0iw=',
};

/** Text of a reply to an accepted order. */
export const ORDER_REPLY = JSON.stringify({
  status: 'ok',
  order: {
    id: 25,
    type: 'sell',
    execution: 'Limit',
    tradeType: 'Spot',
    market: 'BTC-RLS',
    srcCurrency: 'Bitcoin',
    dstCurrency: 'Rial',
    price: '8500000000.0000000000',
    amount: '0.0123000000',
    totalPrice: '0E-10',
    totalOrderPrice: '104550000',
    matchedAmount: '0',
    unmatchedAmount: '0.0123',
    status: 'Active',
    partial: false,
    fee: '0',
    created_at: '2026-07-28T08:17:16.419000+00:00',
    averagePrice: '0',
    clientOrderId: 'a1-ma-7f3k-12',
  },
});

const level = (price: number, index: number): readonly [string, string] => [
  String(price),
  `${index % 3}.${String(123_456 + index).padStart(6, '0')}`,
];

const BOOK_REPLY = JSON.stringify({
  status: 'ok',
  lastUpdate: 1_769_600_000,
  bids: Array.from({ length: 24 }, (_, index) => level(12_600_000_010 + index * 10, index)),
  asks: Array.from({ length: 24 }, (_, index) => level(12_600_000_000 - index * 10, index)),
});

/** Median time of one call in microseconds. */
function medianMicroseconds(work: () => unknown): number {
  for (let round = 0; round < WARM_UP_ROUNDS; round += 1) work();
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const start = performance.now();
    work();
    times.push(performance.now() - start);
  }
  return median(times) * 1000;
}

const reply = (body: string) => ({ status: 200, headers: {}, body });

function timed(name: string, work: () => unknown): BenchResult {
  const value = Number(medianMicroseconds(work).toFixed(2));
  return {
    name,
    value,
    unit: 'us',
    reference: TARGET_MICROSECONDS,
    ratio: Number((value / TARGET_MICROSECONDS).toFixed(3)),
    target: 1,
    holds: value < TARGET_MICROSECONDS,
  };
}

/**
 * Measures what the client adds to a call: encoding and decoding an order, reading a book of 24 levels a
 * side, and signing.
 */
export async function benchClient(): Promise<BenchResult[]> {
  const order = timed('client-order-encode-decode', () => {
    encodeRequest('addOrder', {
      type: 'sell',
      execution: 'limit',
      srcCurrency: 'btc',
      dstCurrency: 'rls',
      amount: '0.0123',
      price: '8500000000',
      clientOrderId: 'a1-ma-7f3k-12',
    });
    return decodeReply('addOrder', reply(ORDER_REPLY));
  });
  const book = timed('client-book-parse-24-levels', () => decodeReply('orderBook', reply(BOOK_REPLY)));
  const sign = createSigner(KEY);
  const parts = { timestamp: '1769600000', method: 'POST', path: '/market/orders/add', body: ORDER_REPLY };
  const signing = timed('client-signing', () => sign(parts));
  // No target: the cost of signing is that of the curve.
  return [order, book, { ...signing, reference: null, ratio: null, target: null, holds: true }];
}
