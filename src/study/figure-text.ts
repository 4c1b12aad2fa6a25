import { numberText, percentText } from '../backtest/report/value-text.ts';
import { summarySchema } from '../backtest/result/result-schema.ts';
import { groupedText } from '../domain/money-text.ts';
import { durationText } from '../domain/time-text.ts';
import type { TrialMetrics } from './goals/objectives.ts';
import type { FigureKind } from './report/report-shapes.ts';

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

/** One figure as people read it. */
export function figureText(name: string, metrics: TrialMetrics | null): string {
  const value = metrics?.[name] ?? null;
  if (value === null) return 'n/a';
  const kind = figureKind(name);
  if (kind === 'fraction') return percentText(value);
  if (kind === 'length') return durationText(value);
  return Number.isInteger(value) ? groupedText(String(value), 0) : numberText(value);
}

/** One param as people read it. */
export function paramText(value: unknown): string {
  if (value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
