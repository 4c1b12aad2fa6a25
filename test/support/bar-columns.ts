import type { CandleColumns } from '../../src/domain/candle-columns.ts';
import type { MarketSymbol } from '../../src/domain/market-symbol.ts';
import type { Timeframe } from '../../src/domain/candle.ts';

/** Columns of bars from rows of: when the bar begins, its open, high, low, close and volume. */
export function barColumns(
  market: MarketSymbol,
  timeframe: Timeframe,
  rows: readonly (readonly number[])[],
  { priceDecimals = 0, volumeDecimals = 0 } = {},
): CandleColumns {
  const column = (place: number): Float64Array => Float64Array.from(rows, (row) => row[place] ?? Number.NaN);
  return {
    market,
    timeframe,
    length: rows.length,
    openTimeMs: column(0),
    priceDecimals,
    open: column(1),
    high: column(2),
    low: column(3),
    close: column(4),
    volumeDecimals,
    volume: column(5),
  };
}
