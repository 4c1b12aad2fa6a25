import fc from 'fast-check';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { CandleRunner } from '../../src/backtest/candle-runner.ts';
import { runPoll } from '../../src/backtest/poll/run-poll.ts';
import { scriptedMarket, SCRIPT_START_MS } from '../../src/backtest/scripted-market.ts';
import { decimalText } from '../../src/domain/decimal-text.ts';
import type { MarketStats } from '../../src/domain/order-book.ts';
import { parseUnits } from '../../src/domain/money.ts';
import { DEFAULT_ENGINE_TIMES, DEFAULT_RECONCILIATION } from '../../src/engine/engine-settings.ts';
import { parseMarket } from '../../src/exchange/market-names.ts';
import { createRiskLimits } from '../../src/engine/risk-limits.ts';
import type { OrderRecord } from '../../src/records/order.ts';
import { bookColumns, tradeColumns } from '../../src/recording/records.ts';
import { defineStrategy, type StrategyDefinition } from '../../src/strategy/definition.ts';
import type { LoggedLine } from '../../src/engine/strategy-instance.ts';
import { sma } from '../../src/strategy/indicators/averages.ts';
import { BarFillSimulator } from '../../src/venues/bar-fill-simulator.ts';
import {
  barOf,
  bidUnder,
  MINUTE_MS,
  minutesOf,
  STEP_MS,
  type MinutePrices,
} from '../support/on-bars-and-books.ts';
import { runnerOn } from '../support/runner-on.ts';
import { deepRuns } from '../support/deep-runs.ts';

const STEPS = MINUTE_MS / STEP_MS;
const FEES = { rls: { maker: 0, taker: 0 }, usdt: { maker: 0, taker: 0 } };
const BALANCES = { rls: parseUnits('100000') };

const MINUTES = 30;
/** Both runs begin with minutes of the past, so that the first ranking has data. */
const PAST_MINUTES = 5;
const FROM_MS = SCRIPT_START_MS + PAST_MINUTES * MINUTE_MS;
/** Minutes at the end that are not compared: what begins in them may not have ended. */
const END_MINUTES = 2;

/** Markets and the tenths at which each begins, so far apart that no two figures are equal. */
const BEGINNINGS = { BTCIRT: 1_000, ETHIRT: 1_373, LTCIRT: 2_111, TRXIRT: 894, XRPIRT: 1_657 } as const;
type Name = keyof typeof BEGINNINGS;
const NAMES = Object.keys(BEGINNINGS) as readonly Name[];

const RANKINGS = ['volume24h', 'volatility', 'change'] as const;

/**
 * Time between two rankings, in ms. Its multiples never lie at the end of a minute: there the network decides
 * whether a close or the statistics of that moment come first.
 */
const REFRESH_MS = 90_034;

interface Rules {
  readonly rankBy: (typeof RANKINGS)[number];
  readonly hysteresis: number;
  readonly hasBrackets: boolean;
}

/** A strategy that follows two markets, holds those that rise, and sells those that leave or fall. */
const strategyOf = ({ rankBy, hysteresis, hasBrackets }: Rules): StrategyDefinition =>
  defineStrategy({
    name: 'roaming',
    params: z.strictObject({}),
    data: ({ universe }) => {
      const members = universe({
        quote: 'rls',
        rankBy,
        hysteresis,
        take: 2,
        reserve: 3,
        refreshMs: REFRESH_MS,
      });
      return { members, bars: members.candles('1m', { history: 2 }) };
    },
    indicators: ({ bars }) => ({ fast: sma(bars, 2), slow: sma(bars, 3) }),
    on: {
      members(ctx, { entered, left }) {
        for (const market of entered) ctx.log(`${market} entered`);
        for (const market of left) ctx.log(`${market} left`);
      },
      bars(ctx, { market, close }) {
        const [fast, slow] = [ctx.indicators.fast.of(market), ctx.indicators.slow.of(market)];
        if (fast === null || slow === null || ctx.orders.some((order) => order.market === market)) return;
        const place = ctx.markets.of(market);
        // No two such averages are this close unless they are equal.
        const rises = fast > slow + 0.01;
        const holds = place.isTradable(place.position, close);
        const isMember = ctx.data.members.isMember(market);
        const past = ctx.history.bars.of(market).map((bar) => bar.close);
        ctx.log(`${market} ${close} ${fast.toFixed(6)} ${slow.toFixed(6)} ${past.join('/')} ${isMember}`);
        if (holds && !(isMember && rises)) place.sell({ amount: place.position });
        else if (holds || !isMember || !rises) return;
        else if (!hasBrackets) place.buy({ amount: 1 });
        else
          place.bracket({
            entry: { amount: 1 },
            takeProfit: { distance: 2.05 },
            stopLoss: { distance: 1.55 },
          });
      },
    },
  });

/** Prices of a market in a minute, and the volume traded. */
interface Minute {
  readonly prices: MinutePrices;
  readonly volume: number;
}

type Moves = readonly (readonly [number, number, number, volume: number])[];

function tradedMinutesOf(name: Name, moves: Moves): readonly Minute[] {
  const prices = minutesOf(
    moves.map(([first, second, third]) => [first, second, third]),
    BEGINNINGS[name],
  );
  return moves.map(([, , , volume], index) => ({ prices: prices[index]!, volume }));
}

const text = (number: number) => decimalText(Number(number.toFixed(8)));

/** Statistics that the exchange gives for the minutes that are over, by their bars. */
function statsOf(name: Name, over: readonly Minute[]): MarketStats {
  const prices = over.flatMap((minute) => minute.prices);
  const [open = 0, close = 0] = [prices[0], prices.at(-1)];
  const sum = (worthOf: (minute: Minute) => number): number =>
    over.reduce((total, minute) => total + worthOf(minute), 0);
  return {
    market: parseMarket(name),
    isClosed: false,
    closedReason: null,
    bestSell: text(close),
    bestBuy: text(bidUnder(close)),
    baseVolume: text(sum(({ volume }) => volume)),
    quoteVolume: text(sum(({ volume, prices }) => volume * (prices.at(-1) ?? 0))),
    latest: text(close),
    mark: null,
    dayLow: text(Math.min(...prices)),
    dayHigh: text(Math.max(...prices)),
    dayOpen: text(open),
    dayClose: text(close),
    dayChange: text(((close - open) / open) * 100),
  };
}

const marketOf = (name: Name, minutes: readonly Minute[]) =>
  scriptedMarket({
    market: name,
    timeframe: '1m',
    minOrderValue: 10,
    bars: minutes.map(({ prices, volume }) => ({ ...barOf(prices), volume })),
  });

function settingsOf(strategy: StrategyDefinition, hasBooks: boolean) {
  const runner = runnerOn(strategy, 'BTCIRT', '1m', { params: {}, hasBooks, knownMarkets: new Set(NAMES) });
  const limits = createRiskLimits({ collarBps: null });
  const instance = { runner, onError: 'stop', pauseMs: 0, limits, capital: {} } as const;
  return { ...DEFAULT_ENGINE_TIMES, instance: 'test', instances: [instance] };
}

type Markets = readonly (readonly [Name, readonly Minute[]])[];

function onBars(strategy: StrategyDefinition, markets: Markets): Decisions {
  const scripted = markets.map(([name, minutes]) => marketOf(name, minutes));
  const run = new CandleRunner({
    settings: settingsOf(strategy, false),
    markets: scripted,
    venue: new BarFillSimulator({
      markets: scripted.map(({ market }) => market),
      fees: FEES,
      balances: BALANCES,
      rules: { volumeShareMillionths: null },
    }),
    quote: 'rls',
    fromMs: FROM_MS,
  }).run();
  return decisionsOf(run);
}

async function onBooks(strategy: StrategyDefinition, markets: Markets): Promise<Decisions> {
  const run = await runPoll({
    settings: { ...settingsOf(strategy, true), reconciliation: DEFAULT_RECONCILIATION },
    markets: markets.map(([name, minutes]) => recordedMarket(name, minutes)),
    fees: FEES,
    balances: BALANCES,
    quote: 'rls',
    fromMs: FROM_MS,
    rules: { latency: { kind: 'constant', outMs: 10, backMs: 10 } },
  });
  return decisionsOf(run);
}

/** A side of a book with a single level. */
const level = (price: number) => [[decimalText(price), decimalText(1_000)]] as const;

function recordedMarket(name: Name, minutes: readonly Minute[]) {
  const steps = minutes.flatMap(({ prices, volume }) => prices.map((price) => ({ price, volume })));
  const books = [...steps, ...steps.slice(-1)].map(({ price }, index) => {
    const timeMs = SCRIPT_START_MS + index * STEP_MS;
    const bids = level(bidUnder(price));
    return { venueTimeMs: timeMs, seenMs: timeMs, bids, asks: level(price) };
  });
  const trades = steps.map(({ price, volume }, index) => {
    const timeMs = SCRIPT_START_MS + index * STEP_MS + STEP_MS / 2;
    const money = { price: decimalText(price), amount: decimalText(Number((volume / STEPS).toFixed(6))) };
    return { timeMs, seenMs: timeMs, side: 'buy' as const, ...money };
  });
  const stats = minutes.map((_, index) => ({
    seenMs: SCRIPT_START_MS + (index + 1) * MINUTE_MS,
    stats: statsOf(name, minutes.slice(0, index + 1)),
  }));
  const { market } = marketOf(name, minutes);
  return {
    market,
    books: inOne(bookColumns(books)),
    trades: inOne(tradeColumns(trades)),
    stats: inOne(stats),
  };
}

async function* inOne<Rows>(rows: Rows): AsyncGenerator<Rows> {
  yield rows;
}

/** A line of a run, with its market and minute. */
interface Decision {
  readonly market: string;
  readonly minute: number;
  readonly text: string;
}

interface Decisions {
  /** Entries into the universe and exits from it, and what each bar found there. */
  readonly seen: readonly Decision[];
  readonly orders: readonly Decision[];
}

const minuteOf = (atMs: number): number => Math.floor((atMs - FROM_MS) / MINUTE_MS);

function decisionsOf(run: {
  readonly failures: ReadonlyMap<string, string>;
  readonly orders: readonly OrderRecord[];
  readonly logs: ReadonlyMap<string, readonly LoggedLine[]>;
}): Decisions {
  expect([...run.failures]).toEqual([]);
  return {
    seen: (run.logs.get('roaming') ?? []).map(({ text, atMs }) => ({
      market: text.split(' ', 1).join(),
      minute: minuteOf(atMs),
      text,
    })),
    orders: run.orders.map(({ market, side, execution, amount, stopPrice, price, plannedAtMs }) => ({
      market,
      minute: minuteOf(plannedAtMs),
      text: `${side} ${execution} ${amount} at ${execution === 'market' ? 'any' : price} stop ${stopPrice}`,
    })),
  };
}

/** Lines of a market, without the minutes at the end in which orders may be under way. */
const linesOf = (decisions: readonly Decision[], name: Name): readonly string[] =>
  decisions
    .filter(({ market, minute }) => market === name && minute < MINUTES - PAST_MINUTES - END_MINUTES)
    .map(({ minute, text }) => `${minute} ${text}`);

const move = fc.integer({ min: -4, max: 4 });
/** Mostly a small volume, now and then one that changes the order of all markets. */
const volume = fc
  .tuple(fc.integer({ min: 6, max: 60 }), fc.constantFrom(1, 1, 1, 1, 40))
  .map(([one, times]) => one * times);
const moves = fc.array(fc.tuple(move, move, move, volume), { minLength: MINUTES, maxLength: MINUTES });
const rules = fc.record({
  rankBy: fc.constantFrom(...RANKINGS),
  hysteresis: fc.constantFrom(0, 0.5),
  hasBrackets: fc.boolean(),
});

test('a strategy with a universe decides alike on candles and on polled books and statistics', async () => {
  const met = { changes: 0, orders: 0 };
  await fc.assert(
    fc.asyncProperty(fc.array(moves, { minLength: 3, maxLength: 5 }), rules, async (paths, rule) => {
      const markets = paths.map(
        (path, place) => [NAMES[place]!, tradedMinutesOf(NAMES[place]!, path)] as const,
      );
      const strategy = strategyOf(rule);
      const [bars, books] = [onBars(strategy, markets), await onBooks(strategy, markets)];
      for (const name of NAMES) {
        for (const part of ['seen', 'orders'] as const)
          expect(linesOf(books[part], name)).toEqual(linesOf(bars[part], name));
      }
      met.changes += bars.seen.filter(({ text }) => text.endsWith(' left')).length;
      met.orders += bars.orders.length;
    }),
    { numRuns: deepRuns(4, 6) },
  );
  expect(met.changes).toBeGreaterThan(0);
  expect(met.orders).toBeGreaterThan(20);
});
