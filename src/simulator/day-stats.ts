import { DAY_MS, HOUR_MS } from '../domain/time-text.ts';
import type { SimulatedBar } from './candle-series.ts';
import type { MarketState } from './market-state.ts';

/** The last day of a market in steps of its grid; prices null before its first trade. */
interface DayStats {
  readonly open: number | null;
  readonly high: number | null;
  readonly low: number | null;
  readonly close: number;
  readonly volume: number;
  /** Sum of price times amount in steps. */
  readonly value: bigint;
  readonly bestBuy: number | null;
  readonly bestSell: number | null;
}

/**
 * Sums up the 24 hours before `timeMs`, by whole hourly bars: those that began within them, and the running
 * one.
 */
export function dayStats(market: MarketState, timeMs: number): DayStats {
  const from = Math.floor((timeMs - DAY_MS) / HOUR_MS) * HOUR_MS + HOUR_MS;
  const bars = lastBarsFrom(market.candles.bars('1h'), from);
  const first = bars[0];
  return {
    open: first?.open ?? null,
    high: first === undefined ? null : bars.reduce((most, bar) => Math.max(most, bar.high), first.high),
    low: first === undefined ? null : bars.reduce((least, bar) => Math.min(least, bar.low), first.low),
    close: market.lastPrice,
    volume: bars.reduce((sum, bar) => sum + bar.volume, 0),
    value: bars.reduce((sum, bar) => sum + bar.value, 0n),
    bestBuy: market.book.buys.best?.price ?? null,
    bestSell: market.book.sells.best?.price ?? null,
  };
}

function lastBarsFrom(bars: readonly SimulatedBar[], fromMs: number): readonly SimulatedBar[] {
  let index = bars.length;
  while (index > 0 && (bars[index - 1]?.openTimeMs ?? 0) >= fromMs) index -= 1;
  return bars.slice(index);
}
