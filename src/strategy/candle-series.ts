import { barOf, type Bar } from './bar.ts';
import type { Indicator } from './indicators.ts';
import type { ClosedCandle } from './strategy-event.ts';
import type { CandleSubscription } from './subscriptions.ts';

const NO_BARS: readonly Bar[] = Object.freeze([]);

/**
 * The candles of one subscription, as a strategy has them: its indicators of them, and the last bars
 * themselves.
 */
export class CandleSeries {
  readonly subscription: CandleSubscription;
  /** At most `warmUp` of them, oldest first. */
  history: readonly Bar[] = NO_BARS;
  private last: ClosedCandle | null = null;
  private readonly indicators: Indicator[] = [];
  private lastOpenMs = Number.NEGATIVE_INFINITY;

  constructor(subscription: CandleSubscription) {
    this.subscription = subscription;
  }

  /** Bars that have to be fed before the first live one. */
  get warmUpLength(): number {
    const { warmUp } = this.subscription;
    return this.indicators.reduce((most, { settledAfter }) => Math.max(most, settledAfter), warmUp);
  }

  addIndicator(indicator: Indicator): void {
    this.indicators.push(indicator);
  }

  /** The last bar, made anew for each look; null before the first. */
  get bar(): Bar | null {
    return this.last === null ? null : barOf(this.last);
  }

  isOf(market: string, timeframe: string): boolean {
    return this.subscription.market === market && this.subscription.timeframe === timeframe;
  }

  /**
   * Takes a bar in, and feeds the indicators with it; one that is not later than the last changes nothing,
   * since averages can not take it back.
   */
  add(candle: ClosedCandle): void {
    if (candle.openTimeMs <= this.lastOpenMs) return;
    this.lastOpenMs = candle.openTimeMs;
    this.last = candle;
    const { warmUp } = this.subscription;
    if (warmUp > 0) {
      const first = this.history.length < warmUp ? 0 : 1;
      this.history = Object.freeze([...this.history.slice(first), Object.freeze(barOf(candle))]);
    }
    for (const indicator of this.indicators) indicator.add(candle);
  }
}
