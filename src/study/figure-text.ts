import { numberText, percentText } from '../backtest/report/value-text.ts';
import { summarySchema } from '../backtest/result/result-schema.ts';
import { groupedText } from '../domain/money-text.ts';
import { durationText } from '../domain/time-text.ts';
import type { TrialMetrics } from './goals/objectives.ts';

/** Figures that are shown of every trial, beside the objectives. */
export const ALWAYS_SHOWN: readonly string[] = ['totalReturn', 'maxDrawdown', 'trades'];

/** Figures that are fractions, by what the schema of a summary says of them. */
const FRACTIONS = new Set([
  'maxDrawdown',
  ...Object.entries(summarySchema.shape).flatMap(([name, { description }]) =>
    description?.startsWith('A fraction') === true ? [name] : [],
  ),
]);

/** One figure as people read it. */
export function figureText(name: string, metrics: TrialMetrics | null): string {
  const value = metrics?.[name] ?? null;
  if (value === null) return 'n/a';
  if (FRACTIONS.has(name)) return percentText(value);
  if (name.endsWith('Ms')) return durationText(value);
  return Number.isInteger(value) ? groupedText(String(value), 0) : numberText(value);
}

/** One param as people read it. */
export function paramText(value: unknown): string {
  if (value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
