import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { summarize, type StrategySummary, type Summary } from '../../src/daemon/run/screen.ts';
import { formatUnits } from '../../src/domain/money.ts';
import { MirrorReader } from '../../src/mirror/mirror-reader.ts';
import { readSessionRows } from '../../src/mirror/read-session-rows.ts';
import { LIMITS } from '../contract/limits-table.ts';
import { mostInWindow } from '../process/most-in-window.ts';
import { deepRuns } from '../support/deep-runs.ts';
import { BotLife, createEmbeddedWorld, type EmbeddedWorld } from '../support/embedded-bot.ts';
import { orderIdOf } from '../../src/venues/read-records.ts';
import { type TradeOfOrder, takerSide, makerSide, type Trader } from '../../src/simulator/market-state.ts';
import { folderOfEachTest } from '../support/temporary-folder.ts';

const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;
const EVERYTHING = { strategy: null, market: null, last: 1_000_000 };

const folder = folderOfEachTest();
let path: string;

beforeEach(() => {
  path = join(folder, 'mirror.sqlite');
});

/** Compares the exchange's own log of requests with the limits that are typed by hand. */
function expectLimitsKept({ venue }: EmbeddedWorld): void {
  const { log } = venue.simulation.adapter;
  const requests = log.values();
  expect(requests).toHaveLength(log.count);
  expect(requests.filter(({ status }) => status === 403 || status === 429)).toEqual([]);
  const known = new Set(LIMITS.flatMap(({ endpoints }) => endpoints));
  expect(requests.filter(({ endpoint }) => endpoint === null || !known.has(endpoint))).toEqual([]);
  for (const { endpoints, limit, windowMs } of LIMITS) {
    const times = requests
      .filter(({ endpoint }) => endpoints.includes(endpoint ?? ''))
      .map(({ timeMs }) => timeMs);
    expect(mostInWindow(times, windowMs), endpoints.join(' ')).toBeLessThanOrEqual(limit);
  }
}

/** Sides of the trader's trades; a trade with itself has two. */
function sidesOf(trader: Trader): readonly TradeOfOrder[] {
  return trader.trades
    .values()
    .flatMap((trade) => [takerSide(trade), makerSide(trade)])
    .filter(({ order }) => order.trader === trader);
}

/** Compares every order, fill and balance of the mirror with the exchange's own tables. */
function expectMirrorAgrees({ venue, userId }: EmbeddedWorld): void {
  const { exchange } = venue.simulation;
  const trader = exchange.trading.trader(userId);
  using mirror = new MirrorReader(path);
  const accepted = mirror.orders({ ...EVERYTHING, state: 'all' }).filter(({ venueId }) => venueId !== null);
  expect(
    accepted
      .map(({ venueId, clientOrderId, market, side, amount, matched, filled, venueStatus }) => ({
        id: venueId,
        clientOrderId,
        market,
        side,
        amount: formatUnits(amount),
        matched: formatUnits(matched),
        filled: formatUnits(filled),
        status: venueStatus,
      }))
      .toSorted((left, right) => Number(left.id) - Number(right.id)),
  ).toEqual(
    trader.orders.values().map((order) => ({
      id: orderIdOf(order.id),
      clientOrderId: order.clientOrderId,
      market: order.grid.symbol,
      side: order.side,
      amount: formatUnits(BigInt(order.amount) * order.grid.amountStep),
      matched: formatUnits(BigInt(order.matched) * order.grid.amountStep),
      filled: formatUnits(BigInt(order.matched) * order.grid.amountStep),
      status: order.status,
    })),
  );

  const keys = new Map(accepted.map(({ venueId, key }) => [venueId, key]));
  expect(
    mirror
      .fills(EVERYTHING)
      .map(({ tradeId, orderKey, side, amount, total, fee }) =>
        [tradeId, orderKey, side, formatUnits(amount), formatUnits(total), formatUnits(fee)].join(' '),
      )
      .toSorted(),
  ).toEqual(
    sidesOf(trader)
      .map(({ trade, order, total, fee }) => {
        const amount = formatUnits(BigInt(trade.amount) * trade.grid.amountStep);
        return [
          trade.id,
          keys.get(orderIdOf(order.id)),
          order.side,
          amount,
          formatUnits(total),
          formatUnits(fee),
        ].join(' ');
      })
      .toSorted(),
  );

  expect(mirror.balances().map(({ currency, total, held }) => ({ currency, total, held }))).toEqual(
    exchange.accounts
      .walletsOf(userId)
      .map(({ currency, total, held }) => ({ currency, total, held }))
      .toSorted((left, right) => (left.currency < right.currency ? -1 : 1)),
  );
}

/** Compares the summary with the exchange's log of requests and its trades. */
function expectSummaryAgrees({ venue, userId }: EmbeddedWorld, summary: Summary): void {
  const { adapter, exchange } = venue.simulation;
  const seen = Map.groupBy(adapter.log.values(), ({ endpoint }) => endpoint ?? '');
  const reported = new Map(summary.endpoints.map((usage) => [usage.endpoint, usage]));
  expect([...reported.keys()].toSorted()).toEqual([...seen.keys()].toSorted());
  for (const [endpoint, requests] of seen) {
    expect(reported.get(endpoint)?.requests, endpoint).toBe(requests.length);
    expect(reported.get(endpoint)?.most, endpoint).toBeLessThanOrEqual(reported.get(endpoint)?.limit ?? 0);
  }
  const trader = exchange.trading.trader(userId);
  const sum = (of: (one: StrategySummary) => number): number =>
    summary.strategies.reduce((total, one) => total + of(one), 0);
  expect(sum((one) => one.orders)).toBe(trader.orders.values().length);
  expect(sum((one) => one.fills)).toBe(sidesOf(trader).length);
  expect(sum((one) => one.requests)).toBe(
    (seen.get('addOrder')?.length ?? 0) + (seen.get('updateOrderStatus')?.length ?? 0),
  );
  expect(summary.openOrders).toBe(0);
}

/** Hash of the journal of a short run. */
async function journalHash(seed: number, name: string): Promise<string> {
  const world = createEmbeddedWorld({ seed });
  const life = await BotLife.prepare(world, join(folder, name));
  const { bot } = life;
  bot.shell.start();
  await life.run(deepRuns(2, 1) * MINUTE_MS);
  await life.drain();
  const hash = life.mirror.journalHash();
  expect(bot.engine.instances.some(({ fills }) => fills > 0)).toBe(true);
  life.mirror.close();
  return hash;
}

describe('the whole bot on the embedded exchange', () => {
  test('trades by both strategies, keeps to every limit, and leaves books that agree with the exchange', async () => {
    const world = createEmbeddedWorld({ seed: 7, config: { 'drain.openOrders': 'cancel' } });
    const life = await BotLife.prepare(world, path);
    const { engine } = life.bot;
    life.bot.shell.start();
    await life.run(deepRuns(5, 4) * MINUTE_MS);
    await life.drain();
    life.mirror.close();

    const fills = new Map(engine.instances.map((instance) => [instance.name, instance.fills]));
    expect(fills.get('ma-cross')).toBeGreaterThan(0);
    expect(fills.get('market-maker')).toBeGreaterThan(10);
    expect(engine.instances.map(({ status }) => status)).toEqual(['running', 'running']);
    expect(life.lines.filter((line) => /ERROR|WARNING/.test(line))).toEqual([]);

    expect(world.venue.simulation.exchange.trading.trader(world.userId).open.size).toBe(0);
    expect(engine.status()).toMatchObject({ liveOrders: 0, unsettled: 0, isBroken: false });
    expectLimitsKept(world);
    expectMirrorAgrees(world);
    expectSummaryAgrees(world, summarize(engine, life.bot.counts));
  });

  test('goes on after a death amid its orders, and its books agree with the exchange all the same', async () => {
    const world = createEmbeddedWorld({ seed: 11, config: { 'drain.openOrders': 'cancel' } });
    const { orders, open } = world.venue.simulation.exchange.trading.trader(world.userId);
    const count = (): number => orders.values().length;
    const first = await BotLife.prepare(world, path);
    first.bot.shell.start();
    await first.run(deepRuns(2) * MINUTE_MS);
    const countBefore = count();
    first.loseReplies();
    for (let second = 0; second < 300 && count() === countBefore; second += 1) await first.run(SECOND_MS);
    await first.drop();
    const diedAtMs = world.time.now();
    // One of the orders that it left was never acknowledged to it.
    const atDeath = count();
    expect(atDeath).toBeGreaterThan(countBefore);
    expect(open.size).toBeGreaterThan(0);
    await world.time.run(world.time.now() + MINUTE_MS);
    expect(count()).toBe(atDeath);

    const second = await BotLife.prepare(world, path);
    expect(second.bot.engine.status().liveOrders).toBeGreaterThan(0);
    second.bot.shell.start();
    await second.run(deepRuns(3, 2) * MINUTE_MS);
    expect(second.bot.engine.status().phase).toBe('trading');
    await second.drain();
    second.mirror.close();
    const { starts } = readSessionRows(path, { fromMs: 0, toMs: world.time.now() });
    const { aliveUntilMs } = JSON.parse(starts[1]?.json ?? '{}') as { readonly aliveUntilMs?: number };
    expect(diedAtMs - (aliveUntilMs ?? 0)).toBeLessThan(10 * SECOND_MS);

    expect(count()).toBeGreaterThan(atDeath);
    expect(open.size).toBe(0);
    expect(second.bot.engine.status()).toMatchObject({ liveOrders: 0, unsettled: 0, isBroken: false });
    expectLimitsKept(world);
    expectMirrorAgrees(world);
  });

  test('does the same again with the same seed, and something else with another', async () => {
    const first = await journalHash(3, 'first.sqlite');
    expect(await journalHash(3, 'again.sqlite')).toBe(first);
    expect(await journalHash(4, 'other.sqlite')).not.toBe(first);
  });
});

test.each([
  ['max', 3_000],
  [0.5, 3_000],
  [1, 3_000],
  [30, 90_000],
])(
  'an order at the speed %s may wait %i ms of its time, in which a fast machine is not too slow',
  async (speed, waitMs) => {
    const strategies = [
      { plugin: join(process.cwd(), 'test/support/plugins/always-in.ts'), market: 'BTCIRT' },
    ];
    // The exchange stays in virtual time, so that no result depends on this machine.
    const world = createEmbeddedWorld({ seed: 3, config: { strategies, 'embedded.speed': speed } });
    const life = await BotLife.prepare(world, path);
    const { engine } = life.bot;
    const waits = new Set<number>();
    const step = engine.step.bind(engine);
    engine.step = (event) => {
      const output = step(event);
      for (const { requestClass, expiresAtMs } of output.requests)
        if (requestClass === 'place') waits.add(expiresAtMs - event.atMs);
      return output;
    };
    life.bot.shell.start();
    await life.run(10 * MINUTE_MS);
    expect([...waits]).toEqual([waitMs]);
    await life.drop();
  },
);
