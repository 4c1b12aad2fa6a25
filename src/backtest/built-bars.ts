import { checkCell, type CandleColumns } from '../domain/candle-columns.ts';
import { gridOf, type BarGrid } from '../domain/bar-grid.ts';
import type { Timeframe } from '../domain/timeframe.ts';
import { ColumnCandle, type BarSource } from '../strategy/column-candle.ts';
import type { ClosedCandle } from '../strategy/strategy-event.ts';

/** Longer bars of one market, put together of recorded ones, in columns that hold as many as there may be. */
export class BuiltBars {
  /** True while the last bar is in progress. */
  isBuilding = false;
  private readonly parts: CandleColumns;
  private readonly columns: CandleColumns;
  private readonly seenAtMs: Float64Array;
  private readonly source: BarSource;
  /** Those that have closed: the place of the next. */
  private count = 0;

  constructor(parts: CandleColumns, timeframe: Timeframe) {
    const grid = gridOf(timeframe, parts.anchors);
    const length = mostBars(parts, grid);
    const column = (): Float64Array => new Float64Array(length);
    this.parts = parts;
    this.columns = {
      market: parts.market,
      timeframe,
      anchors: parts.anchors,
      length,
      openTimeMs: column(),
      priceDecimals: parts.priceDecimals,
      open: column(),
      high: column(),
      low: column(),
      close: column(),
      volumeDecimals: parts.volumeDecimals,
      volume: column(),
    };
    this.seenAtMs = column();
    this.source = {
      columns: this.columns,
      timeframe,
      grid,
      seenAtMs: this.seenAtMs,
    };
  }

  /** A bar begins with a recorded one. */
  begin(openTimeMs: number, index: number): void {
    const { columns, parts, count } = this;
    this.isBuilding = true;
    columns.openTimeMs[count] = openTimeMs;
    columns.open[count] = parts.open[index] ?? Number.NaN;
    columns.high[count] = parts.high[index] ?? Number.NaN;
    columns.low[count] = parts.low[index] ?? Number.NaN;
    columns.close[count] = parts.close[index] ?? Number.NaN;
    columns.volume[count] = parts.volume[index] ?? Number.NaN;
  }

  /** It goes on with another. */
  add(index: number): void {
    const { count, parts } = this;
    const { high, low, close, volume } = this.columns;
    const [partHigh, partLow] = [parts.high[index] ?? Number.NaN, parts.low[index] ?? Number.NaN];
    if (partHigh > (high[count] ?? Number.NaN)) high[count] = partHigh;
    if (partLow < (low[count] ?? Number.NaN)) low[count] = partLow;
    close[count] = parts.close[index] ?? Number.NaN;
    volume[count] = (volume[count] ?? Number.NaN) + (parts.volume[index] ?? Number.NaN);
  }

  /** It is over, which is known at `seenAtMs`. Throws `TOO_LARGE` where its volume can not be counted. */
  close(seenAtMs: number): ClosedCandle {
    const { count } = this;
    checkCell(this.columns.volume[count] ?? Number.NaN);
    this.seenAtMs[count] = seenAtMs;
    this.isBuilding = false;
    this.count = count + 1;
    return new ColumnCandle(this.source, count);
  }
}

/** No more than there are parts, or lengths of time from the first of them to the last. */
function mostBars({ length, openTimeMs }: CandleColumns, grid: BarGrid): number {
  if (length === 0) return 0;
  const [firstMs, lastMs] = [openTimeMs[0] ?? Number.NaN, openTimeMs[length - 1] ?? Number.NaN];
  return Math.min(length, grid.count(grid.startOf(firstMs), lastMs + 1));
}
