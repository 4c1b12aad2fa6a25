import { cellText, type CandleColumns } from '../domain/candle-columns.ts';
import { SarrafError } from '../domain/errors.ts';
import { barStartMs, timeframeMs, type Timeframe } from '../domain/timeframe.ts';
import { ColumnCandle, type BarSource } from '../strategy/column-candle.ts';
import type { ClosedCandle } from '../strategy/strategy-event.ts';

/** A longer bar while its parts come in. Cells of the columns. */
interface Building {
  readonly openTimeMs: number;
  readonly open: number;
  high: number;
  low: number;
  close: number;
  volume: number;
}

const NO_BARS: readonly ClosedCandle[] = [];

/**
 * The bars of one market at one length, made of recorded ones as they close: the same, or longer ones put
 * together. A longer bar whose last parts are missing is closed by the first part that comes after it, since
 * until then nothing says that there is none.
 */
export class BarFeed {
  readonly timeframe: Timeframe;
  private readonly columns: CandleColumns;
  private readonly partMs: number;
  private readonly lengthMs: number;
  private readonly source: BarSource;
  /** NaN before the first. */
  private lastOpenMs = Number.NaN;
  private building: Building | null = null;

  /** Throws `INVALID_OPTIONS` where bars of this length can not be made of the recorded ones. */
  constructor(columns: CandleColumns, timeframe: Timeframe) {
    this.columns = columns;
    this.timeframe = timeframe;
    this.partMs = timeframeMs(columns.timeframe);
    this.lengthMs = timeframeMs(timeframe);
    this.source = { columns, timeframe, barMs: this.lengthMs };
    if (this.lengthMs % this.partMs === 0) return;
    throw new SarrafError(
      'INVALID_OPTIONS',
      `expected recorded bars of ${columns.market} that candles of ${timeframe} can be made of, were of the timeframe ${columns.timeframe}`,
    );
  }

  /** Whether its bars are the recorded ones, so that each closes exactly one. */
  get isOneToOne(): boolean {
    return this.lengthMs === this.partMs;
  }

  /** The bars that close with the recorded bar `index`: to be called for each, in order. */
  closedBy(index: number): readonly ClosedCandle[] {
    if (this.isOneToOne) return [this.same(index)];
    const { columns, building } = this;
    const openTimeMs = columns.openTimeMs[index] ?? Number.NaN;
    const bucketMs = barStartMs(openTimeMs, this.timeframe);
    const seenAtMs = openTimeMs + this.partMs;
    const bars: ClosedCandle[] = [];
    if (building !== null && building.openTimeMs !== bucketMs) bars.push(this.close(building, seenAtMs));
    this.add(index, bucketMs);
    if (this.building !== null && seenAtMs === bucketMs + this.lengthMs)
      bars.push(this.close(this.building, seenAtMs));
    return bars.length === 0 ? NO_BARS : bars;
  }

  /** The recorded bar `index` itself, instead of `closedBy` where the feed is one to one. */
  same(index: number): ClosedCandle {
    return new ColumnCandle(
      this.source,
      index,
      this.missedBefore(this.columns.openTimeMs[index] ?? Number.NaN),
    );
  }

  private add(index: number, bucketMs: number): void {
    const { open, high, low, close, volume } = this.columns;
    const cell = (column: Float64Array): number => column[index] ?? Number.NaN;
    const { building } = this;
    if (building === null || building.openTimeMs !== bucketMs) {
      this.building = {
        openTimeMs: bucketMs,
        open: cell(open),
        high: cell(high),
        low: cell(low),
        close: cell(close),
        volume: cell(volume),
      };
      return;
    }
    building.high = Math.max(building.high, cell(high));
    building.low = Math.min(building.low, cell(low));
    building.close = cell(close);
    building.volume += cell(volume);
  }

  private close(built: Building, seenAtMs: number): ClosedCandle {
    this.building = null;
    const { priceDecimals, volumeDecimals } = this.columns;
    const { openTimeMs, open, high, low, close, volume } = built;
    const candle = {
      openTimeMs,
      open: cellText(open, priceDecimals),
      high: cellText(high, priceDecimals),
      low: cellText(low, priceDecimals),
      close: cellText(close, priceDecimals),
      volume: cellText(volume, volumeDecimals),
    };
    return this.asClosed(candle, seenAtMs);
  }

  private asClosed(
    candle: Omit<ClosedCandle, 'market' | 'timeframe' | 'seenAtMs' | 'missedBefore'>,
    seenAtMs: number,
  ): ClosedCandle {
    const missedBefore = this.missedBefore(candle.openTimeMs);
    return { ...candle, market: this.columns.market, timeframe: this.timeframe, seenAtMs, missedBefore };
  }

  private missedBefore(openTimeMs: number): number {
    const { lengthMs, lastOpenMs } = this;
    this.lastOpenMs = openTimeMs;
    if (openTimeMs === lastOpenMs + lengthMs || Number.isNaN(lastOpenMs)) return 0;
    return Math.round((openTimeMs - lastOpenMs) / lengthMs) - 1;
  }
}
