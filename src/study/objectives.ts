import { REQUEST_FIGURES } from '../backtest/finish-run.ts';
import type { Direction, TrialOutcome } from '../search/trial-record.ts';
import { type BacktestSummary, summarySchema } from '../backtest/result-schema.ts';
import type { DailyReturns } from '../backtest/statistics.ts';
import type { FigureKind } from '../page/study-data.ts';

/** Metrics of a trial: figures by name; null if a figure has no value. */
export type TrialMetrics = Readonly<Record<string, number | null>>;

/** A figure that a study makes as large or as small as it can. */
export interface Objective {
  readonly metric: string;
  readonly direction: Direction;
}

/** A figure that must not be below `least`, or above `most`. */
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

/** Figures of which less is better. */
const LESS_IS_BETTER: ReadonlySet<string> = new Set([
  'volatility',
  'maxDrawdown',
  'maxDrawdownMs',
  'longestDrawdownMs',
  'fees',
  'refused',
  ...REQUEST_FIGURES,
]);

/** The direction of an objective that names none. */
export function usualDirection(metric: string): Direction {
  return LESS_IS_BETTER.has(metric) ? 'minimize' : 'maximize';
}

/** A trial that ran to its end, as a sampler is told of it. An objective without a value makes it fail. */
export function judgeTrial(metrics: TrialMetrics, { objectives, constraints }: Goals): TrialOutcome {
  const values: number[] = [];
  for (const { metric } of objectives) {
    const value = metrics[metric] ?? null;
    if (value === null) {
      const trades = metrics['trades'] ?? 0;
      const reason = `expected a value of ${metric}, found none: ${trades} trades were closed`;
      return { kind: 'failed', reason };
    }
    values.push(value);
  }
  return { kind: 'complete', values, violation: violationOf(metrics, constraints) };
}

/**
 * Returns how far constraints are broken: the sum of `|value - bound| / |bound|`; for a bound of 0 the
 * distance itself. A figure without a value breaks its constraint by 1.
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

/** The figures of a summary as numbers. Money becomes the float next to it. */
export function trialMetrics({ quote: _quote, ...figures }: BacktestSummary): TrialMetrics {
  return Object.fromEntries(
    Object.entries(figures).map(([name, value]) => [name, value === null ? null : Number(value)]),
  );
}

/**
 * Reason a trial has no figures:
 *
 * - `refused`: the strategy refuses these params.
 * - `stopped`: the strategy threw during the run, and stopped.
 * - `threw`: the run itself could not be made.
 * - `no value`: an objective has no value, such as the Sharpe ratio of a run without trades.
 * - `died`: the thread that ran it ended, twice.
 * - `too long`: it did not end in time.
 */
export const FAILURE_KINDS = ['refused', 'stopped', 'threw', 'no value', 'died', 'too long'] as const;

export type FailureKind = (typeof FAILURE_KINDS)[number];

/** Report without figures, and the reason. */
export interface FailedReport {
  readonly kind: 'failed';
  readonly failure: FailureKind;
  readonly reason: string;
}

export type TrialReport =
  | { readonly kind: 'ran'; readonly metrics: TrialMetrics; readonly daily: DailyReturns }
  | FailedReport;

/** A range of time in ms since 1970; its end is not in it. */
export interface RunRange {
  readonly fromMs: number;
  readonly toMs: number;
}

/** Figures that are shown of every trial, beside the objectives. */
const ALWAYS_SHOWN: readonly string[] = ['totalReturn', 'maxDrawdown', 'trades'];

/** The figures that a table of trials has: the objectives first. */
export function shownFigures(objectives: readonly string[]): readonly string[] {
  return [...new Set([...objectives, ...ALWAYS_SHOWN])];
}

/** Figures that are fractions, by what the schema of a summary says of them. */
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
