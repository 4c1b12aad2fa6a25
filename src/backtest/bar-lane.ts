import { cellText, type CandleColumns } from '../domain/candle-columns.ts';
import type { DecimalText } from '../domain/decimal-text.ts';
import type { Market } from '../domain/market.ts';
import { timeframeMs } from '../domain/timeframe.ts';
import { BarFeed } from './bar-feed.ts';

export interface BarLaneOptions {
  /** The place of its market among those of the run. */
  readonly index: number;
  readonly market: Market;
  readonly columns: CandleColumns;
  /** Bars as strategies subscribed to them. */
  readonly feeds: readonly BarFeed[];
  /** The bar that the run begins with; those before it are the past. */
  readonly first: number;
}

/** Bars of one market on their way through a run. */
export class BarLane {
  readonly index: number;
  readonly market: Market;
  readonly columns: CandleColumns;
  readonly feeds: readonly BarFeed[];
  /** The recorded bars, whose closes are the prices. */
  readonly recorded: BarFeed;
  readonly barMs: number;
  /** The bar that is in progress, or that begins next. */
  next: number;
  isOpen = false;
  /** Whether it closes at this very moment. */
  isClosing = false;
  /** Whether the engine knows that it has begun. */
  isAnnounced = false;
  /** When that bar closes, or begins; infinity after the last. */
  nextMs: number;

  constructor({ index, market, columns, feeds, first }: BarLaneOptions) {
    this.index = index;
    this.market = market;
    this.columns = columns;
    this.feeds = feeds;
    this.recorded = new BarFeed(columns, columns.timeframe);
    this.next = first;
    this.barMs = timeframeMs(columns.timeframe);
    this.nextMs = this.openMs;
  }

  /** The bar begins. */
  begin(): void {
    this.isOpen = true;
    this.isAnnounced = false;
    this.nextMs += this.barMs;
  }

  /** When a bar closes. */
  closeMs(index: number): number {
    return (this.columns.openTimeMs[index] ?? Number.NaN) + this.barMs;
  }

  /** Bars are over: moves on to the next, which may begin later than the last of them has ended. */
  advance(bars = 1): void {
    this.next += bars;
    this.isOpen = false;
    this.isClosing = false;
    this.nextMs = this.openMs;
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
