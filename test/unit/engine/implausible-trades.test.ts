import { describe, expect, it } from 'vitest';
import { formatUnits } from '../../../src/domain/money.ts';
import { parseMarket } from '../../../src/exchange/market-names.ts';
import { buy } from '../../support/intents.ts';
import { EngineWorld, FAST, WISH } from './engine-world.ts';
import { fullOfOneTrade, wrongTrades, wrongWallets } from './wrong-once.ts';
import { tradeIssue } from '../../../src/engine/feeds/plausibility.ts';
import { INTERFACE_PROFILE } from '../../../src/venues/interface-profile.ts';
import { inEnglish } from '../../../src/language/sentence.ts';

const HUGE = 9_007_199_254_740_991;

const open = () => EngineWorld.answering({ settings: { reconciliation: FAST } }, 30_000).open();

describe('a trade that can not be right', () => {
  it.each([
    ['a total beyond all money', { total: '18000000000000000' }],
    ['a fee below nothing', { fee: '-0.001' }],
    ['a fee of nothing', { fee: '0' }],
    ['a tiny fee', { fee: '0.000000000000001' }],
    ['a fee larger than what was bought', { fee: '3' }],
    ['an amount that the total contradicts', { amount: '0.9' }],
    ['a price that the total contradicts', { price: '1' }],
    ['a price that the total contradicts a little', { price: '97.9' }],
    ['a huge id', { id: HUGE }],
    ['no order', { orderId: null }],
    ['an order that nobody has', { orderId: HUGE }],
    ['another side', { side: 'sell' }],
    ['another market', { market: null }],
    ['a time that has not come', { timeMs: 9_000_000_000_000 }],
  ])('does not enter the books, and enters them once when it is right: %s', (_, changed) => {
    const { world, id } = open();
    world.venue.fill(id, '0.4');
    wrongTrades(world, 1, changed);
    world.advance(80_000);
    expect(world.order()).toMatchObject({ state: 'open', filled: 4_000_000_000n, fee: 8_000_000n });
    expect(world.fills()).toHaveLength(1);
    const paid = { price: 980_000_000_000n, amount: 4_000_000_000n, total: 392_000_000_000n };
    expect(world.fills()[0]).toMatchObject({ orderKey: world.order().key, ...paid });
    expect(world.eventsOf('fill')).toHaveLength(1);
    const cursor = Number(world.mirror.copy().stored['cursor.trades'] ?? 1);
    expect(cursor).toBeLessThan(1_000);
    world.fill(id).advance(40_000);
    expect(world.order()).toMatchObject({ state: 'filled' });
    expect(world.engine.reconciler.break).toBeNull();
  });

  it.each([
    ['another market', { market: parseMarket('BTCIRT') }],
    ['another side', { side: 'sell', fee: '0.0784' }],
    ['a price beyond the limit', { price: '100', total: '40' }],
  ])('does not enter the books when its order is known only after it was read: %s', (_, changed) => {
    const { world, id: firstId } = open();
    world.fill(firstId).advance(30_000);
    world.venue.trades.length = 0;
    world.answers.delete('order');
    world.want(WISH);
    const { id } = world.venue.place(world.pending('place').call.order);
    world.venue.hidden.add(id);
    const trade = world.venue.fill(id, '0.4');
    wrongTrades(world, 1, { ...trade, ...changed });
    const asked = () => world.made.filter(({ call }) => call.kind === 'trades').length;
    // The second list is requested only after the first has been answered.
    for (const before = asked(); asked() < before + 2;) world.advance(10);
    world.venue.hidden.clear();
    world.give('place', { ...world.venue.orders.find((order) => order.id === id) });
    expect(world.order()).toMatchObject({ matched: 4_000_000_000n });
    world.answers.add('order');
    world.advance(80_000);
    expect(world.order()).toMatchObject({ state: 'open', filled: 4_000_000_000n, fee: 8_000_000n });
    expect(world.fills().at(-1)).toMatchObject({ market: 'BTCUSDT', side: 'buy', total: 392_000_000_000n });
    expect(world.engine.reconciler.break).toBeNull();
  });

  it('has no price that its total contradicts, but for a total of whole units', () => {
    const { world, id } = open();
    const { price, total, ...trade } = world.venue.fill(id, '0.4');
    const issueOf = (changed: object) =>
      tradeIssue({ ...trade, price, total, ...changed }, { trades: INTERFACE_PROFILE.ownLists.trades }, 9e12);
    const near = (price * 999n) / 1_000n;
    expect([issueOf({}), issueOf({ price: near })]).toMatchObject([null, { field: 'total' }]);
    expect(issueOf({ price: near, total: 390_000_000_000n })).toBeNull();
  });

  it('is no page of one that is said to be full: nothing above it is asked for, and it enters once', () => {
    const { world, id } = open();
    const { id: tradeId } = world.venue.fill(id, '0.4');
    fullOfOneTrade(world, 3);
    world.advance(40_000);
    expect(world.order()).toMatchObject({ state: 'open', filled: 4_000_000_000n });
    const asked = world.made.map(({ call }) => (call.kind === 'trades' ? call.from : 0));
    expect(Math.max(...asked)).toBeLessThanOrEqual(Number(tradeId));
  });

  it('of somebody else is left out for good where reading after reading says the same, and the rest goes on', () => {
    const { world, id } = open();
    const foreign = world.venue.placeByHand('sell', '1', '99');
    const trade = world.venue.fill(foreign.id, '0.1');
    wrongTrades(world, 50, { total: '18000000000000000' });
    world.advance(40_000);
    expect(world.alarms().join()).toMatch(new RegExp(`trade ${trade.id} is not ours and can not be right`));
    world.fill(id, '0.4').advance(20_000);
    expect(world.order()).toMatchObject({ filled: 4_000_000_000n });
  });
});

it.each([
  ['more decimals than the books hold', { total: '10.00000000001' }],
  ['less than nothing', { total: '-1' }],
  ['more held than there is', { held: '1000000' }],
])('a wallet that can not be right stays as it was, is reported, and is read again: %s', (_, changed) => {
  const { world } = open();
  wrongWallets(world, 2, changed);
  world.advance(60_000);
  expect(world.messages('warning').join()).toMatch(/^wallet (?:usdt|btc): /);
  const totals = world.engine.account.readings.map(({ currency, total }) => [currency, formatUnits(total)]);
  expect(Object.fromEntries(totals)).toMatchObject({ usdt: '100000', btc: '10' });
  expect(world.engine.reconciler.break).toBeNull();
  expect(world.engine.doubts()).toEqual([]);
});

describe('books that can not be compared', () => {
  it('stop new orders after a while, name the order that is in the way, and let them go on when it is not', () => {
    const { world, id } = open();
    const { key } = world.order();
    const trade = world.venue.fill(id, '0.3');
    world.venue.hidden.add(trade.id);
    world.end(id).advance(100_000);
    expect(world.engine.doubts()).toEqual([]);
    world.advance(40_000);
    expect(inEnglish(world.engine.doubts())).toEqual([
      expect.stringMatching(
        new RegExp(
          `could not be compared .* minutes: ${key} is closed with 0.3 matched, and of its trades 0 were read`,
        ),
      ),
    ]);
    world.want(buy('BTCUSDT', { amount: '2', price: '97' }));
    expect(world.eventsOf('reject')).toMatchObject([
      { code: 'closed', reason: expect.stringContaining(key) },
    ]);
    expect(world.alarms().join()).toMatch(/no new orders are placed/);
    expect(JSON.parse(world.mirror.copy().stored['reconciliation'] ?? '{}')).toMatchObject({
      blockedBy: expect.stringContaining(key),
    });
    world.venue.hidden.clear();
    world.advance(60_000);
    expect(world.engine.doubts()).toEqual([]);
    world.want(buy('BTCUSDT', { amount: '2', price: '96' }));
    expect(world.waitingKinds()).toContain('place');
  });
});
