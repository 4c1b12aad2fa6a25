import * as averages from './averages.ts';
import type { IndicatorEntry } from './declare-indicator.ts';
import * as momentum from './momentum.ts';
import * as oscillators from './oscillators.ts';
import * as stops from './stops.ts';
import * as trends from './trends.ts';
import * as volatility from './volatility.ts';
import * as volume from './volume.ts';

/**
 * Every indicator that a strategy can declare. Left out of the library are:
 *
 * - those whose formula is not the published one: `ER` (divides by the range, not by the way), `PGO`
 *   (averages the true range twice), `ProjectionOscillator` (one slope for both bands), `PSAR` (bounds by one
 *   bar where Wilder has two, and moves by 0.01 whatever the price), `REI` (sums over all bars since the
 *   start and keeps them), `RandomWalkIndex` (counts one bar less), `VolatilityStop` (another rule than
 *   Wilder's), `GannHiLo` (its line stands still between breaks);
 * - those that have a value only where a pattern completes, so that no warm-up gives them one:
 *   `BreakoutBarLow`, `HigherLowTrail`, `SwingHigh`, `SwingLow`, `TDS`, `ZigZag`;
 * - levels that depend on where they began, and can not be a sum over a window: `NVI`, `PVI`; those that can
 *   (`AD`, `AccumulativeSwingIndex`, `OBV`, `PVT`, `VWAP`, `WAD`) are in as such;
 * - `QQE`, whose trailing line was never published as a formula;
 * - what another one is: `DMA` (two `sma`), `RMA` (`wsma`, begun otherwise), `EMA` and `MACD` (begun with the
 *   first close; ours begin with the simple average), `TRIX` (divides by the newer value), `AC` and
 *   `StochasticRSI` (skip values of 0; ours are made of their parts).
 */
export const INDICATORS: ReadonlyMap<string, IndicatorEntry> = new Map(
  Object.values({
    ...averages,
    ...trends,
    ...stops,
    ...oscillators,
    ...momentum,
    ...volatility,
    ...volume,
  }).map(({ entry }) => [entry.kind, entry]),
);
