import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseUnits, type Units } from '../../../src/domain/money.ts';
import { MARKET_NAMES } from '../../../src/exchange/market-names.ts';
import { exitsAmong, unprotectedOf } from '../../../src/engine/exits.ts';
import type { OrderRecord } from '../../../src/records/order.ts';
import { orderIn } from '../../support/order-value.ts';

let placed = 0;

/** Makes an open sale of one coin, later than all before it. */
function sale(key: string, changed: Partial<OrderRecord> = {}): OrderRecord {
  placed += 1;
  return orderIn('open', { key, clientOrderId: key, side: 'sell', plannedAtMs: placed, ...changed });
}

function oco(key: string, amount: Units): readonly [OrderRecord, OrderRecord] {
  const stop = { clientOrderId: null, stopPrice: parseUnits('90'), pairKey: key };
  return [sale(key, { amount, pairKey: `${key}/2` }), sale(`${key}/2`, { ...stop, amount })];
}

const exits = (orders: readonly OrderRecord[], held: string): readonly string[] => [
  ...exitsAmong(orders, () => parseUnits(held), MARKET_NAMES),
];

const heldByOne = (strategy: string): Units => parseUnits(strategy === 'one' ? '1' : '0');

function rest(orders: readonly OrderRecord[], held: string): Units {
  const of = { strategy: 'one', asset: 'btc', held: parseUnits(held), marketNames: MARKET_NAMES };
  return unprotectedOf(orders, of);
}

describe('exitsAmong', () => {
  test('takes a sale of what is held, and none of more than that', () => {
    expect(exits([sale('all')], '1')).toEqual(['all']);
    expect(exits([sale('more')], '0.9999999999')).toEqual([]);
  });

  test('takes of sales that fit each by itself only those that fit together, the older ones first', () => {
    const [old, young] = [sale('old'), sale('young')];
    expect(exits([young, old], '1.9999999999')).toEqual(['old']);
    expect(exits([young, old], '2')).toEqual(['old', 'young']);
  });

  test('takes first what protects: pairs, then stops, then the others', () => {
    const orders = [
      sale('limit'),
      sale('stop', { stopPrice: parseUnits('90') }),
      ...oco('pair', parseUnits('1')),
    ];
    expect(exits(orders, '1')).toEqual(['pair', 'pair/2']);
    expect(exits(orders, '2')).toEqual(['pair', 'pair/2', 'stop']);
    expect(exits(orders, '3')).toEqual(['pair', 'pair/2', 'stop', 'limit']);
  });

  test('passes over what does not fit, and takes a smaller one after it', () => {
    const big = sale('big', { amount: parseUnits('5') });
    expect(exits([big, sale('small')], '1')).toEqual(['small']);
  });

  test('counts what is still to be sold, and an order of unknown outcome whole', () => {
    const half = { filled: parseUnits('0.5'), matched: parseUnits('0.5') };
    expect(exits([sale('half', half)], '0.5')).toEqual(['half']);
    expect(exits([sale('unknown', { state: 'unknown' })], '0.5')).toEqual([]);
  });

  test('counts a coin over all its markets', () => {
    const [here, there] = [sale('here'), sale('there', { market: 'BTCIRT' })];
    expect(exits([here, there], '1')).toEqual(['here']);
  });

  test('keeps the positions of two strategies apart', () => {
    const orders = [sale('mine', { strategy: 'one' }), sale('theirs', { strategy: 'two' })];
    expect([...exitsAmong(orders, heldByOne, MARKET_NAMES)]).toEqual(['mine']);
  });

  test('takes a purchase of what is owed, and none of a coin that is held', () => {
    const purchase = sale('purchase', { side: 'buy' });
    expect(exits([purchase], '-1')).toEqual(['purchase']);
    expect(exits([purchase], '-0.9')).toEqual([]);
    expect(exits([purchase], '1')).toEqual([]);
  });

  test('never takes sales that sell more than is held, whatever the orders are', () => {
    const order = fc.record({ amount: fc.integer({ min: 1, max: 9 }), kind: fc.nat({ max: 2 }) });
    const run = fc.property(fc.array(order, { maxLength: 8 }), fc.nat({ max: 20 }), (drawn, held) => {
      const orders = drawn.flatMap(({ amount, kind }, index): readonly OrderRecord[] => {
        const units = parseUnits(String(amount));
        if (kind === 2) return oco(`o${index}`, units);
        return [sale(`o${index}`, { amount: units, stopPrice: kind === 1 ? parseUnits('90') : null })];
      });
      const taken = new Set(exits(orders, String(held)));
      const sold = drawn.reduce((sum, { amount }, index) => sum + (taken.has(`o${index}`) ? amount : 0), 0);
      expect(sold).toBeLessThanOrEqual(held);
      // A sale that was left out does not fit beside the others.
      for (const [index, { amount }] of drawn.entries())
        if (!taken.has(`o${index}`)) expect(sold + amount).toBeGreaterThan(held);
    });
    fc.assert(run);
  });
});

describe('unprotectedOf', () => {
  test('is what stops and pairs do not sell: a limit order protects nothing', () => {
    const stop = sale('stop', { stopPrice: parseUnits('90') });
    expect(rest([sale('limit')], '3')).toBe(parseUnits('3'));
    expect(rest([stop], '3')).toBe(parseUnits('2'));
    expect(rest([stop, ...oco('pair', parseUnits('1'))], '3')).toBe(parseUnits('1'));
  });

  test('is never below zero', () => {
    expect(rest([...oco('pair', parseUnits('5'))], '3')).toBe(parseUnits('0'));
    expect(rest([], '0')).toBe(parseUnits('0'));
  });

  test('is what stops do not buy back of what is owed', () => {
    const stop = sale('stop', { side: 'buy', stopPrice: parseUnits('110') });
    expect(rest([stop], '-3')).toBe(parseUnits('2'));
    expect(rest([sale('wrong side', { stopPrice: parseUnits('90') })], '-3')).toBe(parseUnits('3'));
  });
});
