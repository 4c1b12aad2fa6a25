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
import type { BarPrices } from '../engine/engine-event.ts';
import type { CandleListener } from '../engine/strategy-dispatcher.ts';
import { invalidOptions } from '../domain/errors.ts';
import { ColumnCandle, type BarSource } from '../strategy/column-candle.ts';
import type { ClosedCandle } from '../strategy/strategy-event.ts';

/** Indices of the first and the last finer bar inside one bar, both included. */
interface BarParts {
  readonly first: number;
  readonly last: number;
}

const PRICES = ['open', 'high', 'low', 'close'] as const;

/** Finer bars of a market, found by the bar that contains them. */
class BarDetail {
  readonly columns: CandleColumns;
  private readonly whole: CandleColumns;

  /** Throws `INVALID_OPTIONS` where a finer bar crosses the border of a bar. */
  constructor(whole: CandleColumns, columns: CandleColumns) {
    refuseStraddling(columns, { parts: gridOfColumns(columns), whole: gridOfColumns(whole) });
    this.whole = whole;
    this.columns = columns;
  }

  /** Returns the finer bars of the bar `index`; null unless they cover it and have its values. */
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

/** Returns how many bars from index `from` on are walked whole because no finer bars agree with them. */
export function barsWithoutDetail(whole: CandleColumns, columns: CandleColumns, from: number): number {
  const detail = new BarDetail(whole, columns);
  let without = 0;
  for (let index = from; index < whole.length; index += 1) if (detail.partsOf(index) === null) without += 1;
  return without;
}

/** Bars of one timeframe, and their listeners. */
export interface WantedFeed {
  readonly feed: BarFeed;
  /** True if only members of universes need these bars. */
  readonly isPooled: boolean;
  readonly listeners: readonly CandleListener[];
}

interface BarQueueOptions {
  /** Index of its market among the markets of the run. */
  readonly index: number;
  readonly market: Market;
  readonly columns: CandleColumns;
  /** Bars in the timeframes that strategies subscribed to. */
  readonly feeds: readonly WantedFeed[];
  /** Index of the first bar of the run; earlier bars are the past. */
  readonly first: number;
  /** Finer bars of the market; each bar that agrees with its finer bars is walked on them. */
  readonly detail?: CandleColumns | undefined;
}

/**
 * Queue of one market's bars in a run. The run walks through each bar as a whole, or through its finer bars
 * where they agree with it; strategies see whole bars as they close. Closes of walked bars are the prices.
 */
export class BarQueue implements BarPrices {
  readonly index: number;
  readonly market: Market;
  readonly columns: CandleColumns;
  readonly feeds: readonly WantedFeed[];
  readonly grid: BarGrid;
  /** Index of the bar that is in progress, or that begins next. */
  next: number;
  /** Index of the bar that closed last; -1 before the first. */
  closedIndex = -1;
  /** Bar that is walked now, inside the bar `next`: its columns, and its index in them. */
  walked: CandleColumns;
  place: number;
  /** True if the walked bar has begun. */
  isOpen = false;
  /** True if the engine was notified that the walked bar has begun. */
  isAnnounced = false;
  /** Time at which the walked bar closes, or begins, in ms since 1970; infinity after the last. */
  nextMs = Number.POSITIVE_INFINITY;
  /** End of the bar that was walked last, in ms since 1970; minus infinity before the first. */
  closedMs = Number.NEGATIVE_INFINITY;
  /** Finer bars of the market; null if there are none. */
  readonly detail: BarDetail | null;
  /** Grid of the finer bars; null if there are none. */
  private readonly finerGrid: BarGrid | null;
  /** First and last index that are walked for the bar `next`. */
  private firstPlace = 0;
  private lastPlace = 0;
  /** Walked bar that closed last: its columns, and its index in them; -1 before the first. */
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

  /** Ends the walked bar and moves on to the next. Returns true if a bar that strategies see ended. */
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

  /** Moves on to the bar `next`, after bars that the run did not walk through. */
  skipTo(next: number): void {
    this.isOpen = false;
    this.closeAt(this.columns, next - 1);
    this.closedIndex = next - 1;
    this.next = next;
    this.enter();
  }

  /** Marks the bars before `next` as closed. Returns the last walked bar; null if there is none. */
  endThePast(): { readonly columns: CandleColumns; readonly place: number } | null {
    const { columns, detail, next } = this;
    this.closedIndex = next - 1;
    if (next === 0) return null;
    const parts = detail?.partsOf(next - 1) ?? null;
    this.closeAt(detail === null || parts === null ? columns : detail.columns, parts?.last ?? next - 1);
    return { columns: this.closedWalked, place: this.closedPlace };
  }

  /** True while a bar is in progress that is walked on its finer bars. */
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

  /** Chooses the bars to walk for the bar `next`: its finer bars if they agree with it, else itself. */
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
 * Feed of one market's bars in one timeframe, built from the recorded ones as they close: either the same
 * bars or longer ones. A longer bar whose last parts are missing is closed by the next part after it: until
 * then it is not known that none will come.
 */
export class BarFeed {
  readonly timeframe: Timeframe;
  /** True if its bars are the recorded ones, so that each recorded bar closes exactly one. */
  readonly isOneToOne: boolean;
  private readonly columns: CandleColumns;
  private readonly parts: BarGrid;
  private readonly grid: BarGrid;
  /** Source of the recorded bars. */
  readonly source: BarSource;
  private readonly built: BuiltBars | null;
  /** End of the longer bar that is being built, in ms since 1970; NaN before the first. */
  private endMs = Number.NaN;

  /** Throws `INVALID_OPTIONS` where bars of this timeframe cannot be built from the recorded ones. */
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

  /** End of the longer bar in progress, before which none closes; minus infinity between two of them. */
  get restsUntilMs(): number {
    return this.built?.isBuilding === true ? this.endMs : Number.NEGATIVE_INFINITY;
  }

  /** Returns the bars that close with the recorded bar `index`. Must be called for each index, in order. */
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

  /** Returns the recorded bar `index` itself; replaces `closedBy` where the feed is one to one. */
  same(index: number): ClosedCandle {
    return new ColumnCandle(this.source, index);
  }
}

/** Throws `INVALID_OPTIONS` if shorter bars cross the borders of the longer ones that contain them. */
function refuseStraddling(
  { market }: CandleColumns,
  { parts, whole }: { readonly parts: BarGrid; readonly whole: BarGrid },
): void {
  if (liesInside(parts, whole)) return;
  if (whole.lengthMs % parts.lengthMs !== 0) {
    throw invalidOptions(
      `expected recorded bars of ${market} that candles of ${whole.timeframe} can be made of, were of the timeframe ${parts.timeframe}`,
    );
  }
  throw invalidOptions(
    `expected recorded bars of ${market} that lie whole inside candles of ${gridText(whole)}, were ${gridText(parts)}: run on shorter ones, such as 30m or 1m`,
  );
}

/** Longer bars of one market that are built from recorded ones, in columns of the largest possible length. */
class BuiltBars {
  /** True while the last bar is in progress. */
  isBuilding = false;
  private readonly parts: CandleColumns;
  private readonly columns: CandleColumns;
  private readonly seenAtMs: Float64Array;
  private readonly source: BarSource;
  /** Number of closed bars; also the index of the next one. */
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

  /** Adds the recorded bar `index` to the bar in progress. */
  add(index: number): void {
    const { count, parts } = this;
    const { high, low, close, volume } = this.columns;
    const [partHigh, partLow] = [parts.high[index] ?? Number.NaN, parts.low[index] ?? Number.NaN];
    if (partHigh > (high[count] ?? Number.NaN)) high[count] = partHigh;
    if (partLow < (low[count] ?? Number.NaN)) low[count] = partLow;
    close[count] = parts.close[index] ?? Number.NaN;
    volume[count] = (volume[count] ?? Number.NaN) + (parts.volume[index] ?? Number.NaN);
  }

  /** Closes the bar in progress, known at `seenAtMs`. Throws `TOO_LARGE` if its volume is too large. */
  close(seenAtMs: number): ClosedCandle {
    const { count } = this;
    checkCell(this.columns.volume[count] ?? Number.NaN);
    this.seenAtMs[count] = seenAtMs;
    this.isBuilding = false;
    this.count = count + 1;
    return new ColumnCandle(this.source, count);
  }
}

/** Maximum number of resulting longer bars: the number of parts, or of periods from first to last part. */
function mostBars({ length, openTimeMs }: CandleColumns, grid: BarGrid): number {
  if (length === 0) return 0;
  const [firstMs, lastMs] = [openTimeMs[0] ?? Number.NaN, openTimeMs[length - 1] ?? Number.NaN];
  return Math.min(length, grid.count(grid.startOf(firstMs), lastMs + 1));
}
