import { resolutionMs } from '../../domain/candle.ts';
import { cellUnits, columnScale, type CandleColumns } from '../../domain/candle-columns.ts';
import { floorAmount, roundPrice } from '../../domain/market.ts';
import type { Bar } from '../../simulator/core/market/candle-series.ts';
import type { RecordedMarket } from './recorded-market.ts';

/** Gives a market bars of the past, of which only those count that closed before the recording begins. To be called before anything is recorded. */
export function seedPast({ state }: RecordedMarket, columns: CandleColumns, beforeMs: number): void {
  const { grid } = state;
  const { resolution, openTimeMs } = columns;
  const priceScale = columnScale(columns.priceDecimals);
  const volumeScale = columnScale(columns.volumeDecimals);
  const price = (column: Float64Array, index: number): number =>
    Math.max(1, roundPrice(grid, cellUnits(column[index] ?? 0, priceScale)));
  const bars: Bar[] = [];
  for (let index = 0; index < columns.length; index += 1) {
    const openedMs = openTimeMs[index] ?? Number.POSITIVE_INFINITY;
    if (openedMs + resolutionMs(resolution) > beforeMs) break;
    const close = price(columns.close, index);
    const volume = floorAmount(grid, cellUnits(columns.volume[index] ?? 0, volumeScale));
    bars.push({
      openTimeMs: openedMs,
      open: price(columns.open, index),
      high: price(columns.high, index),
      low: price(columns.low, index),
      close,
      volume,
      value: BigInt(volume) * BigInt(close),
    });
    state.lastPrice = close;
  }
  state.candles.seed(resolution, bars);
}
