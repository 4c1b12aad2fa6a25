import { describe, expect, it } from 'vitest';
import { buy, sell } from '../../support/intents.ts';
import { EngineWorld, PAIR, WITH_COINS } from './engine-world.ts';
import { withoutFields } from './wrong-once.ts';
import type { VenueOrderId } from '../../../src/domain/order.ts';
import { orderIdOf, tradeIdOf } from '../../../src/venues/read-records.ts';

const wish = (price: string) => buy('BTCUSDT', { amount: '1', price });

/** Makes a world, and a copy of its mirror with one order in it that has filled in part. */
function copied(): {
  readonly world: EngineWorld;
  readonly id: VenueOrderId | null;
  readonly copy: ReturnType<EngineWorld['mirror']['copy']>;
} {
  const { world, id } = EngineWorld.answering(WITH_COINS).open(wish('98'));
  world.fill(id, '0.2').advance(10_000);
  return { world, id, copy: world.mirror.copy() };
}

/** Puts a copy of the mirror in the place of the present one, and starts the engine on it. */
function putBack(world: EngineWorld, copy: Parameters<EngineWorld['mirror']['putBack']>[0], epoch = 'e002') {
  world.mirror.putBack(copy, epoch);
  return world.restart();
}

/** Places an order, and returns it as the exchange has it. */
const placed = (world: EngineWorld, price: string) => world.want(wish(price)).accept();

const position = (world: EngineWorld): string => {
  const bought = world.fills().filter(({ strategy }) => strategy === 'one');
  return String(
    bought.reduce((sum, { amount, side }) => sum + (side === 'buy' ? BigInt(amount) : -BigInt(amount)), 0n),
  );
};

describe('a mirror that was put back from a copy', () => {
  it('takes over the orders that were placed since, open and ended, with their fills, each once', () => {
    const { world, id, copy } = copied();
    world.venue.fill(id, '0.1');
    const ended = placed(world, '97');
    world.venue.fill(ended.id);
    const live = placed(world, '96');
    world.fill(live.id, '0.5').advance(20_000);
    const before = position(world);
    const foreign = world.venue.placeByHand('buy', '1', '95');
    world.venue.fill(foreign.id);
    putBack(world, copy).advance(30_000);
    expect(world.order(ended.clientOrderId ?? '')).toMatchObject({
      state: 'filled',
      strategy: 'one',
      filled: 10_000_000_000n,
    });
    expect(world.order(live.clientOrderId ?? '')).toMatchObject({
      state: 'cancelling',
      venueId: live.id,
      filled: 5_000_000_000n,
    });
    expect(position(world)).toBe(before);
    expect(world.fills().filter(({ orderKey }) => orderKey === null)).toHaveLength(1);
    expect(world.fills()).toHaveLength(5);
    expect(world.messages('warning').join()).toMatch(/restored from a copy/);
    world.restart().advance(30_000);
    expect(position(world)).toBe(before);
  });

  it('that is an hour old has all orders and fills of the hour again, and none is placed twice', () => {
    const { world, copy } = copied();
    const since: string[] = [];
    for (let tenMinutes = 0; tenMinutes < 6; tenMinutes += 1) {
      const { id, clientOrderId } = placed(world, String(97 - tenMinutes));
      since.push(clientOrderId ?? '');
      if (tenMinutes % 3 === 0) world.venue.fill(id);
      if (tenMinutes % 3 === 1) world.venue.fill(id, '0.4');
      if (tenMinutes % 3 === 2) world.venue.end(id);
      world.advance(600_000);
    }
    const before = position(world);
    const states = since.map((key) => world.order(key).state);
    const { length } = world.venue.orders;
    putBack(world, copy).advance(180_000);
    const ending = states.map((state) => (state === 'open' ? 'cancelling' : state));
    expect(since.map((key) => world.order(key).state)).toEqual(ending);
    expect(new Set(states)).toEqual(new Set(['filled', 'open', 'cancelled']));
    expect(position(world)).toBe(before);
    expect(world.venue.orders).toHaveLength(length);
    expect(world.engine.reconciler.break).toBeNull();
    expect(since).not.toContain(placed(world, '90').clientOrderId);
  });

  it('begins its books anew, since what was paid in and out meanwhile is not known any more', () => {
    const { world, copy } = copied();
    world.venue.deposit('usdt', '1000');
    world.deposit('btc', '-0.5').advance(60_000);
    putBack(world, copy);
    world.deposit('usdt', '3').advance(180_000);
    expect(world.engine.reconciler.break).toBeNull();
    expect(world.engine.status().conclusions).toBeGreaterThan(1);
    expect(world.engine.doubts()).toEqual([]);
  });

  it('lets strategies begin only when what was placed since is known', () => {
    const { world, copy } = copied();
    world.failing = { kind: 'orders', code: 'TIMED_OUT' };
    putBack(world, copy).advance(20_000);
    expect(world.engine.status().phase).toBe('syncing');
    world.failing = null;
    world.advance(20_000);
    expect(world.engine.status().phase).toBe('trading');
  });

  it('keeps what protects a position, and says that nobody steers it', () => {
    const { world, copy } = copied();
    world.want(PAIR);
    const [first] = world.acceptPair();
    const stop = world.want(sell('BTCUSDT', { amount: '1', stopPrice: '91' })).accept();
    world.advance(10_000);
    putBack(world, copy).advance(40_000);
    const key = first.clientOrderId ?? '';
    expect(
      [key, `${key}/2`, stop.clientOrderId ?? ''].map((name) => [name, world.order(name).state]),
    ).toEqual([
      [key, 'open'],
      [`${key}/2`, 'open'],
      [stop.clientOrderId, 'open'],
    ]);
    expect(world.requestsOf('cancel')).toEqual([]);
    expect(world.alarms().filter((message) => message.includes('protects a position'))).toHaveLength(2);
    expect(world.engine.status().phase).toBe('trading');
  });

  it('takes over both legs of a pair', () => {
    const { world, copy } = copied();
    world.want(PAIR);
    const [first, second] = world.acceptPair();
    world.fill(second.id).advance(10_000);
    putBack(world, copy).advance(40_000);
    const key = first.clientOrderId ?? '';
    expect(world.order(key)).toMatchObject({ state: 'cancelled', pairKey: `${key}/2` });
    expect(world.order(`${key}/2`)).toMatchObject({ state: 'filled', filled: 10_000_000_000n });
  });

  it('counts no fill again when it is put back a second time', () => {
    const { world, id, copy } = copied();
    const ended = placed(world, '97');
    world.venue.fill(ended.id);
    world.fill(id, '0.1').advance(10_000);
    const before = position(world);
    for (const epoch of ['e002', 'e003']) {
      putBack(world, copy, epoch).advance(30_000);
      expect(position(world)).toBe(before);
    }
  });

  it('takes over an ended order, pairs too, of which many readings do not say in which market it was', () => {
    const { world, copy } = copied();
    const ended = placed(world, '97');
    world.venue.fill(ended.id);
    world.want(PAIR);
    const [first, second] = world.acceptPair();
    world.fill(second.id).advance(10_000);
    const before = position(world);
    withoutFields(world, 60, { market: null, execution: null });
    putBack(world, copy).advance(90_000);
    expect(world.order(ended.clientOrderId ?? '')).toMatchObject({
      state: 'filled',
      filled: 10_000_000_000n,
    });
    expect(world.order(`${first.clientOrderId ?? ''}/2`)).toMatchObject({
      state: 'filled',
      filled: 10_000_000_000n,
    });
    expect(position(world)).toBe(before);
    expect(world.fills().filter(({ orderKey }) => orderKey === null)).toEqual([]);
  });

  it('looks for all of them after a restart too, though a later one was taken over before it', () => {
    const { world, copy } = copied();
    const lower = placed(world, '97');
    world.venue.end(lower.id);
    const higher = placed(world, '96');
    world.advance(10_000);
    withoutFields(world, 60, { market: null });
    putBack(world, copy).advance(100);
    expect(world.engine.orderManager.takeover.isInProgress).toBe(true);
    world.engine.orderManager.reports.apply(higher, { askedId: higher.id! });
    world.advance(100);
    expect(world.order(higher.clientOrderId ?? '').venueId).toBe(higher.id);
    world.restart().advance(30_000);
    expect(world.order(lower.clientOrderId ?? '')).toMatchObject({ state: 'cancelled', venueId: lower.id });
  });

  it('takes over the second leg of a pair too where no more questions may be under way', () => {
    const { world, copy } = copied();
    const others = Array.from({ length: 40 }, (_, index) =>
      world.venue.placeByHand('buy', '1', '50', `x-${index}`),
    );
    world.want(PAIR);
    const legs = world.acceptPair();
    world.fill(legs[1].id).advance(10_000);
    const before = position(world);
    // The list still shows the first leg as open, although it has ended.
    Object.assign(world.venue.orders.at(-2) ?? {}, { status: 'Active' });
    // The copy has a later order, so no order before that one is searched for.
    const later = copy.fills.map((fill) => ({
      ...fill,
      tradeId: tradeIdOf(1),
      cursor: 1,
      venueOrderId: orderIdOf(100_000),
      orderKey: null,
      strategy: null,
    }));
    world.answers.delete('order');
    putBack(world, { ...copy, fills: [...copy.fills, ...later] });
    const { reports } = world.engine.orderManager;
    for (const { id } of others) reports.inquiries.ask(id, 'BTCUSDT');
    const readTwice = (): void => {
      for (let readings = 0; readings < 2; readings += 1) {
        for (const leg of world.venue.orders.slice(-2)) world.engine.orderManager.reports.apply(leg);
        world.advance(1_000);
      }
    };
    readTwice();
    expect(reports.isForeign(legs[1].id!)).toBe(false);
    world.answers.add('order');
    while (world.waitingKinds().includes('order')) world.unsend('order');
    readTwice();
    readTwice();
    world.advance(60_000);
    expect(world.order(`${legs[0].clientOrderId ?? ''}/2`)).toMatchObject({
      state: 'filled',
      filled: 10_000_000_000n,
    });
    expect(position(world)).toBe(before);
  });

  it('is not taken for one where the mirror only goes on', () => {
    const { world } = copied();
    world.restart().advance(10_000);
    expect(world.messages('warning').join()).not.toMatch(/put back/);
    expect(world.made.filter(({ dedupe }) => dedupe === 'take over')).toEqual([]);
  });
});
