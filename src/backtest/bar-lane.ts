import type { BarGrid } from '../domain/bar-grid.ts';
import { cellText, gridOfColumns, type CandleColumns } from '../domain/candle-columns.ts';
import type { DecimalText } from '../domain/decimal-text.ts';
import type { Market } from '../domain/market.ts';
import type { BarPrices } from '../engine/bar-prices.ts';
import type { CandleListener } from '../engine/strategy-dispatcher.ts';
import type { ClosedCandle } from '../strategy/strategy-event.ts';
import { BarFeed } from './bar-feed.ts';

/** Bars of one length, and who wants them. */
export interface WantedFeed {
  readonly feed: BarFeed;
  /** Whether they are wanted of members of universes alone. */
  readonly isPooled: boolean;
  readonly listeners: readonly CandleListener[];
}

export interface BarLaneOptions {
  /** The place of its market among those of the run. */
  readonly index: number;
  readonly market: Market;
  readonly columns: CandleColumns;
  /** Bars as strategies subscribed to them. */
  readonly feeds: readonly WantedFeed[];
  /** The bar that the run begins with; those before it are the past. */
  readonly first: number;
}

/** Bars of one market on their way through a run. The closes of the recorded ones are its prices. */
export class BarLane implements BarPrices {
  readonly index: number;
  readonly market: Market;
  readonly columns: CandleColumns;
  readonly feeds: readonly WantedFeed[];
  readonly grid: BarGrid;
  /** The bar that is in progress, or that begins next. */
  next: number;
  /** The bar that has closed last; -1 before the first. */
  closedIndex = -1;
  isOpen = false;
  /** Whether the engine knows that it has begun. */
  isAnnounced = false;
  /** When that bar closes, or begins; infinity after the last. */
  nextMs = Number.POSITIVE_INFINITY;
  private readonly recorded: BarFeed;

  constructor({ index, market, columns, feeds, first }: BarLaneOptions) {
    this.index = index;
    this.market = market;
    this.columns = columns;
    this.feeds = feeds;
    this.recorded = new BarFeed(columns, columns.timeframe);
    this.next = first;
    this.grid = gridOfColumns(columns);
    this.nextMs = this.openMs;
  }

  /** The bar begins. */
  begin(): void {
    this.isOpen = true;
    this.isAnnounced = false;
    this.nextMs = this.grid.endOf(this.nextMs);
  }

  /** The bar is over: moves on to the next, which may begin later than it has ended. */
  end(): void {
    this.closedIndex = this.next;
    this.next += 1;
    this.isOpen = false;
    this.nextMs = this.openMs;
  }

  get closedMs(): number {
    const { closedIndex } = this;
    if (closedIndex === -1) return Number.NEGATIVE_INFINITY;
    return this.grid.endOf(this.columns.openTimeMs[closedIndex] ?? Number.NaN);
  }

  get nextClosedMs(): number {
    return this.grid.endOf(this.closedMs);
  }

  get closed(): ClosedCandle | null {
    return this.closedIndex === -1 ? null : this.recorded.same(this.closedIndex);
  }

  /** The open of the bar that is in progress. */
  get open(): DecimalText {
    const { open, priceDecimals } = this.columns;
    return cellText(open[this.next] ?? Number.NaN, priceDecimals);
  }

  private get openMs(): number {
    const { columns, next } = this;
    return next < columns.length ? (columns.openTimeMs[next] ?? Number.NaN) : Number.POSITIVE_INFINITY;
  }
}
