import { summarySchema } from '../backtest/result-schema.ts';
import type { FigureKind } from '../page/study-data.ts';

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
