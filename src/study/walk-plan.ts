import { z } from 'zod';
import { formatDuration } from '../daemon/duration-text.ts';
import { SarrafError, dataUnusable, invalidOptions } from '../domain/errors.ts';
import type { WalkForwardPlan } from './study-settings.ts';
import { canonicalJson } from './study-identity.ts';
import type { StudyStore } from './study-store.ts';
import { durationText, minuteText } from '../domain/time-text.ts';
import { timeframeMs, type Timeframe } from '../domain/candle.ts';
import { firstTimeFrom, refuseFew, type MarketTimes } from './data-set.ts';
import type { RunRange, TrialMetrics } from './objectives.ts';
import type { AccountReport } from './trial-runner.ts';

/** Plan without its number of trials, which may rise later: what decides the windows and choices. */
export type WalkQuestion = Omit<WalkForwardPlan, 'trials'>;

const STORED = z.strictObject({
  kind: z.enum(['anchored', 'rolling']),
  choose: z.enum(['best', 'plateau']),
  trainMs: z.int().positive(),
  testMs: z.int().positive(),
  stepMs: z.int().positive(),
  purgeMs: z.int().nonnegative(),
  embargoMs: z.int().nonnegative(),
}) satisfies z.ZodType<WalkQuestion>;

export const walkQuestion = ({ trials: _trials, ...question }: WalkForwardPlan): WalkQuestion => question;

export const isSamePlan = (one: WalkQuestion, other: WalkQuestion): boolean =>
  canonicalJson(one) === canonicalJson(other);

/** Returns the plan with which the walk-forward was begun; null before that. Throws `DATA_UNUSABLE`. */
export function begunPlan({ walkForward, path }: StudyStore): WalkQuestion | null {
  const head = walkForward.head();
  if (head === null) return null;
  const read = STORED.safeParse(head.plan);
  if (read.success) return read.data;
  throw dataUnusable(
    `expected the plan of a walk-forward in ${path}, found one that can not be read: restore a copy, or run the study under another name`,
    { cause: read.error },
  );
}

/** Writes a plan as a study file declares it. */
export function writtenPlan({ kind, choose, ...lengths }: WalkQuestion): Readonly<Record<string, string>> {
  const { trainMs, testMs, stepMs, purgeMs, embargoMs } = lengths;
  return {
    kind,
    train: formatDuration(trainMs),
    test: formatDuration(testMs),
    step: formatDuration(stepMs),
    purge: formatDuration(purgeMs),
    embargo: formatDuration(embargoMs),
    choose,
  };
}

/** Writes a plan in one line of text. */
export const planText = (plan: WalkQuestion): string =>
  Object.entries(writtenPlan(plan))
    .map(([key, text]) => `${key} ${text}`)
    .join(', ');

/** Pair of ranges: one to search, and one to trade with the choice. */
export interface WalkWindow {
  /** Number of the window, from 1. */
  readonly number: number;
  /** Range that trials see, without the purge. */
  readonly train: RunRange;
  readonly test: RunRange;
}

/** Minimum number of windows: one alone does not show how a choice lasts. */
const LEAST_WINDOWS = 2;
const MOST_WINDOWS = 1_000;

/** Minimum number of candles in a train window. */
const LEAST_TRAIN_BARS = 100;

/**
 * Returns the windows of a range, as many as fit completely. Window k (from 0) tests from `begin + trainMs +
 * embargoMs + k * stepMs` on, for `testMs`. Its train window ends `embargoMs` before that, and its last
 * `purgeMs` are not searched; it begins with the range if the plan is anchored, else `trainMs` before its
 * end. The first train window begins at the first candle of the range. If candles differ in length, since
 * clocks are set, a border moves to the start of the nearest candle.
 *
 * Throws `INVALID_OPTIONS`, with the numbers, if lengths are not whole candles, if the range is too short for
 * two windows, or if a window has too few candles.
 */
export function walkWindows(
  plan: WalkQuestion,
  of: {
    readonly range: RunRange;
    readonly timeframe: Timeframe;
    readonly markets: readonly MarketTimes[];
  },
): readonly WalkWindow[] {
  const { range, timeframe, markets } = of;
  refuseParts(plan, timeframe);
  const beginMs = Math.min(...markets.map((market) => firstTimeFrom(market, range.fromMs) ?? range.toMs));
  const { trainMs, testMs, stepMs, embargoMs } = plan;
  const firstMs = trainMs + embargoMs + testMs;
  const lengthMs = Math.max(0, range.toMs - beginMs);
  const count = lengthMs < firstMs ? 0 : 1 + Math.floor((lengthMs - firstMs) / stepMs);
  if (count < LEAST_WINDOWS) throw tooShort(plan, beginMs, range.toMs, lengthMs, count);
  if (count > MOST_WINDOWS)
    throw refused(`expected at most ${MOST_WINDOWS} windows, found ${count}: give a longer step`);
  const grid = markets.find((market) => market.grid?.isEven === false)?.grid;
  const border = (timeMs: number): number =>
    grid === undefined ? timeMs : Math.min(grid.nearestStart(timeMs), range.toMs);
  const windows = Array.from({ length: count }, (_, index) => windowAt(plan, beginMs, index, border));
  for (const window of windows) refuseEmpty(window, markets);
  return windows;
}

function windowAt(
  plan: WalkQuestion,
  beginMs: number,
  index: number,
  border: (timeMs: number) => number,
): WalkWindow {
  const { kind, trainMs, testMs, stepMs, purgeMs, embargoMs } = plan;
  const movedMs = index * stepMs;
  const endMs = beginMs + trainMs + movedMs;
  const testFromMs = endMs + embargoMs;
  return {
    number: index + 1,
    train: {
      fromMs: kind === 'anchored' ? beginMs : border(beginMs + movedMs),
      toMs: border(endMs - purgeMs),
    },
    test: { fromMs: border(testFromMs), toMs: border(testFromMs + testMs) },
  };
}

/** Throws if a border would be inside a candle: a window would see a candle that is not over yet. */
function refuseParts(plan: WalkQuestion, timeframe: Timeframe): void {
  const barMs = timeframeMs(timeframe);
  const { trainMs, testMs, stepMs, purgeMs, embargoMs } = plan;
  const lengths = { train: trainMs, test: testMs, step: stepMs, purge: purgeMs, embargo: embargoMs };
  for (const [name, lengthMs] of Object.entries(lengths)) {
    if (lengthMs % barMs === 0) continue;
    throw refused(`${name}: expected whole candles of ${timeframe}, found ${formatDuration(lengthMs)}`);
  }
}

function tooShort(
  { trainMs, testMs, stepMs, embargoMs }: WalkQuestion,
  beginMs: number,
  toMs: number,
  lengthMs: number,
  count: number,
): SarrafError {
  const neededMs = trainMs + embargoMs + testMs + (LEAST_WINDOWS - 1) * stepMs;
  const parts = [
    `train ${formatDuration(trainMs)}`,
    ...(embargoMs === 0 ? [] : [`embargo ${formatDuration(embargoMs)}`]),
    `test ${formatDuration(testMs)}`,
    `step ${formatDuration(stepMs)}`,
  ];
  const range = `${durationText(lengthMs)} from ${minuteText(beginMs)} to ${minuteText(toMs)}`;
  return refused(
    `expected a range of ${formatDuration(neededMs)} or more for ${LEAST_WINDOWS} windows (${parts.join(' + ')}), found ${range}, room for ${count}: give a longer range or shorter windows`,
  );
}

function refuseEmpty({ number, train, test }: WalkWindow, markets: readonly MarketTimes[]): void {
  const advice = 'give longer windows';
  const where = (what: string): string => `in the ${what} window ${number}`;
  try {
    refuseFew(markets, { ...train, least: LEAST_TRAIN_BARS, where: where('train'), advice });
    refuseFew(markets, { ...test, least: 1, where: where('test'), advice });
  } catch (error) {
    throw error instanceof SarrafError ? refused(error.message) : error;
  }
}

const refused = (message: string): SarrafError => invalidOptions(`validation.walkForward: ${message}`);

const METRICS = z.record(z.string(), z.number().nullable());

const ACCOUNT = z.strictObject({
  initialEquity: z.string(),
  finalEquity: z.string(),
  metrics: METRICS,
  stretches: z.array(z.strictObject({ metrics: METRICS, beganExposed: z.boolean() })),
  /** First day, in days since 1970-01-01, and the returns of all days from then on. */
  daily: z.strictObject({ firstDay: z.int(), returns: z.array(z.number()) }),
  failures: z.array(z.string()),
});

/** Account of a walk-forward as a study stores it. */
export type StoredAccount = z.output<typeof ACCOUNT>;

/** Writes an account as plain JSON. Throws `DATA_UNUSABLE` for one that could not run: it is not stored. */
export function writeAccount(report: AccountReport): StoredAccount {
  if (report.kind === 'failed')
    throw dataUnusable(`expected the account of all windows, found none: ${report.reason}`);
  const { initialEquity, finalEquity, metrics, stretches, daily, failures } = report;
  return {
    initialEquity,
    finalEquity,
    metrics,
    stretches: stretches.map((range) => ({ ...range })),
    daily: { firstDay: daily.firstDay, returns: [...daily.returns] },
    failures: [...failures],
  };
}

/** Returns the metrics of a stored account; null if there is none, or it is unreadable. */
export const accountFigures = (stored: unknown): TrialMetrics | null =>
  ACCOUNT.safeParse(stored).data?.metrics ?? null;

/** Reads a stored account. Throws a `ZodError` for damaged data. */
export const readAccount = (stored: unknown): StoredAccount => ACCOUNT.parse(stored);
