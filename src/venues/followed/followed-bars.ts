import type { Candle } from '../../domain/candle.ts';
import type { Timeframe } from '../../domain/timeframe.ts';
import type { TimeRange } from '../../recording/records.ts';
import { BoundedList } from '../../simulator/bounded-list.ts';
import type { SimulatedBar } from '../../simulator/candle-series.ts';
import type { MarketState } from '../../simulator/market-state.ts';
import type { StepReader } from './step-reader.ts';

/** Bars kept of each timeframe: as many as the simulator keeps of those that it makes. */
const BARS_KEPT = 10_080;

/** The recorded bars of one market that have closed so far, as they were recorded. */
export class FollowedBars {
  private readonly state: MarketState;
  private readonly steps: StepReader;
  private readonly known = new Map<Timeframe, BoundedList<Candle>>();
  private readonly covered = new Map<Timeframe, readonly TimeRange[]>();

  constructor(state: MarketState, steps: StepReader) {
    this.state = state;
    this.steps = steps;
  }

  /** Stretches in which all bars of a timeframe were recorded. */
  cover(timeframe: Timeframe, ranges: readonly TimeRange[]): void {
    this.covered.set(timeframe, ranges);
  }

  /** A bar has closed. Called in the order of time. */
  add(timeframe: Timeframe, candle: Candle): void {
    const bars = this.known.get(timeframe) ?? new BoundedList<Candle>(BARS_KEPT);
    this.known.set(timeframe, bars);
    bars.push(candle);
  }

  /**
   * Has coarser bars, and the last price, go on from a bar of the past. To be called before anything else has
   * moved the market, of one timeframe only.
   */
  seed(timeframe: Timeframe, candle: Candle): void {
    const { state, steps } = this;
    const close = steps.price(candle.close);
    const volume = steps.amount(candle.volume);
    const bar: SimulatedBar = {
      openTimeMs: candle.openTimeMs,
      open: steps.price(candle.open),
      high: steps.price(candle.high),
      low: steps.price(candle.low),
      close,
      volume,
      value: BigInt(volume) * BigInt(close),
    };
    state.candles.seed(timeframe, [bar]);
    state.lastPrice = close;
  }

  /**
   * The last bars of a timeframe that begin before a time, oldest first: recorded ones, and `made` ones where
   * none was recorded. One that has closed by now, where all bars were recorded, was none.
   */
  over(
    made: readonly Candle[],
    of: {
      readonly timeframe: Timeframe;
      readonly toMs: number;
      readonly count: number;
      readonly nowMs: number;
    },
  ): readonly Candle[] {
    const { timeframe, toMs, count, nowMs } = of;
    const all = this.known.get(timeframe)?.values() ?? [];
    const ranges = this.covered.get(timeframe) ?? [];
    if (all.length === 0 && ranges.length === 0) return made;
    let end = all.length;
    while (end > 0 && (all[end - 1]?.openTimeMs ?? 0) >= toMs) end -= 1;
    const recorded = all.slice(Math.max(0, end - count), end);
    const times = new Set(recorded.map(({ openTimeMs }) => openTimeMs));
    const grid = this.state.candles.grid(timeframe);
    const isMissing = ({ openTimeMs }: Candle): boolean =>
      !times.has(openTimeMs) &&
      (grid.endOf(openTimeMs) > nowMs ||
        !ranges.some((range) => openTimeMs >= range.fromMs && openTimeMs < range.toMs));
    return [...made.filter(isMissing), ...recorded]
      .toSorted((left, right) => left.openTimeMs - right.openTimeMs)
      .slice(-count);
  }
}
