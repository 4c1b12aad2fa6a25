import { describe, expect, it } from 'vitest';
import { parseUnits } from '../../../src/domain/money.ts';
import { areIdentical, IdenticalOrders } from '../../../src/engine/orders/order-blotter.ts';
import type { OrderRecord } from '../../../src/records/order.ts';
import { INTERFACE_PROFILE } from '../../../src/venues/interface-profile.ts';
import { orderIn, plannedOrder } from '../../support/order-value.ts';

const FIRST = plannedOrder({ key: 'a' });
const TWIN = plannedOrder({ key: 'b', strategy: 'two', tag: 'x', intentId: 'i2' });

const HELD_BACK_MS = INTERFACE_PROFILE.identicalOrdersMs;

/** Makes a memory in which the first order was sent. */
function afterFirst(): IdenticalOrders {
  const identical = new IdenticalOrders(HELD_BACK_MS);
  identical.sent(FIRST);
  return identical;
}

describe('identical orders', () => {
  it.each<[string, Partial<OrderRecord>]>([
    ['market', { market: 'ETHUSDT' }],
    ['side', { side: 'sell' }],
    ['execution', { execution: 'market' }],
    ['price', { price: parseUnits('100.01') }],
    ['stop price', { stopPrice: parseUnits('100') }],
    ['amount', { amount: parseUnits('1.001') }],
    ['pair', { pairKey: 'c/2' }],
  ])('are not those that differ by their %s', (_, changed) => {
    expect(areIdentical(plannedOrder(changed), FIRST)).toBe(false);
  });

  it('are those of another strategy, tag and intent too', () => {
    expect(areIdentical(TWIN, FIRST)).toBe(true);
  });

  it('wait for as long as the fate of the first is not known', () => {
    const identical = afterFirst();
    identical.expire(1e12);
    expect(identical.freeAtMs(TWIN, 1e12)).toBe(Infinity);
    expect(identical.knowsOther(TWIN)).toBe(true);
  });

  it('wait ten seconds and a bit from when the first is known to have arrived', () => {
    const identical = afterFirst();
    identical.answered(FIRST, 1_000);
    expect(identical.freeAtMs(TWIN, 1_000)).toBe(1_000 + HELD_BACK_MS);
    expect(identical.freeAtMs(TWIN, 1_000 + HELD_BACK_MS - 1)).toBe(1_000 + HELD_BACK_MS);
    expect(identical.freeAtMs(TWIN, 1_000 + HELD_BACK_MS)).toBe(1_000 + HELD_BACK_MS);
    expect(identical.knowsOther(TWIN)).toBe(false);
    expect(HELD_BACK_MS).toBeGreaterThan(10_000);
  });

  it('wait for the one of several whose fate is known last', () => {
    const identical = new IdenticalOrders(HELD_BACK_MS);
    const third = plannedOrder({ key: 'c' });
    identical.sent(FIRST);
    identical.sent(TWIN);
    identical.answered(TWIN, 1_000);
    expect(identical.freeAtMs(third, 20_000)).toBe(Infinity);
    expect(identical.otherThan(third)).toBe('a');
    identical.answered(FIRST, 5_000);
    identical.expire(1_000 + HELD_BACK_MS);
    expect(identical.freeAtMs(third, 12_000)).toBe(5_000 + HELD_BACK_MS);
    identical.expire(5_000 + HELD_BACK_MS);
    expect(identical.otherThan(third)).toBeNull();
  });

  it('do not wait for themselves', () => {
    const identical = afterFirst();
    expect(identical.freeAtMs(FIRST, 5)).toBe(5);
    expect(identical.knowsOther(FIRST)).toBe(false);
  });

  it('take the first word on their fate: what is learned later moves nothing', () => {
    const identical = afterFirst();
    identical.answered(FIRST, 1_000);
    identical.answered(FIRST, 9_000);
    identical.answered(TWIN, 9_000);
    expect(identical.freeAtMs(TWIN, 1_000)).toBe(1_000 + HELD_BACK_MS);
  });

  it('are forgotten when they hold nothing back any more', () => {
    const identical = afterFirst();
    identical.answered(FIRST, 0);
    identical.expire(HELD_BACK_MS - 1);
    expect(identical.knowsOther(TWIN)).toBe(true);
    identical.expire(HELD_BACK_MS);
    expect(identical.knowsOther(TWIN)).toBe(false);
  });

  it('are forgotten each in its own time, those of before a restart too', () => {
    const other = plannedOrder({ key: 'c', amount: parseUnits('2') });
    const likeOther = plannedOrder({ key: 'd', amount: parseUnits('2') });
    const identical = new IdenticalOrders(HELD_BACK_MS);
    identical.restore([orderIn('open', { key: 'a', sentAtMs: 0 })], 0);
    identical.sent(other);
    identical.answered(other, 1_000);
    const known = [HELD_BACK_MS - 1, HELD_BACK_MS, HELD_BACK_MS + 1_000].map((nowMs) => {
      identical.expire(nowMs);
      return [identical.knowsOther(TWIN), identical.knowsOther(likeOther)];
    });
    expect(known).toEqual([
      [true, true],
      [false, true],
      [false, false],
    ]);
    const alone = new IdenticalOrders(HELD_BACK_MS);
    alone.restore([orderIn('open', { key: 'a', sentAtMs: 0 })], 0);
    alone.expire(HELD_BACK_MS);
    expect(alone.knowsOther(TWIN)).toBe(false);
  });

  it('are remembered over a restart: without end where the fate is not known, else from now on', () => {
    const unknown = new IdenticalOrders(HELD_BACK_MS);
    unknown.restore([orderIn('unknown', { key: 'a', sentAtMs: 0 })], 1e9);
    expect(unknown.freeAtMs(TWIN, 1e9)).toBe(Infinity);
    const open = new IdenticalOrders(HELD_BACK_MS);
    open.restore([orderIn('open', { key: 'a', sentAtMs: 5_000 })], 6_000);
    expect(open.freeAtMs(TWIN, 6_000)).toBe(6_000 + HELD_BACK_MS);
    const old = new IdenticalOrders(HELD_BACK_MS);
    old.restore(
      [orderIn('open', { key: 'a', sentAtMs: 5_000 }), plannedOrder({ key: 'c' })],
      5_000 + HELD_BACK_MS,
    );
    expect(old.freeAtMs(TWIN, 20_000)).toBe(20_000);
  });
});
