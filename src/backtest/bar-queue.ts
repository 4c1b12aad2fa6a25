import type { BarGrid } from '../domain/candle.ts';
import {
  cellText,
  cellUnits,
  columnScale,
  firstBarFrom,
  gridOfColumns,
  type CandleColumns,
} from '../domain/candle-columns.ts';
import type { DecimalText } from '../domain/decimal-text.ts';
import type { Market } from '../domain/market.ts';
import type { Units } from '../domain/money.ts';
import type { BarPrices } from '../engine/bar-prices.ts';
import type { CandleListener } from '../engine/strategy-dispatcher.ts';
import { BarFeed, refuseStraddling } from './bar-feed.ts';

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
