import type { BacktestSummary } from '../../backtest/result-schema.ts';
import type { TrialMetrics } from '../objectives.ts';

/** The figures of a summary as numbers. Money becomes the float next to it. */
export function trialMetrics({ quote: _quote, ...figures }: BacktestSummary): TrialMetrics {
  return Object.fromEntries(
    Object.entries(figures).map(([name, value]) => [name, value === null ? null : Number(value)]),
  );
}
