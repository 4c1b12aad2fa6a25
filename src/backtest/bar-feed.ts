import { gridOfColumns, type CandleColumns, checkCell } from '../domain/candle-columns.ts';
import { SarrafError } from '../domain/errors.ts';
import { gridOf, gridText, liesInside, type BarGrid, type Timeframe } from '../domain/candle.ts';
import { ColumnCandle, type BarSource } from '../strategy/column-candle.ts';
import type { ClosedCandle } from '../strategy/strategy-event.ts';

const NO_BARS: readonly ClosedCandle[] = [];

/**
 * The bars of one market at one length, made of recorded ones as they close: the same, or longer ones put
 * together. A longer bar whose last parts are missing is closed by the first part that comes after it, since
 * until then nothing says that there is none.
 */
export class BarFeed {
  readonly timeframe: Timeframe;
  /** True if its bars are the recorded ones, so that each closes exactly one. */
  readonly isOneToOne: boolean;
  private readonly columns: CandleColumns;
  private readonly parts: BarGrid;
  private readonly grid: BarGrid;
  private readonly source: BarSource;
  private readonly built: BuiltBars | null;
  /** End of the longer bar that is being built; NaN before the first. */
  private endMs = Number.NaN;

  /** Throws `INVALID_OPTIONS` where bars of this length can not be made of the recorded ones. */
  constructor(columns: CandleColumns, timeframe: Timeframe) {
    this.columns = columns;
    this.timeframe = timeframe;
    this.parts = gridOfColumns(columns);
    this.grid = gridOf(timeframe, columns.anchors);
    this.isOneToOne = columns.timeframe === timeframe;
    if (!this.isOneToOne) refuseStraddling(columns, { parts: this.parts, whole: this.grid });
    this.source = { columns, timeframe, grid: this.grid, seenAtMs: null };
    this.built = this.isOneToOne ? null : new BuiltBars(columns, timeframe);
  }

  /** The bars that close with the recorded bar `index`: to be called for each, in order. */
  closedBy(index: number): readonly ClosedCandle[] {
    const { built } = this;
    if (built === null) return [this.same(index)];
    const openTimeMs = this.columns.openTimeMs[index] ?? Number.NaN;
    const seenAtMs = this.parts.endOf(openTimeMs);
    let bars = NO_BARS;
    if (built.isBuilding && openTimeMs < this.endMs) built.add(index);
    else {
      if (built.isBuilding) bars = [built.close(seenAtMs)];
      const startMs = this.grid.startOf(openTimeMs);
      this.endMs = this.grid.endOf(startMs);
      built.begin(startMs, index);
    }
    if (seenAtMs !== this.endMs) return bars;
    const bar = built.close(seenAtMs);
    return bars.length === 0 ? [bar] : [...bars, bar];
  }

  /** The recorded bar `index` itself, instead of `closedBy` where the feed is one to one. */
  same(index: number): ClosedCandle {
    return new ColumnCandle(this.source, index);
  }
}

/**
 * Throws `INVALID_OPTIONS` where bars do not lie whole inside the longer ones that are to be made of them.
 */
export function refuseStraddling(
  { market }: CandleColumns,
  { parts, whole }: { readonly parts: BarGrid; readonly whole: BarGrid },
): void {
  if (liesInside(parts, whole)) return;
  if (whole.lengthMs % parts.lengthMs !== 0) {
    throw new SarrafError(
      'INVALID_OPTIONS',
      `expected recorded bars of ${market} that candles of ${whole.timeframe} can be made of, were of the timeframe ${parts.timeframe}`,
    );
  }
  throw new SarrafError(
    'INVALID_OPTIONS',
    `expected recorded bars of ${market} that lie whole inside candles of ${gridText(whole)}, were ${gridText(parts)}: run on shorter ones, such as 30m or 1m`,
  );
}

/** Longer bars of one market, put together of recorded ones, in columns that hold as many as there may be. */
class BuiltBars {
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
