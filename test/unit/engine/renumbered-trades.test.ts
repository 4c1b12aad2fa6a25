import { describe, expect, it } from 'vitest';
import { parseUnits } from '../../../src/domain/money.ts';
import { venueTradeId } from '../../../src/domain/order.ts';
import type { VenueTrade } from '../../../src/domain/trade.ts';
import { EngineWorld, FAST, WISH } from './engine-world.ts';

const SLOW_ALERT = { ...FAST, alertAfterMs: 600_000 };

const open = () => EngineWorld.answering({ settings: { reconciliation: SLOW_ALERT } }, 30_000).open();

/** Gives every trade so far another id, as the exchange might. */
function renumber(world: EngineWorld): void {
  for (const [place, trade] of world.venue.trades.entries())
    world.venue.trades[place] = { ...trade, id: venueTradeId(String(Number(trade.id) + 10_000)) };
}

const held = (world: EngineWorld): bigint | undefined => world.engine.instances[0]?.held('btc');

function isBookedOnce(world: EngineWorld): void {
  expect(world.fills()).toHaveLength(1);
  expect(world.engine.reconciler.break).toBeNull();
  expect(world.engine.closedReason()).toBeNull();
}

describe('a trade that comes under another id', () => {
  it('is booked once: its order is full', () => {
    const { world, id } = open();
    world.fill(id).advance(30_000);
    renumber(world);
    world.advance(120_000);
    expect(world.order()).toMatchObject({ state: 'filled', filled: parseUnits('1') });
    expect(world.eventsOf('fill')).toHaveLength(1);
    expect(held(world)).toBe(parseUnits('0.998'));
    isBookedOnce(world);
  });

  it('is booked once: its order is open, and has matched no more', () => {
    const { world, id } = open();
    world.fill(id, '0.4').advance(30_000);
    renumber(world);
    world.advance(120_000);
    expect(world.order()).toMatchObject({ state: 'open', filled: parseUnits('0.4') });
    expect(world.fills()).toHaveLength(1);
    world.fill(id).advance(60_000);
    expect(world.order()).toMatchObject({ state: 'filled' });
    expect(world.fills()).toHaveLength(2);
    expect(world.engine.reconciler.break).toBeNull();
  });

  it('is booked once over restarts, and long after its order has ended', () => {
    const { world, id } = open();
    world.venue.fill(id, '0.4');
    world.fill(id, '0.6').advance(3_600_000);
    world.restart().advance(60_000);
    renumber(world);
    world.advance(120_000);
    world.restart().advance(120_000);
    expect(world.fills()).toHaveLength(2);
    expect(held(world)).toBe(parseUnits('0.998'));
    expect(world.engine.reconciler.break).toBeNull();
  });

  it.each([
    ['', (trade: VenueTrade) => trade],
    [', though readings show it without its time', (trade: VenueTrade) => ({ ...trade, timeMs: null })],
  ])('is booked once where it is somebody else’s%s', (_, shown) => {
    const { world } = open();
    world.fill(world.venue.placeByHand('buy', '2', '97').id, '0.5').advance(60_000);
    renumber(world);
    const { trades } = world.venue;
    const right = [...trades];
    for (let reading = 0; reading < 120; reading += 1) {
      trades.splice(0, trades.length, ...(reading % 2 === 0 ? right.map(shown) : right));
      world.advance(5_000);
    }
    isBookedOnce(world);
  });

  it('is booked once: it changes while the answer about its order is awaited', () => {
    const world = EngineWorld.answering({ settings: { reconciliation: SLOW_ALERT } }, 30_000).want(WISH);
    const order = world.venue.place(world.pending('place').call.order);
    world.fill(order.id).advance(10_100);
    renumber(world);
    world.advance(5_100);
    expect(world.fills()).toEqual([]);
    world.give('place', { ...order });
    world.advance(120_000);
    expect(held(world)).toBe(parseUnits('0.998'));
    isBookedOnce(world);
  });

  it('is a trade of its own where the order has room for it, though one like it is booked', () => {
    const { world, id } = open();
    world.venue.fill(id, '0.4');
    world.fill(id, '0.4').advance(120_000);
    expect(world.order()).toMatchObject({ filled: parseUnits('0.8') });
    expect(world.fills()).toHaveLength(2);
  });
});

describe('a trade beyond what its order matched', () => {
  it('is not booked, and breaks the books until a person accepts', () => {
    const { world, id } = open();
    world.venue.fill(id, '0.4');
    const order = world.venue.end(id);
    world.advance(60_000);
    const [trade] = world.venue.trades;
    if (trade === undefined) throw new Error('no trade');
    const other = { id: venueTradeId('20000'), price: parseUnits('97'), total: parseUnits('38.8') };
    world.venue.trades.push({ ...trade, ...other });
    world.advance(120_000);
    expect(order.matchedAmount).toBe(parseUnits('0.4'));
    expect(world.engine.status().isBroken).toBe(true);
    expect(world.fills()).toHaveLength(1);
    expect(held(world)).toBe(parseUnits('0.3992'));
    world.control({ kind: 'accept-balances' }).advance(120_000);
    expect(world.engine.status().isBroken).toBe(false);
    expect(world.engine.closedReason()).toBeNull();
    expect(world.fills()).toHaveLength(1);
  });

  it('that an older version booked twice is taken out of the position when a person accepts', () => {
    const { world, id } = open();
    world.fill(id).advance(60_000);
    const [fill] = world.fills();
    const [instance] = world.engine.instances;
    if (fill === undefined || instance === undefined) throw new Error('no fill');
    const twin = { ...fill, tradeId: venueTradeId('20000'), cursor: 20_000 };
    instance.applyFill(twin, { leastAmount: null, priceOf: () => null });
    world.engine.reconciler.breakAtFill(twin, world.order());
    world.mirror.apply([{ kind: 'fill', fill: twin }], true);
    world.advance(10_000);
    expect(held(world)).toBe(parseUnits('1.996'));
    world.restart().advance(10_000);
    expect(held(world)).toBe(parseUnits('1.996'));
    world.control({ kind: 'accept-balances' }).advance(60_000);
    expect(held(world)).toBe(parseUnits('0.998'));
    expect(world.engine.instances[0]).toMatchObject({ fills: 1 });
    expect(world.fills()).toEqual([fill]);
    world.restart().advance(10_000);
    expect(held(world)).toBe(parseUnits('0.998'));
    expect(world.engine.closedReason()).toBeNull();
  });
});
