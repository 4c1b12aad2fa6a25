import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SMA } from 'trading-signals';
import { z } from 'zod';
import { BarFillSimulator } from '../src/venues/bar-fill-simulator.ts';
import { CandleRunner, type RunMarket } from '../src/backtest/candle-runner.ts';
import { candleAt, type CandleColumns } from '../src/domain/candle-columns.ts';
import { parseUnits } from '../src/domain/money.ts';
import { DEFAULT_ENGINE_TIMES } from '../src/engine/engine-settings.ts';
import { createRiskLimits } from '../src/engine/risk-limits.ts';
import { Catalogue } from '../src/recording/catalogue.ts';
import { defineStrategy, type StrategyDefinition } from '../src/strategy/definition.ts';
import { sma } from '../src/strategy/sdk.ts';
import { StrategyRunner } from '../src/strategy/runner.ts';
import maCross from '../strategies/ma-cross.ts';
import { BARS, barWalk, FROM_MS, MARKET, MINUTE_MS, walksOf } from './bar-walk.ts';
import { median, type BenchResult } from './result.ts';
import { MARKET_NAMES } from '../src/exchange/market-names.ts';

const ROUNDS = 5;
/**
 * Parameters of the cross. Each entry spends a hundredth of the money: with more, fees would use up the
 * account, and orders would end long before the bars.
 */
export const CROSS = { fast: 10, slow: 30, share: 0.01 };
/** First goal, as a share of a bare loop; the next is 0.37, that of a script without most of our checks. */
const LEAST_SHARE_OF_BARE = 0.2;
const LEAST_QUIET_BARS_A_SECOND = 4_000_000;
const LEAST_IDLE_BARS_A_SECOND = 10_000_000;
/** Minimum rate of bars of 30 markets, as a share of the rate of one market. */
const LEAST_SHARE_OF_ONE_MARKET = 0.8;
const MARKETS = 30;
const LONGEST_LOAD_MS = 300;
const MOST_RSS_MB = 250;

export const IDLE = defineStrategy({
  name: 'idle',
  params: z.strictObject({}),
  data: ({ market, timeframe }) => ({ bars: market.candles(timeframe) }),
  on: { bars: () => undefined },
});

/** A strategy that gets the bars of all these markets, and does nothing. */
export const watching = (markets: readonly RunMarket[]): StrategyDefinition =>
  defineStrategy({
    name: 'watching',
    params: z.strictObject({}),
    data: (run) => ({ bars: markets.map(({ market }) => run.markets.of(market.symbol).candles('1m')) }),
    on: { bars: () => undefined },
  });

/** The cross by a handler, with all that it reads at each bar, but without an order. */
export const STEPS_A_MINUTE: StrategyDefinition = defineStrategy({
  name: 'steps',
  params: z.strictObject({ fast: z.int(), slow: z.int(), share: z.number() }),
  data: ({ market, timeframe }) => ({ bars: market.candles(timeframe) }),
  indicators: ({ bars }, { params }) => ({ fast: sma(bars, params.fast), slow: sma(bars, params.slow) }),
  on: {
    bars(ctx, { close }) {
      const { fast, slow } = ctx.indicators;
      const holds = ctx.isTradable(ctx.position, close);
      if (fast === slow || fast > slow === holds || ctx.orders.length > 0) return;
      if (ctx.freeQuote < 0) ctx.buy({ value: ctx.freeQuote });
    },
  },
});

/** The reference: computes the same two averages over the same array, and counts their crossings. */
export function bareLoop({ close, length }: CandleColumns): number {
  const [fast, slow] = [new SMA(CROSS.fast), new SMA(CROSS.slow)];
  let crossings = 0;
  let wasAbove = false;
  for (let index = 0; index < length; index += 1) {
    const price = (close[index] ?? 0) / 100;
    const above = fast.update(price, false);
    const below = slow.update(price, false);
    if (above === null || below === null) continue;
    const isAbove = above > below;
    if (isAbove !== wasAbove) crossings += 1;
    wasAbove = isAbove;
  }
  return crossings;
}

/** Runs the strategy in all markets, or in those of `traded`; returns how many orders filled. */
export function run(
  markets: readonly RunMarket[],
  strategy: StrategyDefinition,
  params: Readonly<Record<string, unknown>>,
  traded: readonly RunMarket[] = markets,
): number {
  const rates = { maker: 1_000, taker: 1_000 };
  const venue = new BarFillSimulator({
    markets: markets.map(({ market }) => market),
    fees: { rls: rates, usdt: rates },
    balances: { usdt: parseUnits('10000') },
    rules: { volumeShareMillionths: null },
  });
  const knownMarkets = new Set<string>(markets.map(({ market }) => market.symbol));
  const instances = traded.map(({ market }, index) => ({
    runner: new StrategyRunner(strategy, {
      name: index === 0 ? strategy.name : `${strategy.name}-${index}`,
      marketNames: MARKET_NAMES,
      market: market.symbol,
      timeframe: '1m',
      params,
      hasBooks: false,
      knownMarkets,
    }),
    onError: 'stop' as const,
    pauseMs: 60_000,
    limits: createRiskLimits(),
    capital: {},
  }));
  const whole = new CandleRunner({
    settings: { ...DEFAULT_ENGINE_TIMES, instance: 'bench', instances },
    markets,
    venue,
    quote: 'usdt',
    fromMs: FROM_MS,
  });
  return whole.run().fills.length;
}

/** Rate per second of CPU time of this process, which other work on the machine does not lower. */
export function rateOf(count: number, work: () => void): number {
  const used = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(used);
  return (count * 1e6) / (user + system);
}

/**
 * Stores a million bars in a catalogue and reads them again; measures that, and the peak memory of a process
 * that backtests them.
 */
async function loaded(columns: CandleColumns): Promise<{ readonly loadMs: number; readonly rssMb: number }> {
  const root = mkdtempSync(join(tmpdir(), 'sarraf-bench-'));
  try {
    const catalogue = new Catalogue({ root, lockFile: () => ({ [Symbol.dispose]: () => undefined }) });
    await catalogue.appendCandles({
      market: MARKET.symbol,
      timeframe: '1m',
      source: 'bench',
      candles: parts(columns),
    });
    const rssMb = memoryMb(root);
    const times: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const startedMs = performance.now();
      const read = await catalogue.readCandles({
        market: MARKET.symbol,
        timeframe: '1m',
        fromMs: FROM_MS,
        toMs: FROM_MS + BARS * MINUTE_MS,
      });
      times.push(performance.now() - startedMs);
      if (read.length !== BARS) throw new Error(`expected ${BARS} bars, were ${read.length}`);
    }
    return { loadMs: median(times), rssMb };
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

function memoryMb(catalogue: string): number {
  const script = join(import.meta.dirname, 'backtest-memory.ts');
  const printed = JSON.parse(execFileSync(process.execPath, [script, catalogue], { encoding: 'utf8' })) as {
    readonly bars: number;
    readonly kib: number;
  };
  if (printed.bars !== BARS) throw new Error(`expected ${BARS} bars, were ${printed.bars}`);
  return printed.kib / 1_024;
}

function* parts(columns: CandleColumns): Generator<ReturnType<typeof candleAt>[]> {
  const size = 10_000;
  for (let from = 0; from < columns.length; from += size) {
    const length = Math.min(size, columns.length - from);
    yield Array.from({ length }, (_, index) => candleAt(columns, from + index));
  }
}

/**
 * Measures backtests on bars: the engine with a cross of averages, with a strategy that does nothing, and the
 * loading of a million bars.
 */
export async function benchBacktest(): Promise<BenchResult[]> {
  const columns = barWalk();
  const only = [{ market: MARKET, columns }];
  const bareRate = (): number => rateOf(BARS, () => void bareLoop(columns));
  // This one runs first, before the compiler has seen other strategies: a user's run has only one.
  const idles: { readonly bare: number; readonly idle: number }[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    idles.push({ bare: bareRate(), idle: rateOf(BARS, () => void run(only, IDLE, {})) });
  }
  const polls = Array.from({ length: ROUNDS }, () => {
    const quiet = rateOf(BARS, () => void run(only, STEPS_A_MINUTE, CROSS));
    return { bare: bareRate(), quiet };
  });
  const many = walksOf(MARKETS, columns);
  const watches = Array.from({ length: ROUNDS }, () => {
    const one = rateOf(BARS, () => void run(only, watching(only), {}));
    return { one, many: rateOf(BARS, () => void run(many, watching(many), {}, many.slice(0, 1))) };
  });
  const crosses: { readonly bare: number; readonly cross: number }[] = [];
  let fills = 0;
  for (let round = 0; round < ROUNDS; round += 1) {
    const cross = rateOf(BARS, () => {
      fills = run(only, maCross, CROSS);
    });
    crosses.push({ bare: bareRate(), cross });
  }
  const idle = median(idles.map((rate) => rate.idle));
  const idleBare = median(idles.map((rate) => rate.bare));
  const quiet = median(polls.map((rate) => rate.quiet));
  const quietBare = median(polls.map((rate) => rate.bare));
  const watchedOne = median(watches.map((rate) => rate.one));
  const watchedMany = median(watches.map((rate) => rate.many));
  const cross = median(crosses.map((rate) => rate.cross));
  const bare = median(crosses.map((rate) => rate.bare));
  const { loadMs, rssMb } = await loaded(columns);
  return [
    {
      name: `backtest: cross of averages over ${BARS} bars, ${fills} fills, against the bare averages`,
      value: cross,
      unit: 'bars/s',
      reference: bare,
      ratio: cross / bare,
      target: LEAST_SHARE_OF_BARE,
      holds: cross / bare >= LEAST_SHARE_OF_BARE,
    },
    {
      name: 'backtest: the same cross, which looks at every bar and orders nothing',
      value: quiet,
      unit: 'bars/s',
      reference: quietBare,
      ratio: quiet / quietBare,
      target: LEAST_QUIET_BARS_A_SECOND,
      holds: quiet >= LEAST_QUIET_BARS_A_SECOND,
    },
    {
      name: 'backtest: a strategy that does nothing',
      value: idle,
      unit: 'bars/s',
      reference: idleBare,
      ratio: idle / idleBare,
      target: LEAST_IDLE_BARS_A_SECOND,
      holds: idle >= LEAST_IDLE_BARS_A_SECOND,
    },
    {
      name: `backtest: as many bars of ${MARKETS} markets, which one strategy sees, against those of one`,
      value: watchedMany,
      unit: 'bars/s',
      reference: watchedOne,
      ratio: watchedMany / watchedOne,
      target: LEAST_SHARE_OF_ONE_MARKET,
      holds: watchedMany / watchedOne >= LEAST_SHARE_OF_ONE_MARKET,
    },
    {
      name: 'backtest: most memory of a process that runs through them',
      value: rssMb,
      unit: 'MB',
      reference: null,
      ratio: null,
      target: MOST_RSS_MB,
      holds: rssMb <= MOST_RSS_MB,
    },
    {
      name: 'backtest: a million bars from the catalogue',
      value: loadMs,
      unit: 'ms',
      reference: null,
      ratio: null,
      target: LONGEST_LOAD_MS,
      holds: loadMs <= LONGEST_LOAD_MS,
    },
  ];
}
