import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { BudgetLedger } from '../src/budget/ledger.ts';
import { MemoryLockouts } from '../src/budget/lockouts.ts';
import type { Venue } from '../src/venues/venue.ts';
import { createBot } from '../src/daemon/run/create-bot.ts';
import { createScreen } from '../src/daemon/run/screen.ts';
import { readBotConfig } from '../src/daemon/read-bot-config.ts';
import { createVenueCaller } from '../src/venues/venue-caller.ts';
import { createRandom } from '../src/domain/random.ts';
import type { StrategyInstanceSettings } from '../src/engine/engine-settings.ts';
import { ExchangeClient } from '../src/exchange/client.ts';
import { createRiskLimits } from '../src/engine/risk-limits.ts';
import { MirrorStore } from '../src/mirror/mirror-store.ts';
import { StrategyRunner } from '../src/strategy/runner.ts';
import { defineStrategy, sma } from '../src/strategy/sdk.ts';
import { createVirtualLimiter } from '../src/virtual/virtual-executor.ts';
import { VirtualTime } from '../src/virtual/virtual-time.ts';
import { INTERFACE_PROFILE } from '../src/venues/interface-profile.ts';
import { SOAK_MARKETS, SoakVenue } from './soak-venue.ts';
import { MARKET_NAMES } from '../src/exchange/market-names.ts';

/** One line of the soak's output: the state of the process after an hour of virtual time. */
export interface SoakHour {
  readonly hour: number;
  readonly heapBytes: number;
  readonly rssBytes: number;
  /** Peak so far. */
  readonly peakRssBytes: number;
  readonly mirrorBytes: number;
  readonly requests: number;
  readonly orders: number;
  readonly fills: number;
}

const HOUR_MS = 3_600_000;
const START_MS = Date.UTC(2026, 0, 5, 12);
const LEAST_REPLY_MS = 50;
const REPLY_SPREAD_MS = 250;

/**
 * A strategy with five feeds; with each bar it renews two quotes a little away from the middle, so that some
 * fill.
 */
const SOAKER = defineStrategy({
  name: 'soaker',
  params: z.strictObject({}),
  state: z.strictObject({
    books: z.int().default(0),
    trades: z.int().default(0),
    fills: z.int().default(0),
    bar: z.int().default(0),
  }),
  data: ({ market }) => ({
    book: market.book({ everyMs: 2_000, maxAgeMs: 60_000 }),
    tape: market.trades({ everyMs: 8_000, maxAgeMs: 300_000 }),
    day: market.stats(),
    bars: market.candles('5m', { history: 50 }),
    hours: market.candles('1h', { history: 50 }),
  }),
  indicators: ({ bars }) => ({ average: sma(bars, 20) }),
  on: {
    book: ({ state, setState }) => setState({ books: state.books + 1 }),
    tape: ({ state, setState }, { trades }) => setState({ trades: state.trades + trades.length }),
    fill: ({ state, setState }) => setState({ fills: state.fills + 1 }),
    hours: () => undefined,
    bars({ state, setState, quotes }, { close }) {
      setState({ bar: state.bar + 1 });
      quotes([
        { side: 'buy', price: close * 0.998, amount: 0.1 },
        { side: 'sell', price: close * 1.002, amount: 0.1 },
      ]);
    },
  },
});

function createInstances(): readonly StrategyInstanceSettings[] {
  const knownMarkets = new Set<string>(SOAK_MARKETS.map(({ symbol }) => symbol));
  return SOAK_MARKETS.map(({ symbol }) => ({
    runner: new StrategyRunner(SOAKER, {
      name: symbol.toLowerCase(),
      market: symbol,
      marketNames: MARKET_NAMES,
      timeframe: '5m',
      knownMarkets,
    }),
    onError: 'stop',
    pauseMs: 60_000,
    limits: createRiskLimits(),
    capital: {},
  }));
}

/** The venue with a delay of replies; a reply shows the state at the time of the request. */
function createVenue(time: VirtualTime, venue: SoakVenue): Venue & { readonly requests: () => number } {
  const random = createRandom(3);
  const client = new ExchangeClient({
    transport: { send: () => Promise.reject(new Error('expected no request')), close: async () => {} },
  });
  const budgets = [...client.budgets.values()];
  const ledger = new BudgetLedger(budgets);
  let requests = 0;
  return {
    profile: INTERFACE_PROFILE,
    time,
    caller: {
      ...createVenueCaller(client),
      send(call, _signal, { onEnd }) {
        requests += 1;
        const replyMs = LEAST_REPLY_MS + Math.round(random.next() * REPLY_SPREAD_MS);
        const answer = venue.answer(call, time.now());
        time.at(time.now() + replyMs, () => onEnd({ answer, error: null }));
      },
    },
    limiter: createVirtualLimiter({ time, budgets, ledger, lockouts: new MemoryLockouts() }),
    limiterMs: () => time.now(),
    namedLimits: () => ledger.namedLimits(time.now()),
    mostOccupied: () => new Map(ledger.usage().map(({ budget, most }) => [budget.name, most])),
    budgets: client.budgets,
    canLogIn: false,
    accountReader: null,
    ledgerSubjects: [],
    markets: SOAK_MARKETS,
    isNew: true,
    pollStretch: 1,
    isOver: () => false,
    ledgerFile: null,
    close: async () => {},
    requests: () => requests,
  };
}

/**
 * Runs the whole bot except the client's codecs and sockets: engine, limiter, shell, and the mirror on the
 * disk. Prints a `SoakHour` each hour.
 */
async function soak(hours: number, folder: string): Promise<void> {
  const reading = readBotConfig(null, { environment: {}, workingFolder: folder });
  if (!reading.ok) throw new Error(reading.problems.join('\n'));
  const { config } = reading;
  const time = new VirtualTime(START_MS);
  const exchange = new SoakVenue();
  const venue = createVenue(time, exchange);
  const mirror = MirrorStore.open({
    path: join(folder, 'mirror.sqlite'),
    retention: config.data.retention,
    nowMs: START_MS,
    epoch: () => 'soak',
    durability: 'off',
  });
  const screen = createScreen({ json: false, write: () => {}, wallMs: () => time.now() });
  const bot = createBot({ config, venue, instances: createInstances(), mirror, screen });
  bot.shell.start();
  for (let hour = 1; hour <= hours; hour += 1) {
    await time.run(START_MS + hour * HOUR_MS);
    bot.shell.throwIfFailed();
    const { phase, isBroken } = bot.engine.status();
    if (phase !== 'trading' || isBroken)
      throw new Error(`expected a trading bot in hour ${hour}, was ${phase}`);
    const stale = bot.engine
      .dataAges()
      .find(({ ageMs, longestAgeMs }) => ageMs === null || ageMs > longestAgeMs);
    if (stale !== undefined)
      throw new Error(`expected fresh data in hour ${hour}, was ${JSON.stringify(stale)}`);
    globalThis.gc?.();
    const { heapUsed, rss } = process.memoryUsage();
    const line: SoakHour = {
      hour,
      heapBytes: heapUsed,
      rssBytes: rss,
      peakRssBytes: process.resourceUsage().maxRSS * 1_024,
      mirrorBytes: statSync(mirror.path).size,
      requests: venue.requests(),
      orders: exchange.placed,
      fills: exchange.fills,
    };
    console.log(JSON.stringify(line));
  }
  bot.shell.close();
  await venue.limiter.close();
  mirror.close();
}

const [hours] = process.argv.slice(2);
if (hours !== undefined) {
  const folder = mkdtempSync(join(tmpdir(), 'sarraf-soak-'));
  try {
    await soak(Number(hours), folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
