import { formatUnits } from '../domain/money.ts';
import type { RefusalCount } from '../engine/intent-tally.ts';
import { REFUSAL_TABLE } from '../exchange/refusals.ts';
import {
  type BacktestRun,
  type StrategyIntents,
  runWarning,
  type RunWarning,
  joinedBy,
} from './backtest-run.ts';
import { numberOf, quotient, type Statistic } from './statistics.ts';
import { monthlyReturns } from './metrics/equity-metrics.ts';
import {
  groupTripsBy,
  roundTrips,
  TRIP_GROUPS,
  type LabelledTrip,
  type RoundTrip,
  type RoundTrips,
} from '../portfolio/round-trips.ts';
import { valuedFills } from './valued-fills.ts';
import { runMetrics } from './metrics/run-metrics.ts';
import {
  RESULT_SCHEMA,
  type BacktestSummary,
  type LiveSession,
  type RefusalRow,
  type ResultHead,
} from './result-schema.ts';
import { thinCurve } from './report/thinning.ts';
import { MARKET_NAMES } from '../exchange/market-names.ts';
import { inDigits } from '../language/fact.ts';
import { english } from '../language/sentence.ts';
import { reportVoice } from './report-voice.ts';
import type { LockRecord } from '../engine/lock.ts';
import { present } from '../domain/errors.ts';

const MEANINGS: ReadonlyMap<string, string> = new Map(
  Object.entries(REFUSAL_TABLE).map(([code, { meaning }]) => [code, meaning]),
);

/** Points of the equity curve inside a result; the file of a run has all points. */
const SKETCH_POINTS = 320;

/** A run with its figures, ready to be shown and written. */
export interface FinishedRun {
  readonly run: BacktestRun;
  /** Its result without the tables. */
  readonly head: ResultHead;
  readonly trips: readonly LabelledTrip[];
  /** Warnings of its result, independent of language. */
  readonly warnings: readonly RunWarning[];
  readonly refusals: readonly (Omit<RefusalRow, 'example'> & RefusalCount)[];
}

/** Data of a live session besides its run. */
export interface LivePart {
  /** Fills before the run, which opened positions that were closed in it. */
  readonly fillsBefore: BacktestRun['fills'];
  readonly sessionOf: (trips: readonly RoundTrip[]) => LiveSession;
}

/**
 * Computes the figures of a run, with money as exact text. `createdAtMs` is a label: when the backtest was
 * run. Throws a RangeError for a fill in a market that the run does not have.
 */
export function finishRun(
  run: BacktestRun,
  createdAtMs: number = Date.now(),
  live: LivePart | null = null,
): FinishedRun {
  const fillsBefore = live?.fillsBefore ?? [];
  const valued = valuedFills(
    fillsBefore.length === 0 ? run : { ...run, fills: [...fillsBefore, ...run.fills] },
  );
  const all = roundTrips(valued.moved, valued.markets);
  // A trade belongs to the run in which it ends; an open one belongs to each run since its start.
  const trips =
    fillsBefore.length === 0
      ? all
      : {
          ...all,
          trips: all.trips.filter(({ closedAtMs }) => closedAtMs === null || closedAtMs >= run.fromMs),
        };
  const traded = valued.traded.slice(fillsBefore.length);
  const { fidelity } = run;
  const { format } = reportVoice('en');
  const warnings = [...run.warnings, ...warningsOf(run, trips)];
  const refusals = run.intents.flatMap(({ strategy, refusals: own }) =>
    own.map((refusal) => ({
      strategy,
      ...refusal,
      // A refusal by a check of the bot explains itself.
      meaning: refusal.what === 'order' ? (MEANINGS.get(refusal.code) ?? null) : null,
    })),
  );
  const { loadMs, fromCache, runMs, events } = run.timing;
  const { length, timeMs, equity } = run.curve;
  const sketch = thinCurve(
    { timeMs: timeMs.subarray(0, length), value: equity.subarray(0, length) },
    SKETCH_POINTS,
  );
  const labelled = withLabels(trips.trips, run.orders);
  const head: ResultHead = {
    schema: RESULT_SCHEMA,
    name:
      [
        ...new Set(run.strategies.map(({ name }) => name)),
        ...run.markets.map(({ market }) => market.symbol),
      ].join(' ') || 'backtest',
    createdAtMs,
    fromMs: run.fromMs,
    toMs: run.toMs,
    barMs: run.barMs,
    summary: withoutYear(summaryOf(run, trips, traded), run),
    fidelity: {
      kind: fidelity.kind,
      rules: fidelity.rules.map(({ rule, setting }) => ({ rule: format(rule), setting: format(setting) })),
      caveats: fidelity.caveats.map(format),
    },
    warnings: warnings.map(format),
    timing: { loadMs, fromCache, runMs, events, eventsPerS: quotient(events * 1_000, runMs) },
    markets: run.markets.map(({ market, firstPrice, lastPrice, candles }) => ({
      market: market.symbol,
      priceStep: formatUnits(market.priceStep),
      amountStep: formatUnits(market.amountStep),
      firstPrice: formatUnits(firstPrice),
      lastPrice: formatUnits(lastPrice),
      bars: candles.length,
    })),
    strategies: run.strategies.map(({ name, market, params, failure, log }) => ({
      name,
      market,
      params: plain(params),
      failure: english(failure),
      log: log.map(({ atMs, text, fields }) => ({ atMs, text, fields: plain(fields) })),
    })),
    refusals: refusals.map((refusal) => ({ ...refusal, example: english(refusal.example) })),
    locks: lockTotals(run.locks.records, run.toMs),
    session: live === null ? null : live.sessionOf(trips.trips),
    config: plain(run.config),
    profits: TRIP_GROUPS.flatMap((by) =>
      groupTripsBy(labelled, by, UTC)
        .slice(0, MOST_GROUPS)
        .map((group) => ({ by, ...group })),
    ),
    monthly: monthlyReturns(numberOf(run.initialEquity), run.curve),
    sketch: { timeMs: sketch.timeMs, equity: sketch.value },
  };
  return { run, head, trips: labelled, warnings, refusals };
}

/** Clock of the groups of a result, and how many of each kind it has; the page has more. */
const UTC = { isUtc: true, calendar: 'gregorian' } as const;
const MOST_GROUPS = 366;

/** Adds to trips what their orders say of them. */
function withLabels(trips: readonly RoundTrip[], orders: BacktestRun['orders']): readonly LabelledTrip[] {
  const wanted = new Set(trips.flatMap(({ entryOrder, exitOrder }) => [entryOrder, exitOrder]));
  const byKey = new Map<string | null, BacktestRun['orders'][number]>();
  for (const order of orders) if (wanted.has(order.key)) byKey.set(order.key, order);
  return trips.map((trip) => {
    const [entry, end] = [byKey.get(trip.entryOrder), byKey.get(trip.exitOrder)];
    const labels = { exit: end?.exit ?? null, entryTag: entry?.tag ?? null, exitTag: end?.tag ?? null };
    return { ...trip, ...labels, tags: [] };
  });
}

/**
 * Returns the figures of a run, without its lists and curves. Annual figures are computed for any length,
 * since studies compare trials of one length; show them through `withoutYear`.
 */
export function runSummary(run: BacktestRun): BacktestSummary {
  const valued = valuedFills(run);
  return summaryOf(run, roundTrips(valued.moved, valued.markets), valued.traded);
}

/** Returns the figures of a run from its trades and fills, whose money is in its currency. */
export function summaryOf(
  run: BacktestRun,
  { trips }: RoundTrips,
  traded: BacktestRun['fills'],
): BacktestSummary {
  const { tradedValue, fees, ...statistics } = runMetrics(run, trips, traded);
  return {
    quote: run.quote,
    initialEquity: formatUnits(run.initialEquity),
    finalEquity: formatUnits(run.finalEquity),
    profit: formatUnits(run.finalEquity - run.initialEquity),
    ...statistics,
    tradedValue: formatUnits(tradedValue),
    fees: formatUnits(fees),
    intents: run.intents.reduce((sum, { count }) => sum + count, 0),
    orders: run.orders.length,
    refused: run.intents.reduce((sum, { refusals }) => sum + refusedIn(refusals), 0),
    fills: run.fills.length,
    ...requestFigures(run),
  };
}

/** Shortest range with annual figures: 30 days, in ms. */
const LEAST_ANNUAL_MS = 30 * 86_400_000;

const NOTHING_OF_A_YEAR = { cagr: null, volatility: null, sharpe: null, sortino: null, calmar: null };

type Range = Pick<BacktestRun, 'fromMs' | 'toMs'>;

const isAnnual = ({ fromMs, toMs }: Range): boolean => toMs - fromMs >= LEAST_ANNUAL_MS;

/** Returns true if a figure is annual and the range is too short for it. */
export const isTooShortFor = (name: string, range: Range): boolean =>
  Object.hasOwn(NOTHING_OF_A_YEAR, name) && !isAnnual(range);

/** Returns figures as they are shown: a range of less than 30 days has no annual figures. */
export function withoutYear<Figures extends object>(figures: Figures, range: Range): Figures {
  return isAnnual(range) ? figures : { ...figures, ...NOTHING_OF_A_YEAR };
}

/** Returns warnings about facts that the figures themselves do not show. */
function warningsOf(run: BacktestRun, { unmatched }: RoundTrips): readonly RunWarning[] {
  const length = { lengthMs: run.toMs - run.fromMs };
  const short = isAnnual(run) ? [] : [runWarning('warning.short', { length })];
  const failures = run.strategies.flatMap(({ name, market, failure }) =>
    failure === null
      ? []
      : [runWarning('warning.stopped', { strategy: name, market, reason: { said: failure } })],
  );
  // Money of the account that was spent in the other quote currency is no sale.
  const isMixed = run.markets.some(({ market }) => market.quote !== run.quote);
  const sold = unmatched.filter(({ market }) => !isMixed || market !== MARKET_NAMES.bridge.market);
  const sales = sold.map(({ market, strategy, amount }) => {
    const of = { amount: { digits: formatUnits(amount) }, market };
    return strategy === null
      ? runWarning('warning.soldByOther', of)
      : runWarning('warning.sold', { strategy, ...of });
  });
  const locks = run.locks.more === 0 ? [] : [runWarning('warning.moreLocks', countsOf(run.locks))];
  const members = run.members.more === 0 ? [] : [runWarning('warning.moreMembers', countsOf(run.members))];
  return [...failures, ...intentWarnings(run), ...locks, ...members, ...sales, ...short, ...gapWarnings(run)];
}

const countsOf = ({ more, records }: { readonly more: number; readonly records: readonly unknown[] }) => ({
  more: inDigits(more),
  listed: inDigits(records.length),
});

/** Share of missing points of the curve above which the annual figures need a warning. */
const MANY_MISSING = 0.05;

function gapWarnings({ curve, barMs, fromMs, toMs }: BacktestRun): readonly RunWarning[] {
  const whole = (toMs - fromMs) / barMs;
  const missing = whole - curve.length;
  if (missing <= whole * MANY_MISSING) return [];
  return [
    runWarning('warning.fewBars', {
      percent: inDigits(Math.round((missing / whole) * 100)),
      bars: inDigits(curve.length),
    }),
  ];
}

/** Returns what JSON stores of a value that is meant to be JSON. */
function plain(value: unknown): ResultHead['config'] {
  return JSON.parse(JSON.stringify(value ?? null)) as ResultHead['config'];
}

/**
 * Returns, for each lock name, how often and how long locks were active, and the orders they refused.
 * Overlapping times count once.
 */
function lockTotals(records: readonly LockRecord[], toMs: number): ResultHead['locks'] {
  return [...Map.groupBy(records, ({ lock }) => lock.name)].map(([name, ofOne]) => {
    let heldMs = 0;
    let seenUntilMs = Number.NEGATIVE_INFINITY;
    for (const { lock, endedAtMs } of ofOne.toSorted((a, b) => a.lock.beganAtMs - b.lock.beganAtMs)) {
      const endMs = endedAtMs ?? Math.max(toMs, lock.beganAtMs);
      heldMs += Math.max(0, endMs - Math.max(lock.beganAtMs, seenUntilMs));
      seenUntilMs = Math.max(seenUntilMs, endMs);
    }
    return {
      name,
      times: ofOne.length,
      heldMs,
      refused: ofOne.reduce((sum, { refused }) => sum + refused, 0),
    };
  });
}

/** Share of refused orders from which the reader is warned: the strategy did not do what it intended. */
const MUCH = 0.1;

/** Number of reasons that a warning lists. */
const NAMED = 3;

/** Returns how many intents were refused; external signals do not count. */
function refusedIn(refusals: readonly RefusalCount[]): number {
  return refusals.reduce((sum, { what, count }) => (what === 'signal' ? sum : sum + count), 0);
}

/** Returns warnings for strategies that placed nothing, and for those with many refused orders. */
export function intentWarnings({
  intents,
  orders,
}: Pick<BacktestRun, 'intents' | 'orders'>): readonly RunWarning[] {
  return intents.flatMap((of) => {
    const placed = orders.reduce((sum, { strategy }) => (strategy === of.strategy ? sum + 1 : sum), 0);
    return [warningOf(of, placed), shortnessOf(of), signalsOf(of)].filter((warning) => warning !== null);
  });
}

function warningOf({ strategy, count, refusals }: StrategyIntents, placed: number): RunWarning | null {
  const ofOrders = refusals.filter(
    ({ what }) => what !== 'cancel' && what !== 'cancel-all' && what !== 'signal',
  );
  const refused = refusedIn(ofOrders);
  if (placed === 0) {
    if (count === 0) return runWarning('warning.noIntent', { strategy });
    const key = count === 1 ? 'warning.oneIntent' : 'warning.intents';
    const intents = runWarning(key, { number: inDigits(count) });
    return refused === 0
      ? runWarning('warning.noOrder', { strategy, intents })
      : runWarning('warning.allRefused', { strategy, intents, reasons: reasonsOf(ofOrders) });
  }
  // A rejected order is counted among the placed ones too.
  const rejected = refusedIn(ofOrders.filter(({ what }) => what === 'order'));
  const attempts = placed + refused - rejected;
  if (refused <= attempts * MUCH) return null;
  return runWarning('warning.refused', {
    strategy,
    refused: inDigits(refused),
    attempts: inDigits(attempts),
    percent: inDigits(Math.round((refused / attempts) * 100)),
    reasons: reasonsOf(ofOrders),
  });
}

/** Returns a warning about indicators that the run was too short for; null if there are none. */
function shortnessOf({ strategy, shortOfBars = [] }: StrategyIntents): RunWarning | null {
  if (shortOfBars.length === 0) return null;
  const indicators = shortOfBars.map(({ name }) => name).join(', ');
  const bars = inDigits(Math.max(...shortOfBars.map(({ first }) => first)));
  return runWarning('warning.shortOfBars', { strategy, indicators, bars });
}

/** Returns a warning about signals that a strategy did not receive; null if there are none. */
function signalsOf({ strategy, refusals }: StrategyIntents): RunWarning | null {
  const ofSignals = refusals.filter(({ what }) => what === 'signal');
  return ofSignals.length === 0
    ? null
    : runWarning('warning.notTold', { strategy, reasons: reasonsOf(ofSignals) });
}

/** Writes the first `NAMED` reasons and how many more there are. Expects at least one reason. */
function reasonsOf(refusals: readonly RefusalCount[]): RunWarning {
  const [first, ...others] = refusals.slice(0, NAMED).map(({ what, code, count, example, firstAtMs }) =>
    runWarning('warning.reason', {
      number: inDigits(count),
      what: { said: what },
      check: code,
      time: { atMs: firstAtMs },
      example: { said: example },
    }),
  );
  const more = refusals.length - NAMED;
  const rest = more > 0 ? [runWarning('warning.moreReasons', { number: inDigits(more) })] : [];
  return joinedBy('warning.then', [present(first, 'a reason'), ...others, ...rest]);
}

/** Figures that have a value only in runs that send requests. */
export const REQUEST_FIGURES: ReadonlySet<string> = new Set(['requests', 'requestsPerFill']);

/** Returns the cost of a run in requests: their number, also for each fill. Null if a run sends none. */
export function requestFigures({ requests, fills }: Pick<BacktestRun, 'requests' | 'fills'>): {
  readonly requests: number | null;
  readonly requestsPerFill: Statistic;
} {
  return { requests, requestsPerFill: requests === null ? null : quotient(requests, fills.length) };
}
