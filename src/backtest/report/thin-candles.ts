import type { CandleColumns } from '../../domain/candle-columns.ts';
import { stepAt, type TimeGrid } from './time-grid.ts';

/** Bars by step of a grid, in whole numbers of 10^-decimals. `at` rises; steps without a bar are left out. */
export interface ThinCandles {
  readonly decimals: number;
  readonly at: number[];
  readonly open: number[];
  readonly high: number[];
  readonly low: number[];
  readonly close: number[];
}

/** The bars of a market as the steps of a grid have them: first open, highest high, lowest low, last close. */
export function thinCandles(candles: CandleColumns, grid: TimeGrid): ThinCandles {
  const thin: ThinCandles = { decimals: candles.priceDecimals, at: [], open: [], high: [], low: [], close: [] };
  let current = -1;
  let last = Number.NEGATIVE_INFINITY;
  for (let bar = 0; bar < candles.length; bar += 1) {
    const step = stepAt(grid, candles.openTimeMs[bar] ?? 0);
    const high = candles.high[bar] ?? 0;
    const low = candles.low[bar] ?? 0;
    if (step !== last) {
      last = step;
      current += 1;
      thin.at.push(step);
      thin.open.push(candles.open[bar] ?? 0);
      thin.high.push(high);
      thin.low.push(low);
      thin.close.push(0);
    }
    thin.high[current] = Math.max(thin.high[current] ?? high, high);
    thin.low[current] = Math.min(thin.low[current] ?? low, low);
    thin.close[current] = candles.close[bar] ?? 0;
  }
  return thin;
}
