import type { EquityCurve } from '../backtest-run.ts';
import { drawdowns } from '../metrics/drawdown.ts';
import { stepAt, type TimeGrid } from './time-grid.ts';

/** The equity by step of a grid: its last, lowest and highest value, and its deepest drawdown as a fraction. `at` rises. */
export interface ThinEquity {
  readonly at: number[];
  readonly last: number[];
  readonly low: number[];
  readonly high: number[];
  readonly depth: number[];
}

/** The curve as the steps of a grid have it, extremes kept. */
export function thinEquity(curve: EquityCurve, initialEquity: number, grid: TimeGrid): ThinEquity {
  const values = curve.equity.subarray(0, curve.length);
  const depths = drawdowns(initialEquity, values);
  const thin: ThinEquity = { at: [], last: [], low: [], high: [], depth: [] };
  let current = -1;
  let lastStep = Number.NEGATIVE_INFINITY;
  for (let index = 0; index < values.length; index += 1) {
    const step = stepAt(grid, (curve.timeMs[index] ?? 0) - 1);
    const value = values[index] ?? 0;
    if (step !== lastStep) {
      lastStep = step;
      current += 1;
      thin.at.push(step);
      thin.last.push(value);
      thin.low.push(value);
      thin.high.push(value);
      thin.depth.push(0);
    }
    thin.last[current] = value;
    thin.low[current] = Math.min(thin.low[current] ?? value, value);
    thin.high[current] = Math.max(thin.high[current] ?? value, value);
    thin.depth[current] = Math.max(thin.depth[current] ?? 0, depths[index] ?? 0);
  }
  return thin;
}
