import { barOf, type Bar } from './bar.ts';
import type { Indicator } from '../indicators/declare-indicator.ts';
import type { ClosedCandle } from '../strategy-event.ts';
import type { CandleSubscription } from '../subscriptions.ts';

/** The candles of one subscription of a strategy: their indicators, and the last bars. */
export class CandleSeries {
  readonly subscription: CandleSubscription;
  private readonly retained: BarHistory;
  private last: ClosedCandle | null = null;
  private readonly indicators: Indicator[] = [];
  private lastOpenMs = Number.NEGATIVE_INFINITY;

  constructor(subscription: CandleSubscription) {
    this.subscription = subscription;
    this.retained = new BarHistory(subscription.warmUp);
  }

  /** The last bars, at most `warmUp`, oldest first. */
  get history(): readonly Bar[] {
    return this.retained.list;
  }

  /** Number of bars that must be fed before the first live one. */
  get warmUpLength(): number {
    const { warmUp } = this.subscription;
    return this.indicators.reduce((most, { settledAfter }) => Math.max(most, settledAfter), warmUp);
  }

  addIndicator(indicator: Indicator): void {
    this.indicators.push(indicator);
  }

  /** The last bar, a new object at each read; null before the first. */
  get bar(): Bar | null {
    return this.last === null ? null : barOf(this.last);
  }

  isOf(market: string, timeframe: string): boolean {
    return this.subscription.market === market && this.subscription.timeframe === timeframe;
  }

  /**
   * Adds a bar, feeds the indicators with it and returns true. Returns false and changes nothing if the bar
   * is not later than the last one, since averages can not undo it.
   */
  add(candle: ClosedCandle): boolean {
    if (candle.openTimeMs <= this.lastOpenMs) return false;
    this.lastOpenMs = candle.openTimeMs;
    this.last = candle;
    this.retained.add(candle);
    for (const indicator of this.indicators) indicator.add(candle);
    return true;
  }
}

const NO_BARS: readonly Bar[] = Object.freeze([]);

/** The last candles of a series as bars, which are made when they are read. */
export class BarHistory {
  private readonly most: number;
  /** Ring buffer: the next candle replaces the oldest. */
  private readonly candles: ClosedCandle[] = [];
  /** Bars of the candles at the same indices; null until they are read. */
  private readonly bars: (Bar | null)[] = [];
  private next = 0;
  private shown: readonly Bar[] | null = NO_BARS;

  constructor(most: number) {
    this.most = most;
  }

  add(candle: ClosedCandle): void {
    if (this.most === 0) return;
    this.candles[this.next] = candle;
    this.bars[this.next] = null;
    this.next = (this.next + 1) % this.most;
    this.shown = null;
  }

  /** The last bars, at most `most`, oldest first, frozen. The same list until another bar is added. */
  get list(): readonly Bar[] {
    this.shown ??= Object.freeze([...this.from(this.next), ...this.from(0, this.next)]);
    return this.shown;
  }

  /** Returns the bars at the indices from `start` up to `end` (exclusive). */
  private from(start: number, end: number = this.candles.length): readonly Bar[] {
    return this.candles.slice(start, end).map((candle, place) => {
      const bar = this.bars[start + place] ?? Object.freeze(barOf(candle));
      this.bars[start + place] = bar;
      return bar;
    });
  }
}
