import { describe, expect, it } from 'vitest';
import type { Intent } from '../../../src/strategy/intents.ts';
import { buy } from '../../support/intents.ts';
import { createMarket } from '../../../src/domain/market.ts';
import { EngineWorld, FAST, FEEDS, MARKET, WISH } from './engine-world.ts';
import { formatUnits } from '../../../src/domain/money.ts';
import { INTERFACE_PROFILE } from '../../../src/venues/interface-profile.ts';
import { withoutNewestLine } from './wrong-once.ts';
import { parseMarket } from '../../../src/exchange/market-names.ts';

/** Feeds of a start without strategies, which polls no market. */
const ACCOUNT_FEEDS = FEEDS.filter(({ kind }) => kind !== 'book');

/** Makes a world whose books have begun. */
function begun(): EngineWorld {
  const world = EngineWorld.answering({ settings: { reconciliation: FAST } }, 30_000);
  expect(world.engine.status().conclusions).toBeGreaterThan(0);
  return world;
}

/** Has the strategy place an order every two seconds for a time, and answers it. */
function busy(world: EngineWorld, forMs: number): void {
  for (let at = 0; at < forMs; at += 2_000) {
    const wish: Intent = buy('BTCUSDT', { amount: '0.1', price: `98.${String(at / 2_000 + 10)}` });
    world.want(wish);
    if (world.waitingKinds().includes('place')) world.fillNext();
    world.advance(2_000 - (world.nowMs % 2_000));
  }
}

describe('reconciliation', () => {
  it('says nothing while the books agree, over trades of its own', () => {
    const world = begun().want(WISH);
    world.fillNext();
    const before = world.engine.status().conclusions;
    world.advance(60_000);
    expect(world.engine.status().conclusions).toBeGreaterThan(before + 3);
    expect(world.engine.reconciler.break).toBeNull();
    expect(world.alarms()).toEqual([]);
  });

  it('goes on where a lowered limit lets the trades be read once a minute', () => {
    const world = begun();
    const before = world.engine.status().conclusions;
    world.answers.delete('trades');
    for (let minute = 0; minute < 9; minute += 1) {
      world.advance(65_000);
      if (world.waitingKinds().includes('trades'))
        world.give('trades', world.venue.read(world.pending('trades').call));
    }
    expect(world.engine.status().conclusions).toBeGreaterThan(before);
  });

  it('takes in what somebody else trades, pays in and takes out', () => {
    const world = begun();
    world.venue.fill(world.venue.placeByHand('sell', '2', '99').id);
    world.venue.deposit('usdt', '1000');
    world.deposit('btc', '-0.5').advance(60_000);
    world.deposit('usdt', '3').advance(60_000);
    expect(world.engine.reconciler.break).toBeNull();
    expect(world.alarms()).toEqual([]);
  });

  it('reads the balances anew when asked to compare, whatever comparison has begun', () => {
    const world = begun();
    world.answers.delete('trades');
    // The comparison has read the balances, and waits for the trades after them.
    const readings = (): number => world.requestsOf('wallets').length;
    const first = readings();
    while (readings() === first) {
      world.advance(1_000);
      if (world.waitingKinds().includes('trades')) world.give('trades', { items: [], hasNext: false });
    }
    world.advance(1_000);
    const { conclusions } = world.engine.status();
    const askedAtMs = world.nowMs;
    world.control({ kind: 'compare-balances' });
    world.answers.add('trades');
    if (world.waitingKinds().includes('trades')) world.give('trades', { items: [], hasNext: false });
    while (world.engine.status().conclusions === conclusions) world.advance(10);
    expect(world.engine.balancesAsOfMs()).toBeGreaterThanOrEqual(askedAtMs);
    expect(world.nowMs - askedAtMs).toBeLessThan(5_000);
  });

  it('takes in what was paid in while nobody looked', () => {
    const world = begun();
    world.mirror.flush();
    world.nowMs += 3_600_000;
    world.venue.nowMs = world.nowMs;
    world.venue.deposit('usdt', '1000');
    world.venue.fill(world.venue.placeByHand('sell', '2', '99').id);
    world.restart().advance(120_000);
    expect(world.engine.reconciler.break).toBeNull();
  });

  it.each([false, true])(
    'counts a trade once that its first reading held and the list of trades did not: restarted %s',
    (isRestarted) => {
      const world = new EngineWorld({ settings: { reconciliation: FAST } });
      world.answers.add('order');
      const { id } = world.venue.fill(world.venue.placeByHand('sell', '2', '99').id);
      world.venue.hidden.add(id);
      world.advance(12_000);
      expect(world.engine.status().conclusions).toBeGreaterThan(0);
      if (isRestarted) world.restart();
      world.venue.hidden.clear();
      world.advance(90_000);
      expect(world.fills()).toHaveLength(1);
      expect(world.engine.reconciler.break).toBeNull();
      expect(world.alarms()).toEqual([]);
    },
  );

  it('stops new orders after two readings that differ in the same way, further apart than lists lag', () => {
    const world = begun();
    world.venue.steal('usdt', '1');
    const stolenAtMs = world.nowMs;
    while (!world.engine.status().isBroken) {
      world.advance(1_000);
      expect(world.nowMs - stolenAtMs).toBeLessThan(60_000);
    }
    expect(world.nowMs - stolenAtMs).toBeGreaterThan(20_000);
    expect(world.engine.reconciler.break?.rows).toEqual([
      { currency: 'usdt', expected: '100000', found: '99999' },
    ]);
    expect(world.alarms()).toEqual([expect.stringMatching(/expected 100000 usdt, the exchange has 99999/)]);
    world.want(WISH);
    expect(world.eventsOf('reject')).toMatchObject([{ code: 'closed' }]);
    world.advance(120_000);
    expect(world.alarms()).toHaveLength(1);
  });

  it('breaks for no difference whose history could not be read, and tells so', () => {
    const world = begun();
    world.failing = { kind: 'transactions', code: 'SERVER_ERROR' };
    world.deposit('btc', '0.5').advance(150_000);
    expect(world.engine.reconciler.break).toBeNull();
    expect(world.alarms()).toEqual([expect.stringMatching(/could not be compared/)]);
    world.failing = null;
    world.advance(60_000);
    expect(world.engine.reconciler.break).toBeNull();
    world.venue.steal('btc', '0.1');
    world.advance(60_000);
    expect(world.engine.reconciler.break?.rows).toMatchObject([{ currency: 'btc' }]);
  });

  it('breaks for no deposit that one old reading of the history lacks', () => {
    const world = begun();
    world.failing = { kind: 'transactions', code: 'SERVER_ERROR' };
    world.deposit('usdt', '1000').advance(45_000);
    withoutNewestLine(world, 1);
    world.failing = null;
    world.advance(60_000);
    expect(world.engine.reconciler.break).toBeNull();
    expect(world.engine.status().isBroken).toBe(false);
  });

  it('breaks for no difference whose reason may be among lines that it passed over, and tells so', () => {
    const world = begun();
    world.failing = { kind: 'transactions', code: 'SERVER_ERROR' };
    world.venue.deposit('usdt', '1000');
    for (let count = 0; count < 210; count += 1) world.venue.deposit('usdt', '2');
    world.advance(60_000);
    world.failing = null;
    world.advance(200_000);
    expect(world.engine.reconciler.break).toBeNull();
    const message = expect.stringMatching(/the history of the wallet of usdt has more new lines/);
    expect(world.notices).toContainEqual(expect.objectContaining({ level: 'warning', message }));
    expect(world.alarms()).toEqual([expect.stringMatching(/usdt differs, and more came in its wallet/)]);
    world.venue.steal('btc', '0.1');
    world.advance(60_000);
    expect(world.engine.reconciler.break?.rows).toMatchObject([{ currency: 'btc' }]);
    world.control({ kind: 'accept-balances' }).advance(60_000);
    world.venue.steal('usdt', '1');
    world.advance(700_000);
    expect(world.engine.reconciler.break?.rows).toMatchObject([{ currency: 'usdt' }]);
  });

  it('finds a difference while trades go on', () => {
    const world = begun();
    world.venue.steal('usdt', '1');
    busy(world, 60_000);
    expect(world.engine.status().isBroken).toBe(true);
  });

  it('forgets a difference that goes away', () => {
    const world = begun();
    world.venue.steal('usdt', '1');
    world.advance(14_000);
    world.venue.steal('usdt', '-1');
    world.advance(60_000);
    expect(world.engine.reconciler.break).toBeNull();
  });

  it('keeps a break over a restart, and cancels nothing for it', () => {
    const world = begun().want(WISH);
    world.accept();
    world.venue.steal('btc', '1');
    world.advance(60_000);
    world.restart().advance(60_000);
    expect(world.engine.status()).toMatchObject({ isBroken: true, liveOrders: 1 });
    expect(world.requestsOf('cancel')).toEqual([]);
  });

  it('goes on from what the exchange says once a person has looked', () => {
    const world = begun();
    world.venue.steal('usdt', '1');
    world.advance(60_000);
    expect(world.engine.status().isBroken).toBe(true);
    world.control({ kind: 'accept-balances' });
    world.want(WISH);
    expect(world.waitingKinds()).toEqual(['place']);
    world.fillNext().advance(120_000);
    expect(world.engine.status().isBroken).toBe(false);
    world.venue.steal('usdt', '1');
    world.advance(60_000);
    expect(world.engine.status().isBroken).toBe(true);
  });

  it('tells when nothing could be compared for long', () => {
    const world = begun().want(WISH);
    world.fail('place');
    world.failing = { kind: 'orders', code: 'TIMED_OUT' };
    world.advance(150_000);
    expect(world.alarms()).toEqual([
      expect.stringMatching(/could not be compared with the exchange for 2 minutes/),
    ]);
    world.failing = null;
    world.advance(300_000);
    expect(world.alarms()).toHaveLength(1);
  });

  it('says nothing while the answer for an order is missing, which may have traded', () => {
    const world = begun().want(WISH);
    world.venue.fill(world.venue.place(world.pending('place').call.order).id);
    const before = world.engine.status().conclusions;
    world.advance(100_000);
    expect(world.engine.status().conclusions).toBe(before);
    world.give('place', { ...world.venue.orders[0] }).advance(60_000);
    expect(world.order().state).toBe('filled');
    expect(world.engine.status().conclusions).toBeGreaterThan(before);
    expect(world.engine.reconciler.break).toBeNull();
  });

  it('says nothing on a reading between two trades', () => {
    const world = begun();
    for (let count = 0; count < 60; count += 1) {
      world.venue.fill(world.venue.placeByHand('sell', '0.01', '99').id);
      world.advance(1_000 + count);
    }
    expect(world.engine.reconciler.break).toBeNull();
  });

  it('counts what was paid in between the first reading and the beginning of the books, whenever its line is read', () => {
    for (let laterMs = 0; laterMs < 400; laterMs += 10) {
      const world = begun();
      world.advance(laterMs);
      world.control({ kind: 'accept-balances' }).advance(105);
      world.deposit('usdt', '7').advance(60_000);
      expect([laterMs, world.engine.status().isBroken]).toEqual([laterMs, false]);
    }
  });

  it('compares every wallet of its books after a start without markets, as an offline halt is', () => {
    const world = begun();
    world.restart({
      options: { strategies: [], feeds: ACCOUNT_FEEDS, settings: { markets: [], reconciliation: FAST } },
    });
    const before = world.engine.status().conclusions;
    world.advance(60_000);
    expect(world.engine.status().conclusions).toBeGreaterThan(before);
    expect(world.engine.reconciler.break).toBeNull();
    world.venue.steal('usdt', '1');
    world.advance(90_000);
    expect(world.engine.reconciler.break?.rows).toMatchObject([{ currency: 'usdt', found: '99999' }]);
  });

  it('takes no wallet that it does not follow for empty when somebody trades in another market', () => {
    const world = begun();
    world.venue.fill(world.venue.placeByHand('buy', '2', '99', null, 'eth').id);
    world.advance(90_000);
    expect(world.alarms()).toEqual([]);
    expect(world.engine.reconciler.break).toBeNull();
  });

  it('follows a wallet from its own reading on when a market is added that the account has coins of', () => {
    const world = begun();
    world.venue.deposit('eth', '5');
    const markets = [
      MARKET,
      createMarket({
        market: parseMarket('ETHUSDT'),
        priceStep: '0.01',
        amountStep: '0.001',
        minOrderValue: '5',
      }),
    ];
    world.restart({ options: { settings: { markets, reconciliation: FAST } } }).advance(90_000);
    expect(world.alarms()).toEqual([]);
    world.venue.steal('eth', '1');
    world.advance(90_000);
    expect(world.engine.reconciler.break?.rows).toMatchObject([
      { currency: 'eth', expected: '5', found: '4' },
    ]);
  });
});

describe('reconciliation without a history of the wallets', () => {
  const { ownLists } = INTERFACE_PROFILE;
  const venue = { ...INTERFACE_PROFILE, ownLists: { ...ownLists, transactions: null } };
  const feeds = FEEDS.filter(({ kind }) => kind !== 'transactions');
  const begunWithout = (): EngineWorld => {
    const world = EngineWorld.answering({ settings: { reconciliation: FAST, venue }, feeds }, 30_000);
    expect(world.engine.status().conclusions).toBeGreaterThan(0);
    return world;
  };

  it('asks for none, and agrees over trades of its own', () => {
    const world = begunWithout().want(WISH);
    world.fillNext();
    const before = world.engine.status().conclusions;
    world.advance(60_000);
    expect(world.engine.status().conclusions).toBeGreaterThan(before + 3);
    expect(world.requestsOf('transactions')).toEqual([]);
    expect(world.mirror.lines).toEqual([]);
  });

  it('takes what is paid in or taken out as that, says so once, and keeps it over a restart', () => {
    const world = begunWithout();
    world.venue.steal('usdt', '-1000');
    world.advance(90_000);
    world.venue.steal('btc', '0.5');
    world.venue.steal('usdt', '1');
    world.advance(90_000);
    world.restart().advance(90_000);
    expect(world.engine.reconciler.break).toBeNull();
    const lines = world.mirror.lines.map(({ currency, amount }) => `${currency} ${formatUnits(amount)}`);
    expect(lines.toSorted()).toEqual(['btc -0.5', 'usdt -1', 'usdt 1000']);
    expect(world.messages('warning').filter((text) => text.includes('deposit or a withdrawal'))).toHaveLength(
      3,
    );
  });

  it('counts a trade once that is listed after the balances have shown it', () => {
    const world = begunWithout();
    const { id } = world.venue.fill(world.venue.placeByHand('sell', '2', '99').id);
    world.venue.hidden.add(id);
    world.advance(15_000);
    world.venue.hidden.clear();
    world.advance(90_000);
    expect(world.engine.reconciler.break).toBeNull();
    expect(world.mirror.lines).toEqual([]);
  });

  it('stops new orders where one balance is too high and another one too low, as after a trade it missed', () => {
    const world = begunWithout();
    world.venue.steal('usdt', '100');
    world.venue.steal('btc', '-1');
    world.advance(90_000);
    expect(world.engine.status().isBroken).toBe(true);
    expect(world.mirror.lines).toEqual([]);
  });
});
