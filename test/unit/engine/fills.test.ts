import { describe, expect, it } from 'vitest';
import { parseUnits } from '../../../src/domain/money.ts';
import { buy, sell } from '../../support/intents.ts';
import { EngineWorld, feedOf, FEEDS, WITH_COINS, type WorldOptions } from './engine-world.ts';

const WISH = buy('BTCUSDT', { amount: '1', price: '98', tag: 'first' });

const open = (options: WorldOptions = {}) => EngineWorld.answering(options).open(WISH);

/** Makes a world where a purchase trades with the account's own sale, after `earlier` small fills. */
function soldToOneself(earlier: number): EngineWorld {
  const { world, id } = open(WITH_COINS);
  world.want(sell('BTCUSDT', { amount: '1', price: '98.9' }));
  const other = world.accept().id;
  for (let count = 0; count < earlier; count += 1) world.venue.fill(id, '0.01');
  const trade = world.venue.fill(id, '0.2');
  world.venue.trades.push({ ...trade, orderId: other, side: 'sell' });
  Object.assign(world.venue.orderOf(other), {
    matchedAmount: trade.amount,
    unmatchedAmount: parseUnits('0.8'),
  });
  world.advance(5_100);
  return world;
}

describe('the fills of an order', () => {
  it('are taken in and reported, and the order ends with the last of them', () => {
    const { world, id } = open();
    world.fill(id, '0.4', '97.5').advance(5_100);
    expect(world.order()).toMatchObject({ state: 'open', filled: 4_000_000_000n, matched: 4_000_000_000n });
    expect(world.eventsOf('fill')).toMatchObject([
      { side: 'buy', price: 97.5, amount: 0.4, total: 39, fee: 0.0008, tag: 'first' },
    ]);
    world.fill(id).advance(10_100);
    expect(world.order()).toMatchObject({ state: 'filled', filled: 10_000_000_000n });
    expect(world.eventsOf('order').at(-1)).toMatchObject({ status: 'filled' });
    expect([...world.mirror.intents.values()]).toMatchObject([{ status: 'done', reason: 'filled' }]);
  });

  it('have their order asked for once a reading, where its own record does not settle them', () => {
    const { world, id } = open();
    world.fill(id, '0.4').advance(30_000);
    expect(world.order()).toMatchObject({ filled: 4_000_000_000n });
    const questions = world.made.filter(({ call }) => call.kind === 'order' && call.venueId === id);
    expect(questions).toHaveLength(1);
  });

  it('are each taken in once, over many pages and readings that overlap', () => {
    const { world, id } = open();
    for (let count = 0; count < 23; count += 1) world.venue.fill(id, '0.01');
    world.advance(5_100);
    expect(world.eventsOf('fill')).toHaveLength(23);
    for (let count = 0; count < 23; count += 1) world.venue.fill(id, '0.01');
    world.advance(30_100);
    expect(world.eventsOf('fill')).toHaveLength(46);
    expect(world.order()).toMatchObject({ filled: 4_600_000_000n, matched: 4_600_000_000n });
    expect(world.fills()).toHaveLength(46);
  });

  it('are found below the last id that was read, where ids come out of order', () => {
    const { world, id } = open();
    world.venue.hidden.add(world.venue.fill(id, '0.1').id);
    for (let count = 0; count < 15; count += 1) world.venue.fill(id, '0.01');
    world.advance(5_100);
    expect(world.eventsOf('fill')).toHaveLength(15);
    world.venue.hidden.clear();
    world.advance(5_000);
    expect(world.order()).toMatchObject({ filled: 2_500_000_000n });
  });

  it('keep a closed order settling until they add up, and have a turn among look-ups, which wait for them', () => {
    const { world, id } = open();
    world.venue.hidden.add(world.venue.fill(id, '0.3').id);
    world.end(id).advance(10_100);
    expect(world.order()).toMatchObject({ state: 'settling', matched: 3_000_000_000n, filled: 0n });
    expect(world.engine.leftBehind().unread).toBe(1);
    expect(world.engine.status().unsettled).toBe(1);
    world.failing = { kind: 'trades', code: 'TIMED_OUT' };
    const lookUps = world.requestsOf('order').length;
    world.advance(180_000);
    expect(world.requestsOf('order')).toHaveLength(lookUps);
    expect(world.requestsOf('trades').at(-1)?.requestClass).toBe('resolve');
    world.failing = null;
    world.advance(30_000);
    expect(world.requestsOf('order')[lookUps]).toMatchObject({ call: { venueId: id } });
    world.venue.hidden.clear();
    world.advance(12_000);
    expect(world.order()).toMatchObject({ state: 'cancelled', filled: 3_000_000_000n });
    expect(world.requestsOf('trades').at(-1)?.requestClass).toBe('account');
  });

  it('are read again from the order’s own beginning when they do not add up for long', () => {
    const { world, id } = open();
    world.venue.hidden.add(world.venue.fill(id, '0.3').id);
    for (let count = 0; count < 60; count += 1) world.venue.fill(id, '0.001');
    world.end(id).advance(10_100);
    expect(world.order()).toMatchObject({ state: 'settling', filled: 600_000_000n });
    world.venue.hidden.clear();
    world.advance(5_100);
    expect(world.order()).toMatchObject({ state: 'settling' });
    world.advance(40_000);
    expect(world.order()).toMatchObject({ state: 'cancelled', filled: 3_600_000_000n });
  });

  it('are asked for as soon as an order has matched more than was read', () => {
    const feeds = FEEDS.map((feed) => (feed.key === 'fills' ? feedOf('fills', 'trades', 600_000) : feed));
    const reconciliation = { everyMs: 600_000, lagMs: 600_000, alertAfterMs: 600_000 };
    const world = EngineWorld.ready({ feeds, settings: { reconciliation } }, 10_000).want(WISH);
    world.fillNext('0.4');
    const before = world.requestsOf('trades').length;
    // The first trade ever has no earlier one to be compared with, so the list is read twice.
    world.advance(6_400);
    expect(world.requestsOf('trades')).toHaveLength(before + 2);
    expect(world.order()).toMatchObject({ filled: 4_000_000_000n });
  });

  it.each([0, 4])(
    'of one trade with oneself are two, of one id, after %i on the page, which may end there',
    (earlier) => {
      const world = soldToOneself(earlier);
      const bought = 2_000_000_000n + 100_000_000n * BigInt(earlier);
      expect(world.orders().map(({ filled }) => filled)).toEqual([bought, 2_000_000_000n]);
      expect(world.eventsOf('fill')).toHaveLength(earlier + 2);
    },
  );

  it('of other people’s orders are theirs, and reported to nobody', () => {
    const { world } = open();
    const foreign = world.venue.placeByHand('buy', '2', '97');
    world.fill(foreign.id, '0.5').advance(5_100);
    expect(world.fills()).toMatchObject([{ orderKey: null, strategy: null, amount: 5_000_000_000n }]);
    expect(world.eventsOf('fill')).toEqual([]);
    expect(world.order()).toMatchObject({ filled: 0n });
  });

  it('are left out over restarts once a person has accepted the balances, where nothing had confirmed them', () => {
    const { world } = open();
    world.advance(10_000);
    const right = world.venue.fill(world.venue.placeByHand('buy', '2', '97').id, '0.5');
    const place = world.venue.trades.length - 1;
    for (let reading = 0; reading < 200; reading += 1) {
      world.venue.trades[place] = { ...right, timeMs: (right.timeMs ?? 0) - reading };
      world.advance(500);
    }
    world.control({ kind: 'accept-balances' }).advance(5_000);
    expect(world.alarms().join('\n')).toContain('was not confirmed: it is left out of the books');
    world.venue.trades[place] = right;
    world.advance(30_000);
    world.restart().advance(60_000);
    expect(world.fills()).toEqual([]);
    expect(world.engine.reconciler.break).toBeNull();
  });

  it('are not left out when a person accepts the balances before a second reading could confirm them', () => {
    const { world } = open();
    world.advance(10_000);
    world.venue.fill(world.venue.placeByHand('buy', '2', '97').id, '0.5');
    world.answers.delete('order');
    world.advance(5_000);
    world.failing = { kind: 'trades', code: 'TIMED_OUT' };
    world.advance(600_000);
    world.control({ kind: 'accept-balances' }).advance(5_000);
    world.failing = null;
    world.answers.add('order');
    world.advance(600_000);
    expect(world.fills()).toMatchObject([{ orderKey: null, amount: 5_000_000_000n }]);
    world.restart().advance(60_000);
    expect(world.fills()).toHaveLength(1);
    expect(world.engine.reconciler.break).toBeNull();
  });

  it('that can not be break the books: more than the order’s amount', () => {
    const { world, id } = open();
    world.fill(id).advance(10_100);
    expect(world.order().state).toBe('filled');
    world.venue.trades.push({ ...world.venue.fill(id, '0.001'), orderId: id });
    world.advance(10_100);
    expect(world.engine.status().isBroken).toBe(true);
    expect(world.alarms().join('\n')).toMatch(/the books do not agree/);
    expect(world.order()).toMatchObject({ state: 'filled', filled: 10_000_000_000n });
  });

  it('are taken in once over a restart that lost what was not on the disk', () => {
    const { world, id } = open();
    world.fill(id, '0.4').advance(5_100);
    world.restart({ losing: true }).advance(5_000);
    expect(world.order()).toMatchObject({ filled: 4_000_000_000n });
    expect(world.fills()).toHaveLength(1);
    world.restart().advance(15_000);
    expect(world.order()).toMatchObject({ filled: 4_000_000_000n });
    expect(world.eventsOf('fill')).toHaveLength(2);
  });
});

describe('a fill that comes while its strategy is not at work', () => {
  const feeds = FEEDS.filter(({ kind }) => kind !== 'book');
  const ABSENT = { strategies: [], feeds, settings: { markets: [] } };

  it('waits for the strategy, over restarts, and is counted and reported once', () => {
    const { world, id } = open();
    world.restart({ options: ABSENT });
    world.fill(id, '0.4').advance(6_000);
    world.restart({ options: ABSENT }).advance(6_000);
    expect(world.fills()).toHaveLength(1);
    world.restart();
    expect(world.engine.instances[0]?.held('btc')).toBe(3_992_000_000n);
    world.advance(2_000);
    expect(world.eventsOf('fill')).toMatchObject([{ amount: 0.4, tag: 'first' }]);
    world.restart().advance(2_000);
    expect(world.engine.instances[0]).toMatchObject({ fills: 1 });
    expect(world.eventsOf('fill')).toHaveLength(1);
  });
});
