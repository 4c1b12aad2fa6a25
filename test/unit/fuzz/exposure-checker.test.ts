import { describe, expect, test } from 'vitest';
import type { TrueFill, TrueOrder } from '../../../src/fuzz/checkers/exchange-truth.ts';
import { checkExposure, checkOwnership } from '../../../src/fuzz/checkers/exposure-checker.ts';
import { trueFill, trueOrder } from '../../support/order-value.ts';

const order = (id: number, changes: Partial<TrueOrder> = {}): TrueOrder =>
  trueOrder(id, { clientOrderId: `bot-a-mark-${id}`, price: 100n, amount: 6n, ...changes });
const fill = (orderId: number, changes: Partial<TrueFill> = {}): TrueFill =>
  trueFill(orderId, { amount: 6n, ...changes });
const count = (orders: readonly TrueOrder[], fills: readonly TrueFill[] = []): number =>
  checkExposure({ orders, fills, balances: new Map() }, { instance: 'bot', maxPosition: { btc: 10n } })
    .length;

describe('positions with all orders of a side', () => {
  test('stay within the limit while there is one order', () => {
    expect(count([order(1)])).toBe(0);
  });

  test('are beyond it with two that are open together', () => {
    expect(count([order(1), order(2)])).toBe(1);
  });

  test('are not when the first had ended, but for what it filled', () => {
    const ended = { isOpen: false, closedAtMs: 2 };
    expect(count([order(1, ended), order(3)])).toBe(0);
    expect(count([order(1, { ...ended, matched: 6n }), order(3)], [fill(1)])).toBe(1);
  });

  test('are made less by the other side only once that has traded, and by fees', () => {
    const sale = order(2, { side: 'sell', amount: 5n });
    const bought = [fill(1, { fee: 1n })];
    const first = order(1, { isOpen: false, closedAtMs: 1, matched: 6n });
    expect(count([first, sale, order(4)], bought)).toBe(1);
    expect(count([first, sale, order(4)], [...bought, fill(2, { side: 'sell', amount: 1n })])).toBe(0);
  });

  test('count of an order that was called refused only what makes them less', () => {
    const refused = new Set(['bot-a-mark-1']);
    const limits = { instance: 'bot', maxPosition: { btc: 10n }, refused };
    const countOf = (orders: readonly TrueOrder[], fills: readonly TrueFill[]): number =>
      checkExposure({ orders, fills, balances: new Map() }, limits).length;
    const sold = [fill(1, { side: 'sell', amount: 2n })];
    expect(countOf([order(1), order(2)], [fill(1)])).toBe(0);
    expect(countOf([order(1, { side: 'sell' }), order(2), order(3)], [])).toBe(1);
    expect(countOf([order(1, { side: 'sell' }), order(2), order(3)], sold)).toBe(0);
  });

  test('may be short as far as long', () => {
    expect(count([order(1, { side: 'sell' }), order(2, { side: 'sell' })])).toBe(1);
  });

  test('count a pair once, and what is not ours or in another market not at all', () => {
    const pair = [order(1, { pairId: 2 }), order(2, { pairId: 1, clientOrderId: null, openedAtMs: 1 })];
    expect(count(pair)).toBe(0);
    expect(count([order(1), order(2, { clientOrderId: 'by-hand-2' }), order(3, { market: 'BTCIRT' })])).toBe(
      0,
    );
  });

  test('are of one strategy each, where a market has two', () => {
    const ofOther = (id: number): TrueOrder => order(id, { clientOrderId: `bot-other-2-mark-${id}` });
    expect(count([order(1), ofOther(2)])).toBe(0);
    expect(count([order(1), ofOther(2), ofOther(3)])).toBe(1);
    // What the other strategy sold makes this one's no less.
    const sale = { ...ofOther(2), side: 'sell' as const };
    expect(count([order(1), sale, order(3)], [fill(2, { side: 'sell' })])).toBe(1);
  });

  test('need names that name a strategy', () => {
    expect(() => count([order(1, { clientOrderId: 'bot-1' })])).toThrow(
      'expected an order of ours to name its strategy',
    );
  });

  test('are not judged where the coin has no limit', () => {
    expect(count([order(1, { market: 'USDTIRT' }), order(2, { market: 'USDTIRT' })])).toBe(0);
  });
});

const sold = (
  orders: readonly TrueOrder[],
  fills: readonly TrueFill[] = [],
  given: ReadonlyMap<string, bigint> = new Map(),
): number => checkOwnership({ orders, fills, balances: new Map() }, { instance: 'bot', given }).length;
const sale = (id: number, amount: bigint): TrueOrder => order(id, { side: 'sell', amount });

describe('coins that a strategy sells', () => {
  test('are none of those that it was not given and has not bought', () => {
    expect(sold([sale(1, 1n)])).toBe(1);
    expect(sold([sale(1, 3n), sale(2, 2n)], [], new Map([['a btc', 5n]]))).toBe(0);
    expect(sold([sale(1, 3n), sale(2, 3n)], [], new Map([['a btc', 5n]]))).toBe(1);
  });

  test('are what it has bought, less the fee', () => {
    const bought = order(1, { isOpen: false, closedAtMs: 1, matched: 6n });
    expect(sold([bought, sale(2, 5n)], [fill(1, { fee: 1n })])).toBe(0);
    expect(sold([bought, sale(2, 6n)], [fill(1, { fee: 1n })])).toBe(1);
  });

  test('are in all its markets together, and a quote currency is none', () => {
    const bought = order(1, { isOpen: false, closedAtMs: 1, matched: 6n });
    const inRial = order(2, { side: 'sell', market: 'BTCIRT', amount: 6n });
    expect(sold([bought, inRial], [fill(1)])).toBe(0);
    expect(sold([bought, order(2, { side: 'sell', market: 'USDTIRT' })], [fill(1)])).toBe(0);
  });
});
