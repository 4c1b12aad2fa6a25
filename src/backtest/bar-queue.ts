import { type BarGrid, gridOf, gridText, liesInside, type Timeframe } from '../domain/candle.ts';
import {
  cellText,
  cellUnits,
  columnScale,
  firstBarFrom,
  gridOfColumns,
  type CandleColumns,
  checkCell,
} from '../domain/candle-columns.ts';
import type { DecimalText } from '../domain/decimal-text.ts';
import type { Market } from '../domain/market.ts';
import type { Units } from '../domain/money.ts';
import type { BarPrices } from '../engine/bar-prices.ts';
import type { CandleListener } from '../engine/strategy-dispatcher.ts';
import { SarrafError } from '../domain/errors.ts';
import { ColumnCandle, type BarSource } from '../strategy/column-candle.ts';
import type { ClosedCandle } from '../strategy/strategy-event.ts';

/** The places of the finer bars inside of a bar: from the first to the last, which is one of them. */
interface BarParts {
  readonly first: number;
  readonly last: number;
}

const PRICES = ['open', 'high', 'low', 'close'] as const;

/** Finer bars of the same market, by the bars that they lie inside of. */
class BarDetail {
  readonly columns: CandleColumns;
  private readonly whole: CandleColumns;

  /** Throws `INVALID_OPTIONS` where the finer bars do not lie whole inside the others. */
  constructor(whole: CandleColumns, columns: CandleColumns) {
    refuseStraddling(columns, { parts: gridOfColumns(columns), whole: gridOfColumns(whole) });
    this.whole = whole;
    this.columns = columns;
  }

  /**
   * Those inside of the bar `index`, where they reach from its begin to its end, and together have its open,
   * high, low and close; else null.
   */
  partsOf(index: number): BarParts | null {
    const { whole, columns } = this;
    const openMs = whole.openTimeMs[index] ?? Number.NaN;
    const endMs = gridOfColumns(whole).endOf(openMs);
    const first = firstBarFrom(columns, openMs);
    const last = firstBarFrom(columns, endMs) - 1;
    const hasEnds =
      columns.openTimeMs[first] === openMs &&
      gridOfColumns(columns).endOf(columns.openTimeMs[last] ?? Number.NaN) === endMs;
    return hasEnds && this.agrees(index, { first, last }) ? { first, last } : null;
  }

  private agrees(index: number, { first, last }: BarParts): boolean {
    const { whole, columns } = this;
    let [high, low] = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
    for (let place = first; place <= last; place += 1) {
      high = Math.max(high, columns.high[place] ?? Number.NaN);
      low = Math.min(low, columns.low[place] ?? Number.NaN);
    }
    const together = {
      open: columns.open[first] ?? Number.NaN,
      high,
      low,
      close: columns.close[last] ?? Number.NaN,
    };
    const [scale, partScale] = [columnScale(whole.priceDecimals), columnScale(columns.priceDecimals)];
    return PRICES.every((price) => {
      const cell = whole[price][index] ?? Number.NaN;
      if (scale === partScale) return cell === together[price];
      return cellUnits(cell, scale) === cellUnits(together[price], partScale);
    });
  }
}

/** Returns how many bars from index `from` on are walked whole because no detail agrees with them. */
export function barsWithoutDetail(whole: CandleColumns, columns: CandleColumns, from: number): number {
  const detail = new BarDetail(whole, columns);
  let without = 0;
  for (let index = from; index < whole.length; index += 1) if (detail.partsOf(index) === null) without += 1;
  return without;
}

/** Bars of one length, and who wants them. */
export interface WantedFeed {
  readonly feed: BarFeed;
  /** True if only members of universes need these bars. */
  readonly isPooled: boolean;
  readonly listeners: readonly CandleListener[];
}

interface BarQueueOptions {
  /** The place of its market among those of the run. */
  readonly index: number;
  readonly market: Market;
  readonly columns: CandleColumns;
  /** Bars as strategies subscribed to them. */
  readonly feeds: readonly WantedFeed[];
  /** The bar that the run begins with; those before it are the past. */
  readonly first: number;
  /** Finer bars of the market, which are walked inside of those they agree with. */
  readonly detail?: CandleColumns | undefined;
}

/**
 * Bars of one market on their way through a run: strategies see them as they close. What is walked is each of
 * them, or the finer bars inside it where these agree with it. The closes of the walked ones are its prices.
 */
export class BarQueue implements BarPrices {
  readonly index: number;
  readonly market: Market;
  readonly columns: CandleColumns;
  readonly feeds: readonly WantedFeed[];
  readonly grid: BarGrid;
  /** The bar that is in progress, or that begins next. */
  next: number;
  /** The bar that has closed last; -1 before the first. */
  closedIndex = -1;
  /** Position of the walk through the bar `next`: the columns, and the index in them. */
  walked: CandleColumns;
  place: number;
  /** True if the walked bar has begun. */
  isOpen = false;
  /** True if the engine knows that it has begun. */
  isAnnounced = false;
  /** Time at which the walked bar closes, or begins; infinity after the last. */
  nextMs = Number.POSITIVE_INFINITY;
  /** End of the bar that was walked last, in ms since 1970; minus infinity before the first. */
  closedMs = Number.NEGATIVE_INFINITY;
  private readonly detail: BarDetail | null;
  /** The grid of the bars inside of those, where there are finer ones. */
  private readonly finerGrid: BarGrid | null;
  /** The first and the last place that are walked through the bar `next`. */
  private firstPlace = 0;
  private lastPlace = 0;
  /** Last closed bar of those that are walked: the columns, and the index in them; -1 before the first. */
  private closedWalked: CandleColumns;
  private closedPlace = -1;

  constructor({ index, market, columns, feeds, first, detail }: BarQueueOptions) {
    this.index = index;
    this.market = market;
    this.columns = columns;
    this.feeds = feeds;
    this.detail = detail === undefined ? null : new BarDetail(columns, detail);
    this.finerGrid = detail === undefined ? null : gridOfColumns(detail);
    this.next = first;
    this.walked = columns;
    this.place = first;
    this.grid = gridOfColumns(columns);
    this.closedWalked = columns;
    this.enter();
  }

  begin(): void {
    this.isOpen = true;
    this.isAnnounced = false;
    this.nextMs = this.gridOf(this.walked).endOf(this.nextMs);
  }

  /**
   * The walked bar is over: moves on to the next, which may begin later than it has ended. Answers whether
   * that is a bar as strategies see them.
   */
  end(): boolean {
    this.isOpen = false;
    this.closeAt(this.walked, this.place);
    if (this.place < this.lastPlace) {
      this.place += 1;
      this.nextMs = this.openMs;
      return false;
    }
    this.closedIndex = this.next;
    this.next += 1;
    this.enter();
    return true;
  }

  /** The bars before `next` are the past. Answers what of them was walked last; null where there are none. */
  endThePast(): { readonly columns: CandleColumns; readonly place: number } | null {
    const { columns, detail, next } = this;
    this.closedIndex = next - 1;
    if (next === 0) return null;
    const parts = detail?.partsOf(next - 1) ?? null;
    this.closeAt(detail === null || parts === null ? columns : detail.columns, parts?.last ?? next - 1);
    return { columns: this.closedWalked, place: this.closedPlace };
  }

  /** True while a bar is in progress whose finer bars are walked. */
  get isInside(): boolean {
    const { isOpen, walked, columns, place, firstPlace } = this;
    return walked !== columns && (isOpen || place > firstPlace);
  }

  get nextClosedMs(): number {
    return this.gridOf(this.closedWalked).endOf(this.closedMs);
  }

  get close(): Units | null {
    const { closedWalked, closedPlace } = this;
    if (closedPlace === -1) return null;
    return cellUnits(closedWalked.close[closedPlace] ?? Number.NaN, columnScale(closedWalked.priceDecimals));
  }

  get open(): DecimalText {
    const { open, priceDecimals } = this.walked;
    return cellText(open[this.place] ?? Number.NaN, priceDecimals);
  }

  private gridOf(columns: CandleColumns): BarGrid {
    return columns === this.columns || this.finerGrid === null ? this.grid : this.finerGrid;
  }

  private closeAt(columns: CandleColumns, place: number): void {
    this.closedWalked = columns;
    this.closedPlace = place;
    this.closedMs = this.gridOf(columns).endOf(columns.openTimeMs[place] ?? Number.NaN);
  }

  /** Looks for what there is to walk through the bar `next`. */
  private enter(): void {
    const { columns, next, detail } = this;
    const parts = next < columns.length ? (detail?.partsOf(next) ?? null) : null;
    this.walked = detail === null || parts === null ? columns : detail.columns;
    this.place = parts?.first ?? next;
    this.firstPlace = this.place;
    this.lastPlace = parts?.last ?? next;
    this.nextMs = this.openMs;
  }

  private get openMs(): number {
    const { columns, next, walked, place } = this;
    return next < columns.length ? (walked.openTimeMs[place] ?? Number.NaN) : Number.POSITIVE_INFINITY;
  }
}

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
function refuseStraddling(
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
