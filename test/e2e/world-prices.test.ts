import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { ControlCommand } from '../../src/engine/engine-event.ts';
import { createBot } from '../../src/daemon/run/create-bot.ts';
import { createScreen } from '../../src/daemon/run/screen.ts';
import { loadInstances } from '../../src/daemon/load-instances.ts';
import { OTHER_FAULTS, OtherExchange } from '../../src/fuzz/other-exchange.ts';
import { Recording } from '../../src/daemon/run/recording.ts';
import { runPollBacktest } from '../../src/backtest/poll-backtest.ts';
import { catalogueRecordings } from '../../src/backtest/recordings.ts';
import { openCatalogue } from '../../src/daemon/open-catalogue.ts';
import { MirrorStore } from '../../src/mirror/mirror-store.ts';
import { withOtherVenues } from '../../src/venues/other-venues.ts';
import { createEmbeddedWorld } from '../support/embedded-bot.ts';
import { defineStrategy } from '../../src/strategy/sdk.ts';
import { instanceOf, runnerOn } from '../support/runner-on.ts';
import { folderOfEachTest } from '../support/temporary-folder.ts';

const folder = folderOfEachTest();

/** Longest age that the market maker accepts, in ms. */
const LONGEST_AGE_MS = 10_000;

/** Time until all orders of a late price are gone: its own book is read every 2 s, then come the cancels. */
const GONE_AFTER_MS = LONGEST_AGE_MS + 6_000;

/** A strategy that reads the price of the world, and orders whether it is there or not. */
const CARELESS = defineStrategy({
  name: 'careless',
  data: ({ market, venue }) => ({
    price: market.ticker({ everyMs: 4_000 }),
    world: venue('world').book('BTCUSDT', { maxAgeMs: 15_000 }),
  }),
  on: {
    price: ({ cancelAll, buy }, { bid }) => {
      cancelAll();
      buy({ amount: 0.001, price: bid * 0.99 });
    },
  },
});

/** Starts a bot on two exchanges: a maker that quotes around the other's price, and one without it. */
async function start(other: {
  readonly price: string;
  readonly market?: string;
  readonly careless?: true;
  readonly maxAgeMs?: number;
  readonly spreadBps?: number;
}) {
  const { price, market = 'BTCUSDT', careless = false, maxAgeMs = null, spreadBps = 20 } = other;
  const maker = {
    plugin: resolve('strategies/market-maker.ts'),
    name: 'maker',
    market,
    params: { spreadBps, world: { venue: 'world', symbol: 'BTCUSDT' } },
    inventory: { btc: '0.5' },
  };
  const own = { ...maker, name: 'own', params: { spreadBps: 20 } };
  const balances = { rls: '100000000000', usdt: '100000', btc: '2' };
  const world = createEmbeddedWorld({
    seed: 7,
    config: {
      strategies: [maker, own],
      'embedded.balances': balances,
      'paper.balances': balances,
    },
  });
  const { time, venue, config } = world;
  const recording = new Recording({
    folder: join(folder, 'catalogue'),
    raw: false,
    eventsMb: 1,
    onProblem(message) {
      throw new Error(message);
    },
  });
  const exchange = new OtherExchange({
    seed: 3,
    startMs: time.now(),
    now: () => time.now(),
    sleep: async (ms) => time.sleep(ms),
    market: { symbol: 'BTCUSDT', price },
  });
  const { instances, problems } = await loadInstances({
    strategies: config.strategies,
    folders: ['strategies'],
    knownMarkets: new Set(venue.markets.map(({ symbol }) => symbol)),
    venues: { world: maxAgeMs },
  });
  if (problems.length > 0) throw new Error(problems.join('\n'));
  const lines: string[] = [];
  const joined = withOtherVenues(venue, [exchange.open(time)]);
  /** When the books of the other exchange that were read were asked for, and when orders of the maker left. */
  const readAtMs: number[] = [];
  const placedAtMs: Record<string, number[]> = { maker: [], own: [], careless: [] };
  const bot = createBot({
    config,
    venue: {
      ...joined,
      caller: {
        ...joined.caller,
        send(call, signal, handler) {
          if (call.kind === 'place')
            placedAtMs[call.order.clientOrderId.split('-')[1] ?? '']?.push(time.now());
          joined.caller.send(call, signal, handler);
        },
      },
    },
    onAnswer(call, answer, atMs, askedAtMs) {
      recording.apply(call, answer, atMs, askedAtMs);
      if (call.kind === 'book' && call.market === 'world:BTCUSDT' && answer.outcome === 'value')
        readAtMs.push(askedAtMs);
    },
    instances: careless ? [...instances, instanceOf(runnerOn(CARELESS, 'BTCUSDT', '1m'))] : instances,
    mirror: MirrorStore.open({
      path: join(folder, 'mirror.sqlite'),
      retention: config.data.retention,
      nowMs: time.now(),
      epoch: () => 'e2e1',
      durability: 'off',
    }),
    screen: createScreen({ json: false, write: (line) => lines.push(line), wallMs: () => time.now() }),
  });
  await recording.begin({
    markets: ['BTCUSDT', 'world:BTCUSDT'],
    source: 'test',
    beganMs: time.now(),
    longestPauseMs: 60_000,
  });
  bot.data.begin();
  bot.shell.start();
  return {
    bot,
    config,
    time,
    recording,
    exchange,
    lines,
    orders: (strategy: string) => bot.engine.orderManager.blotter.table.unfinished(strategy),
    /** Returns the age of the price at each order of the maker. */
    agesAtOrders: () =>
      (placedAtMs['maker'] ?? []).map(
        (atMs) => atMs - Math.max(...readAtMs.filter((readMs) => readMs <= atMs)),
      ),
    placedBy: (strategy: string) => placedAtMs[strategy]?.length ?? 0,
    run: async (durationMs: number) => {
      await time.run(time.now() + durationMs);
      bot.shell.throwIfFailed();
    },
  };
}

const FAULTS = OTHER_FAULTS.filter((fault) => fault !== 'none' && fault !== 'late');

describe('a market maker around the price of another venue', () => {
  test.each([
    ['BTCUSDT', 66_300, 66_300],
    ['BTCIRT', 64_500, 64_500 * 925_000],
  ])('rests in %s around that price in its own currency', async (market, price, expected) => {
    // So wide that neither quote crosses its own market.
    const { run, orders } = await start({ price: String(price), market, spreadBps: 300 });
    await run(20_000);
    const prices = orders('maker').map((order) => Number(order.price) / 1e10);
    expect(prices).toHaveLength(2);
    const middle = prices.reduce((sum, one) => sum + one, 0) / 2;
    expect(Math.abs(middle / expected - 1)).toBeLessThan(0.006);
  });

  test.each(FAULTS)('waits while it is late (%s), and goes on when it is back', async (fault) => {
    const { run, orders, exchange, agesAtOrders, placedBy, lines, bot } = await start({ price: '65000' });
    await run(30_000);
    expect(orders('maker')).toHaveLength(2);
    exchange.fault = fault;
    await run(GONE_AFTER_MS);
    expect(orders('maker')).toEqual([]);
    // The bot trades on at its own exchange.
    const before = placedBy('own');
    await run(120_000);
    expect(orders('maker')).toEqual([]);
    expect(orders('own')).toHaveLength(2);
    expect(bot.engine.closedReason()).toBeNull();
    expect(lines.join('\n')).toContain('book world:BTCUSDT: nothing was read for');
    expect(placedBy('own')).toBeGreaterThan(before);
    exchange.fault = 'none';
    // A lockout lasts longer than its cause.
    const quoted = placedBy('maker');
    await run(fault === 'limited' ? 1_800_000 : 60_000);
    expect(placedBy('maker')).toBeGreaterThan(quoted);
    expect(lines.join('\n')).toContain('book world:BTCUSDT: read again');
    expect(agesAtOrders().length).toBeGreaterThan(3);
    expect(Math.max(...agesAtOrders())).toBeLessThanOrEqual(LONGEST_AGE_MS);
  });

  test('never quotes by an answer that was long on its way', async () => {
    const { run, orders, exchange, agesAtOrders, placedBy } = await start({
      price: '65000',
      maxAgeMs: 3_500,
    });
    await run(30_000);
    expect(orders('maker')).toHaveLength(2);
    exchange.fault = 'late';
    await run(20_000);
    const quoted = placedBy('maker');
    await run(60_000);
    expect(orders('maker')).toEqual([]);
    expect(placedBy('maker')).toBe(quoted);
    expect(Math.max(...agesAtOrders())).toBeLessThanOrEqual(3_500);
    exchange.fault = 'none';
    await run(20_000);
    expect(orders('maker')).toHaveLength(2);
  });

  test('never begins while the other venue has not answered', async () => {
    const { run, orders, exchange, agesAtOrders, bot } = await start({ price: '65000' });
    exchange.fault = 'down';
    await run(60_000);
    expect(orders('own')).toHaveLength(2);
    expect(orders('maker')).toEqual([]);
    expect(agesAtOrders()).toEqual([]);
    expect(bot.engine.dataAges()).toContainEqual({
      feed: 'book world:BTCUSDT',
      ageMs: null,
      longestAgeMs: LONGEST_AGE_MS,
    });
  });

  test('is a rule of the engine: a strategy that looks at no age has its orders refused', async () => {
    const { run, exchange, placedBy, bot } = await start({ price: '65000', careless: true });
    await run(20_000);
    exchange.fault = 'down';
    await run(16_000);
    const placed = placedBy('careless');
    expect(placed).toBeGreaterThan(2);
    await run(60_000);
    expect(placedBy('careless')).toBe(placed);
    const careless = bot.engine.instances.find(({ name }) => name === 'careless');
    expect(careless?.tally.refusals()).toMatchObject([{ code: 'risk data-age' }]);
    // A person decides by nothing that the strategy reads.
    const order = { strategy: 'careless', market: 'BTCUSDT', side: 'buy', amount: '0.001', price: '60000' };
    bot.shell.control({ ...order, kind: 'place', key: 'by-hand', stopPrice: null } as ControlCommand);
    await run(2_000);
    expect(bot.engine.byHand.stateOf('by-hand')?.end).toMatchObject({ ok: true });
  });

  test('waits in a backtest on the recording of both as it did in the session', async () => {
    const { run, exchange, orders, recording, config, time } = await start({ price: '65000' });
    await run(60_000);
    exchange.fault = 'down';
    const fromMs = time.now();
    await run(GONE_AFTER_MS);
    expect(orders('maker')).toEqual([]);
    await run(60_000);
    const toMs = time.now();
    exchange.fault = 'none';
    await run(60_000);
    await recording.close();
    const recordings = catalogueRecordings(openCatalogue(join(folder, 'catalogue')));
    // Universes choose among the markets of the exchange alone.
    expect(recordings.markets()).toEqual(['BTCUSDT']);
    const request = { recordings, rules: {}, steps: {}, currency: 'usdt', fromMs: null, toMs: null };
    const { run: backtest } = await runPollBacktest({ ...request, config });
    const placed = backtest.orders.filter(({ strategy }) => strategy === 'maker');
    const isWithin = (atMs: number | null): boolean =>
      atMs !== null && atMs > fromMs + LONGEST_AGE_MS && atMs < toMs;
    expect(placed.filter(({ plannedAtMs }) => plannedAtMs < fromMs).length).toBeGreaterThan(0);
    expect(placed.filter(({ plannedAtMs }) => isWithin(plannedAtMs))).toEqual([]);
    expect(placed.filter(({ plannedAtMs }) => plannedAtMs > toMs).length).toBeGreaterThan(0);
    // None rests beyond the time in which it is noticed.
    const resting = placed.filter(
      ({ plannedAtMs, closedAtMs }) =>
        plannedAtMs < toMs && (closedAtMs ?? Infinity) > fromMs + GONE_AFTER_MS,
    );
    expect(resting).toEqual([]);
    const elsewhere = { ...config, strategies: [{ ...config.strategies[0]!, params: { world: NOWHERE } }] };
    await expect(runPollBacktest({ ...request, config: elsewhere })).rejects.toThrow(
      'expected recorded books of world:ETHUSDT',
    );
  });
});

const NOWHERE = { venue: 'world', symbol: 'ETHUSDT' };
