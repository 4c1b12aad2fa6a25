import type { ClosedCandle } from '../strategy/strategy-event.ts';
import type { Subscription } from '../strategy/subscriptions.ts';

/**
 * The last bars of each candle subscription, as many as warm a strategy up, for a thread that begins anew.
 */
export class RecentCandles {
  private readonly series: {
    readonly market: string;
    readonly timeframe: string;
    readonly most: number;
    bars: ClosedCandle[];
  }[];

  constructor(subscriptions: readonly Subscription[], warmUps: readonly number[]) {
    this.series = subscriptions.flatMap((wanted, index) =>
      wanted.kind === 'candles'
        ? [{ market: wanted.market, timeframe: wanted.timeframe, most: warmUps[index] ?? 0, bars: [] }]
        : [],
    );
  }

  add(candle: ClosedCandle): void {
    const one = this.series.find(
      ({ market, timeframe }) => market === candle.market && timeframe === candle.timeframe,
    );
    if (one === undefined || one.most === 0) return;
    one.bars.push(candle);
    if (one.bars.length > one.most) one.bars.shift();
  }

  /** A market is no longer followed: its bars go. */
  forget(market: string): void {
    for (const one of this.series) if (one.market === market) one.bars = [];
  }

  all(): ClosedCandle[] {
    return this.series.flatMap(({ bars }) => bars);
  }
}
