import type { ClosedCandle } from '../strategy/strategy-event.ts';
import type { CandleSubscription, Subscription } from '../strategy/subscriptions.ts';

/**
 * The last bars of each candle subscription, as many as warm a strategy up, for a thread that begins anew.
 */
export class RecentCandles {
  private readonly series: {
    readonly market: string;
    readonly timeframe: string;
    readonly most: number;
    /** True if it is needed only while a universe follows the market. */
    readonly isPooled: boolean;
    bars: ClosedCandle[];
  }[];

  constructor(subscriptions: readonly Subscription[], warmUps: readonly number[]) {
    this.series = subscriptions.flatMap((wanted, index) =>
      wanted.kind === 'candles'
        ? [
            {
              market: wanted.market,
              timeframe: wanted.timeframe,
              most: Math.max(warmUps[index] ?? 0, memberWarmUp(subscriptions, wanted)),
              isPooled: wanted.isPooled === true,
              bars: [],
            },
          ]
        : [],
    );
  }

  /** Takes in a bar, unless it has it: those of the past may come once more with a universe. */
  add(candle: ClosedCandle): void {
    const one = this.series.find(
      ({ market, timeframe }) => market === candle.market && timeframe === candle.timeframe,
    );
    if (one === undefined || one.most === 0) return;
    const last = one.bars.at(-1);
    if (last !== undefined && candle.openTimeMs <= last.openTimeMs) return;
    one.bars.push(candle);
    if (one.bars.length > one.most) one.bars.shift();
  }

  /** No universe follows a market any more: its bars go, but for those that are wanted anyway. */
  forget(market: string): void {
    for (const one of this.series) if (one.market === market && one.isPooled) one.bars = [];
  }

  all(): ClosedCandle[] {
    return this.series.flatMap(({ bars }) => bars);
  }
}

/** Returns the most candles that universes need of a market, beside its own subscriptions. */
function memberWarmUp(
  subscriptions: readonly Subscription[],
  { market, timeframe }: CandleSubscription,
): number {
  const templates = subscriptions.flatMap((wanted) =>
    wanted.kind === 'universe' && wanted.candidates.includes(market) ? wanted.templates : [],
  );
  return templates.reduce(
    (most, wanted) =>
      wanted.kind === 'candles' && wanted.timeframe === timeframe ? Math.max(most, wanted.warmUp) : most,
    0,
  );
}
