import { countText } from '../domain/money.ts';
import { z } from 'zod';
import { REQUEST_FIGURES } from '../backtest/finish-run.ts';
import type { Direction, TrialOutcome } from '../search/trial-record.ts';
import { type BacktestSummary, summarySchema } from '../backtest/result-schema.ts';
import type { DailyReturns } from '../backtest/statistics.ts';
import type { FigureKind } from '../page/study-data.ts';

/** Metrics of a trial by name; null for a metric without a value. */
export type TrialMetrics = Readonly<Record<string, number | null>>;

/** Metric that a study maximizes or minimizes. */
export interface Objective {
  readonly metric: string;
  readonly direction: Direction;
}

/** Metric that must not be below `least` or above `most`. */
export interface Constraint {
  readonly metric: string;
  readonly least?: number;
  readonly most?: number;
}

/** Objectives and constraints of a study. */
export interface Goals {
  readonly objectives: readonly Objective[];
  readonly constraints: readonly Constraint[];
}

/** Metrics of which a lower value is better. */
const LESS_IS_BETTER: ReadonlySet<string> = new Set([
  'volatility',
  'maxDrawdown',
  'maxDrawdownMs',
  'longestDrawdownMs',
  'fees',
  'refused',
  ...REQUEST_FIGURES,
]);

/** Returns the default direction of an objective. */
export const usualDirection = (metric: string): Direction =>
  LESS_IS_BETTER.has(metric) ? 'minimize' : 'maximize';

/** Converts the metrics of a trial for the sampler. It fails if an objective has no value. */
export function judgeTrial(metrics: TrialMetrics, { objectives, constraints }: Goals): TrialOutcome {
  const values: number[] = [];
  for (const { metric } of objectives) {
    const value = metrics[metric] ?? null;
    if (value === null) {
      const why =
        metrics['fills'] === 0
          ? 'nothing was traded'
          : `${countText(metrics['trades'] ?? 0, 'trade was', 'trades were')} closed`;
      return { kind: 'failed', reason: `expected a value of ${metric}, found none: ${why}` };
    }
    values.push(value);
  }
  return { kind: 'complete', values, violation: violationOf(metrics, constraints) };
}

/**
 * Returns how far constraints are broken: the sum of `|value - bound| / |bound|`, or of the distance itself
 * for a bound of 0. A metric without a value breaks its constraint by 1.
 */
function violationOf(metrics: TrialMetrics, constraints: readonly Constraint[]): number {
  return constraints.reduce((sum, { metric, least, most }) => {
    const value = metrics[metric] ?? null;
    if (value === null) return sum + 1;
    const below = least === undefined ? 0 : breach(least - value, least);
    const above = most === undefined ? 0 : breach(value - most, most);
    return sum + below + above;
  }, 0);
}

function breach(distance: number, bound: number): number {
  if (distance <= 0) return 0;
  return bound === 0 ? distance : distance / Math.abs(bound);
}

/** Returns the metrics of a summary as numbers. Amounts of money become the nearest float. */
export function trialMetrics({ quote: _quote, ...figures }: BacktestSummary): TrialMetrics {
  return Object.fromEntries(
    Object.entries(figures).map(([name, value]) => [name, value === null ? null : Number(value)]),
  );
}

/**
 * Reason a trial has no metrics:
 *
 * - `refused`: the strategy refuses these params.
 * - `stopped`: the strategy threw during the run, and stopped.
 * - `threw`: the run itself could not be made.
 * - `no trade`: nothing was traded, so that an objective has no value.
 * - `no value`: an objective has no value, such as the Sharpe ratio of one day.
 * - `died`: the thread that ran it ended, twice.
 * - `too long`: it did not end in time.
 */
export const FAILURE_KINDS = [
  'refused',
  'stopped',
  'threw',
  'no trade',
  'no value',
  'died',
  'too long',
] as const;

export type FailureKind = (typeof FAILURE_KINDS)[number];

/** Report of a trial without metrics, with the reason. */
export const failedReport = z.strictObject({
  kind: z.literal('failed'),
  failure: z.enum(FAILURE_KINDS),
  reason: z.string(),
});
export type FailedReport = Readonly<z.output<typeof failedReport>>;

export type TrialReport =
  | { readonly kind: 'ran'; readonly metrics: TrialMetrics; readonly daily: DailyReturns }
  | FailedReport;

/** Time range in ms since 1970; its end is not part of it. */
export interface RunRange {
  readonly fromMs: number;
  readonly toMs: number;
}

/** Metrics that are shown for every trial, besides the objectives. */
const ALWAYS_SHOWN: readonly string[] = ['totalReturn', 'maxDrawdown', 'trades'];

/** Returns the metrics that a table of trials shows, the objectives first. */
export const shownFigures = (objectives: readonly string[]): readonly string[] => [
  ...new Set([...objectives, ...ALWAYS_SHOWN]),
];

/** Metrics that are fractions, according to the schema of a summary. */
const FRACTIONS = new Set([
  'maxDrawdown',
  ...Object.entries(summarySchema.shape).flatMap(([name, { description }]) =>
    description?.startsWith('A fraction') === true ? [name] : [],
  ),
]);

export function figureKind(name: string): FigureKind {
  if (FRACTIONS.has(name)) return 'fraction';
  return name.endsWith('Ms') ? 'length' : 'number';
}
