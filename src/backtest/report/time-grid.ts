import type { BacktestRun } from '../backtest-run.ts';

/** The stretches of time that a report draws as one bar each: counted from `startMs`, each `stepMs` long. */
export interface TimeGrid {
  readonly startMs: number;
  readonly stepMs: number;
  readonly isThinned: boolean;
}

/** Cells that a report's curves and bars may have together: what keeps a report of a million bars below two megabytes. */
const MOST_CELLS = 60_000;
/** Curves that are drawn beside the bars of the markets. */
const CURVES = 3;
/** However few bars there are: no chart shows more at once. */
const MOST_STEPS = 15_000;
const SECOND_MS = 1_000;

/** The grid of a run: its own bars where these are few enough, else as many of them in one step as it takes. A step is never below a second. */
export function timeGrid({ fromMs, toMs, barMs, markets }: BacktestRun): TimeGrid {
  const starts = markets.flatMap(({ candles }) => (candles.length > 0 ? [candles.openTimeMs[0] ?? fromMs] : []));
  const firstMs = Math.min(fromMs, ...starts);
  const most = Math.min(MOST_STEPS, Math.floor(MOST_CELLS / (CURVES + markets.length)));
  const bars = Math.max(1, Math.ceil((toMs - firstMs) / barMs / most));
  const stepMs = Math.max(1, Math.ceil((bars * barMs) / SECOND_MS)) * SECOND_MS;
  return { startMs: Math.floor(firstMs / stepMs) * stepMs, stepMs, isThinned: stepMs > barMs };
}

/** The step that a moment is in. What closes a bar belongs to the bar, so its moment is counted a millisecond before. */
export function stepAt(grid: TimeGrid, timeMs: number): number {
  return Math.floor((timeMs - grid.startMs) / grid.stepMs);
}
