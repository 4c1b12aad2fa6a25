import {
  type RunRange,
  type TrialReport,
  type TrialMetrics,
  trialMetrics,
  type FailedReport,
} from './objectives.ts';
import type { Params } from '../search/params-of-point.ts';
import type { StressReport, StressTask } from './stress/stress-task.ts';
import { numberOf, dailyReturns, type DailyReturns } from '../backtest/statistics.ts';
import { runSummary, summaryOf } from '../backtest/finish-run.ts';
import type { BacktestRun, EquityCurve, TradedMarket } from '../backtest/backtest-run.ts';
import { StoredState } from '../backtest/stored-state.ts';
import type { RunMarket } from '../backtest/candle-runner.ts';
import { runBacktest } from '../backtest/run-backtest.ts';
import type { CreatedBacktest } from '../backtest/candle-backtest.ts';
import { present, messageOf } from '../domain/errors.ts';
import { formatUnits, parseUnits, type Units } from '../domain/money.ts';
import { barsBetween, cellUnits, columnScale, firstBarFrom, firstIndex } from '../domain/candle-columns.ts';
import { roundTrips, type RoundTrip } from '../portfolio/round-trips.ts';
import { valuedFills } from '../backtest/valued-fills.ts';
import type { BacktestSummary } from '../backtest/result-schema.ts';

/** Runs trials, in threads of this process or on other machines. */
export interface TrialRunner {
  /** Number of trials to hand over at once, so that no worker waits. */
  readonly width: number;
  /** Runs one trial. `stretch`: another range. Faults are in its report; rejects if the runner fails. */
  run(params: Params, range?: RunRange): Promise<TrialReport>;
  close(): Promise<void>;
}

/** Runs everything that a study may request. */
export interface StudyRunner extends TrialRunner {
  /** Runs one account with several params in turn. */
  account(task: AccountTask): Promise<AccountReport>;
  /** Runs a trial under other conditions. */
  stress(task: StressTask): Promise<StressReport>;
}

/** Params, and the time from which they trade, in ms since 1970. */
export interface AccountLeg {
  readonly fromMs: number;
  readonly params: Params;
}

/** Account that trades several legs in turn. */
export interface AccountTask {
  /** Legs in the order of their times. */
  readonly legs: readonly [AccountLeg, ...AccountLeg[]];
  readonly toMs: number;
  /** Ranges whose metrics are requested. */
  readonly stretches: readonly RunRange[];
}

/** Results of an account in one range. */
interface RangeReport {
  readonly metrics: TrialMetrics;
  /** True if the account held a position at the start of the range. */
  readonly beganExposed: boolean;
}

export type AccountReport =
  | {
      readonly kind: 'ran';
      /** Exact equity at the start, in the currency of the metrics. */
      readonly initialEquity: string;
      readonly finalEquity: string;
      readonly metrics: TrialMetrics;
      readonly stretches: readonly RangeReport[];
      readonly daily: DailyReturns;
      /** Reasons for which strategies stopped during the run; each started again with the next leg. */
      readonly failures: readonly string[];
    }
  | FailedReport;

/**
 * Runs one account through several params. When a leg begins, the bot stops and starts again with the new
 * params, as a live one does: entries are canceled; positions, money, resting exits and the strategy's state
 * carry over. Each leg is warmed up with the same candles as a trial that begins there.
 */
export async function runAccount(
  { legs, toMs, stretches: ranges }: AccountTask,
  create: (
    params: Params,
    of: { readonly fromMs: number; readonly toMs: number },
  ) => Promise<CreatedBacktest>,
): Promise<AccountReport> {
  const created = new Map<number, CreatedBacktest['backtest']>();
  for (const { fromMs, params } of legs)
    created.set(fromMs, (await create(params, { fromMs, toMs })).backtest);
  const at = (fromMs: number) => present(created.get(fromMs), () => `a leg from ${fromMs}`);
  const [{ fromMs: firstMs }, ...later] = legs;
  const run = runBacktest({
    ...at(firstMs),
    markets: longestMarkets([...created.values()].map(({ markets }) => markets)),
    restarts: {
      atMs: later.map(({ fromMs }) => fromMs),
      ending: 'keep-exits',
      state: new StoredState('back'),
      newInstances: (atMs) => at(atMs).instances,
      pastFromMs: (atMs) => Math.min(...at(atMs).markets.map(({ columns }) => columns.openTimeMs[0] ?? atMs)),
    },
  });
  return {
    kind: 'ran',
    initialEquity: formatUnits(run.initialEquity),
    finalEquity: formatUnits(run.finalEquity),
    metrics: trialMetrics(runSummary(run)),
    stretches: rangeReports(run, ranges),
    daily: dailyReturns(run.curve, numberOf(run.initialEquity)),
    failures: run.strategies.flatMap(({ failure }) => (failure === null ? [] : [failureReason(failure)])),
  };
}

/** Returns the longest candles of each market over all legs. They contain the others: all end together. */
function longestMarkets(all: readonly (readonly RunMarket[])[]): readonly RunMarket[] {
  const longest = new Map<string, RunMarket>();
  for (const one of all.flat()) {
    const before = longest.get(one.market.symbol);
    if (before === undefined || before.columns.length < one.columns.length)
      longest.set(one.market.symbol, one);
  }
  return [...longest.values()];
}

function rangeReports(run: BacktestRun, ranges: readonly RunRange[]): readonly RangeReport[] {
  const { curve } = run;
  return rangeSummaries(run, ranges).map((summary, index) => {
    const { fromMs } = present(ranges[index], 'a range');
    const last = firstAfter(curve, fromMs) - 1;
    // Intents and refusals are counted only for the whole run.
    const metrics = { ...trialMetrics(summary), intents: null, refused: null };
    return { metrics, beganExposed: last >= 0 && curve.isExposed[last] === 1 };
  });
}

/** Task for a thread. `stretch`: range; null for that of the study. */
export type BenchTask =
  | { readonly kind: 'trial'; readonly params: Params; readonly stretch: RunRange | null }
  | (AccountTask & { readonly kind: 'account' })
  | { readonly kind: 'stress'; readonly task: StressTask };

/** Reports of a thread, by kind of task. */
export interface BenchReports {
  readonly trial: TrialReport;
  readonly account: AccountReport;
  readonly stress: StressReport;
}

export type BenchReport = BenchReports[keyof BenchReports];

/** Maximum length of a failure reason, in characters: one line, stored for each failed trial. */
const LONGEST_REASON = 300;

/** Returns the failure reason, in one line. */
export function failureReason(error: unknown): string {
  const text = messageOf(error);
  const line = text.replaceAll(/\s*\n\s*/g, '; ');
  return line.length <= LONGEST_REASON ? line : `${line.slice(0, LONGEST_REASON - 1)}…`;
}

/**
 * Returns the summaries of parts of a run. A range has what happened after its start, up to and including its
 * end. A trade belongs to the range in which it ends; one that continues is open in it. Equity at the ends is
 * that of the curve, to 15 digits. Intents and requests are counted only for a whole run: here they are 0 and
 * null.
 */
function rangeSummaries(run: BacktestRun, ranges: readonly RunRange[]): readonly BacktestSummary[] {
  const valued = valuedFills(run);
  const { trips } = roundTrips(valued.moved, valued.markets);
  return ranges.map((range) => {
    const isIn = (atMs: number): boolean => atMs > range.fromMs && atMs <= range.toMs;
    const part = {
      ...partOf(run, range),
      orders: run.orders.filter(({ plannedAtMs }) => isIn(plannedAtMs)),
      fills: run.fills.filter(({ atMs }) => isIn(atMs)),
      intents: [],
      requests: null,
    };
    return summaryOf(
      part,
      { trips: trips.flatMap((trip) => tripIn(trip, range)), dust: [], received: [], unmatched: [] },
      valued.traded.filter(({ atMs }) => isIn(atMs)),
    );
  });
}

function tripIn(trip: RoundTrip, { fromMs, toMs }: RunRange): readonly RoundTrip[] {
  if (trip.openedAtMs > toMs) return [];
  if (trip.closedAtMs === null || trip.closedAtMs > toMs)
    return trip.isOfMoney ? [] : [{ ...trip, isOpen: true }];
  return trip.closedAtMs > fromMs ? [trip] : [];
}

function partOf(run: BacktestRun, { fromMs, toMs }: RunRange): BacktestRun {
  const { curve } = run;
  const first = firstAfter(curve, fromMs);
  const end = firstAfter(curve, toMs);
  const at = (index: number): Units =>
    index < 0 ? run.initialEquity : parseUnits((curve.equity[index] ?? 0).toFixed(10));
  return {
    ...run,
    fromMs,
    toMs: end > first ? (curve.timeMs[end - 1] ?? toMs) : toMs,
    initialEquity: at(first - 1),
    finalEquity: at(end - 1),
    curve: {
      length: end - first,
      timeMs: curve.timeMs.subarray(first, end),
      equity: curve.equity.subarray(first, end),
      isExposed: curve.isExposed.subarray(first, end),
    },
    markets: run.markets.map((market) => marketIn(market, { fromMs, toMs })),
  };
}

/** Returns the index of the first point after a time; the length if there is none. */
const firstAfter = ({ timeMs, length }: EquityCurve, atMs: number): number =>
  firstIndex(length, (index) => (timeMs[index] ?? 0) > atMs);

function marketIn(market: TradedMarket, { fromMs, toMs }: RunRange): TradedMarket {
  const { candles } = market;
  const scale = columnScale(candles.priceDecimals);
  const first = firstBarFrom(candles, fromMs);
  const end = firstBarFrom(candles, toMs);
  if (first >= end) return { ...market, candles: barsBetween(candles, first, first) };
  return {
    ...market,
    firstPrice: cellUnits(candles.open[first] ?? 0, scale),
    lastPrice: cellUnits(candles.close[end - 1] ?? 0, scale),
    candles: barsBetween(candles, first, end),
  };
}
