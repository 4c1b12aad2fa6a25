import { SECOND_MS } from '../../domain/time-text.ts';
import { gridOfColumns, type CandleColumns } from '../../domain/candle-columns.ts';
import type { BacktestRun, EquityCurve } from '../backtest-run.ts';
import { DrawdownMeter } from '../metrics/equity-metrics.ts';
import type { BarValues } from '../../domain/candle.ts';

/** Time grid of a report, which draws one bar per step. Steps are counted from `startMs`. */
export interface TimeGrid {
  readonly startMs: number;
  readonly stepMs: number;
  readonly isThinned: boolean;
}

/** Maximum number of numbers in all curves and bars of a report, which keeps it below three megabytes. */
const MOST_NUMBERS = 720_000;
/** Numbers in one step: of the thinned equity, and of a bar. */
const OF_EQUITY = 4;
const OF_BAR = 5;
/** Maximum number of steps of a grid, since more would make a page slow. Seven years of hours have 61,362. */
const MOST_STEPS = 64_000;

/** Returns the grid of a run: a step for each bar, or for several if there are many, of a second at least. */
export function timeGrid({ fromMs, toMs, barMs, markets, plots }: BacktestRun): TimeGrid {
  const starts = markets.flatMap(({ candles }) =>
    candles.length > 0 ? [candles.openTimeMs[0] ?? fromMs] : [],
  );
  const firstMs = Math.min(fromMs, ...starts);
  const ofStep = OF_EQUITY + OF_BAR * markets.length + plots.length;
  const most = Math.min(MOST_STEPS, Math.floor(MOST_NUMBERS / ofStep));
  const bars = Math.max(1, Math.ceil((toMs - firstMs) / barMs / most));
  const stepMs = Math.max(1, Math.ceil((bars * barMs) / SECOND_MS)) * SECOND_MS;
  const phaseMs = phaseOf(markets, firstMs);
  const startMs = Math.floor((firstMs - phaseMs) / stepMs) * stepMs + phaseMs;
  return { startMs, stepMs, isThinned: stepMs > barMs };
}

/**
 * Returns the offset of bars from a multiple of their length, in ms, so that a bar and its close share a
 * step. If the clock of their zone was changed, earlier bars lie in other steps than their closes.
 */
function phaseOf(markets: BacktestRun['markets'], firstMs: number): number {
  const finest = markets
    .filter(({ candles }) => candles.length > 0)
    .map(({ candles }) => gridOfColumns(candles))
    .toSorted((left, right) => left.lengthMs - right.lengthMs)[0];
  return finest === undefined ? 0 : finest.startOf(firstMs) % finest.lengthMs;
}

/** Returns the step that contains a time. For a value at the close of a bar pass a time 1 ms earlier. */
export function stepAt(grid: TimeGrid, timeMs: number): number {
  return Math.floor((timeMs - grid.startMs) / grid.stepMs);
}

/** Equity in each step of a grid: last, least and greatest value, deepest drawdown as a share. `at` rises. */
export interface ThinEquity {
  readonly at: number[];
  readonly last: number[];
  readonly low: number[];
  readonly high: number[];
  readonly depth: number[];
}

/** Returns the equity curve in the steps of a grid; extremes are kept. */
export function thinEquity(curve: EquityCurve, initialEquity: number, grid: TimeGrid): ThinEquity {
  const { equity, timeMs, length } = curve;
  const drawdown = new DrawdownMeter(initialEquity);
  const thin: ThinEquity = { at: [], last: [], low: [], high: [], depth: [] };
  let current = -1;
  let lastStep = Number.NEGATIVE_INFINITY;
  for (let index = 0; index < length; index += 1) {
    const step = stepAt(grid, (timeMs[index] ?? 0) - 1);
    const value = equity[index] ?? 0;
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
    thin.depth[current] = Math.max(thin.depth[current] ?? 0, drawdown.next(value));
  }
  return thin;
}

/** Bars in the steps of a grid, in whole numbers of 10^-decimals. `at` rises; empty steps are left out. */
export interface ThinCandles extends BarValues<number[]> {
  readonly decimals: number;
  readonly at: number[];
}

/** Returns the bars of a market in the steps of a grid, each the sum of the bars within. */
export function thinCandles(candles: CandleColumns, grid: TimeGrid): ThinCandles {
  const thin: ThinCandles = {
    decimals: candles.priceDecimals,
    at: [],
    open: [],
    high: [],
    low: [],
    close: [],
    volume: [],
  };
  const volumeScale = 10 ** candles.volumeDecimals;
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
      thin.volume.push(0);
    }
    thin.high[current] = Math.max(thin.high[current] ?? high, high);
    thin.low[current] = Math.min(thin.low[current] ?? low, low);
    thin.close[current] = candles.close[bar] ?? 0;
    thin.volume[current] = (thin.volume[current] ?? 0) + (candles.volume[bar] ?? 0) / volumeScale;
  }
  return thin;
}

/** Points of a thinned curve, extremes included. */
interface CurvePoints {
  readonly timeMs: number[];
  readonly value: number[];
}

/**
 * Returns at most `most` points (4 or more) of a curve: the lowest and the highest of each of equal ranges,
 * and the last. A curve that is short enough is unchanged.
 */
export function thinCurve(
  curve: { readonly timeMs: Float64Array; readonly value: Float64Array },
  most: number,
): CurvePoints {
  const { timeMs, value } = curve;
  if (value.length <= most) return { timeMs: [...timeMs], value: [...value] };
  const parts = Math.floor((most - 1) / 2);
  const chosen = new Set<number>();
  for (let part = 0; part < parts; part += 1) {
    const from = Math.floor((part * value.length) / parts);
    const to = Math.floor(((part + 1) * value.length) / parts);
    const { lowest, highest } = extremes(value, from, to);
    chosen.add(Math.min(lowest, highest)).add(Math.max(lowest, highest));
  }
  const indices = [...chosen.add(value.length - 1)];
  return {
    timeMs: indices.map((index) => timeMs[index] ?? 0),
    value: indices.map((index) => value[index] ?? 0),
  };
}

/** Returns the first index of the lowest and of the highest value in a range; `to` is excluded. */
function extremes(
  value: Float64Array,
  from: number,
  to: number,
): { readonly lowest: number; readonly highest: number } {
  let lowest = from;
  let highest = from;
  for (let index = from + 1; index < to; index += 1) {
    if ((value[index] ?? 0) < (value[lowest] ?? 0)) lowest = index;
    if ((value[index] ?? 0) > (value[highest] ?? 0)) highest = index;
  }
  return { lowest, highest };
}
