import type { MatchingBook } from './matching-book.ts';
import { DAY_MS, HOUR_MS } from '../domain/time-text.ts';
import {
  gridOf,
  liesInside,
  TEHRAN_BARS,
  type BarAnchors,
  type BarGrid,
  TIMEFRAMES,
  timeframeMs,
  type Timeframe,
} from '../domain/candle.ts';
import { present } from '../domain/errors.ts';

/** A bar with prices in steps of the market's grid. */
export interface SimulatedBar {
  readonly openTimeMs: number;
  open: number;
  high: number;
  low: number;
  close: number;
  /** In amount steps; a float, since it is only shown and never booked. */
  volume: number;
  /** Sum of price times amount in steps. */
  value: bigint;
}

/** Bound of `pending`: floats add whole numbers exactly below 2^53, so it is emptied well before. */
const MOST_PENDING = 2 ** 52;

/** Bars that are kept of each timeframe: a week at one minute, more than a year at one hour. */
const BARS_RETAINED = 10_080;

/**
 * The candles of one market in every timeframe. A trade changes the running minute only; the longer bars are
 * updated when they are read, so that a trade changes one bar, not twelve. A minute without a trade has no
 * bar. Bars of 4 h and more begin on Tehran's clock by default.
 */
export class CandleStore {
  /** Anchors of the starts of bars. */
  readonly anchors: BarAnchors;
  private readonly grids: ReadonlyMap<Timeframe, BarGrid>;
  private readonly series = new Map<Timeframe, SimulatedBar[]>(
    TIMEFRAMES.map((timeframe) => [timeframe, []]),
  );
  private minute: SimulatedBar | null = null;
  /** State of the running minute when it was last added to the longer bars. */
  private rolled: SimulatedBar | null = null;
  /** Part of the minute's value not in its bigint yet, below `MOST_PENDING`: it saves bigint sums. */
  private pending = 0;

  constructor(anchors: BarAnchors = TEHRAN_BARS) {
    this.anchors = anchors;
    this.grids = new Map(TIMEFRAMES.map((timeframe) => [timeframe, gridOf(timeframe, anchors)]));
  }

  /** Returns the grid of a timeframe: starts and ends of its bars. */
  grid(timeframe: Timeframe): BarGrid {
    return present(this.grids.get(timeframe), 'a grid of each timeframe');
  }

  /** Adds a trade. `steps` is price times amount; it is a number only below 2^52. */
  onTrade(trade: {
    readonly timeMs: number;
    readonly price: number;
    readonly amount: number;
    readonly steps: bigint | number;
  }): void {
    const { timeMs, price, amount, steps } = trade;
    const { minute } = this;
    if (minute !== null && timeMs < minute.openTimeMs + 60_000) {
      if (price > minute.high) minute.high = price;
      if (price < minute.low) minute.low = price;
      minute.close = price;
      minute.volume += amount;
      this.addValue(minute, steps);
      return;
    }
    this.roll();
    this.minute = {
      openTimeMs: this.grid('1m').startOf(timeMs),
      open: price,
      high: price,
      low: price,
      close: price,
      volume: amount,
      value: BigInt(steps),
    };
    this.rolled = null;
  }

  private addValue(minute: SimulatedBar, steps: bigint | number): void {
    if (typeof steps === 'bigint') {
      minute.value += steps;
      return;
    }
    if (this.pending + steps >= MOST_PENDING) this.putAway(minute);
    this.pending += steps;
  }

  private putAway(minute: SimulatedBar): void {
    if (this.pending === 0) return;
    minute.value += BigInt(this.pending);
    this.pending = 0;
  }

  /** Adds bars of the past, oldest first, before any trade, to timeframes that contain them completely. */
  seed(timeframe: Timeframe, bars: readonly SimulatedBar[]): void {
    // Each timeframe is summed from the longest that it is made of, which takes a tenth of the additions.
    const summed: (readonly [grid: BarGrid, readonly SimulatedBar[]])[] = [];
    for (const coarser of TIMEFRAMES) {
      if (timeframeMs(coarser) < timeframeMs(timeframe)) continue;
      const grid = this.grid(coarser);
      const parts = coarser === timeframe ? bars : summed.findLast(([part]) => liesInside(part, grid))?.[1];
      if (parts === undefined) continue;
      const sums = coarser === timeframe ? bars : summedBars(grid, parts);
      for (const bar of sums) this.addTo(coarser, bar);
      summed.push([grid, sums]);
    }
  }

  /** Returns the bars of a timeframe, oldest first, the running one last. Do not keep or change them. */
  bars(timeframe: Timeframe): readonly SimulatedBar[] {
    this.roll();
    return this.series.get(timeframe) ?? [];
  }

  /** Returns the highest price of each timeframe that has bars. */
  highs(): readonly number[] {
    this.roll();
    return [...this.series.values()].flatMap((bars) =>
      bars.length === 0 ? [] : [bars.reduce((highest, { high }) => Math.max(highest, high), 0)],
    );
  }

  /** Multiplies all prices and amounts when the market's grid becomes finer. */
  rescale(priceFactor: number, amountFactor: number): void {
    this.roll();
    const scale = (bar: SimulatedBar): void => {
      bar.open *= priceFactor;
      bar.high *= priceFactor;
      bar.low *= priceFactor;
      bar.close *= priceFactor;
      bar.volume *= amountFactor;
      bar.value *= BigInt(priceFactor) * BigInt(amountFactor);
    };
    for (const bars of this.series.values()) bars.forEach(scale);
    if (this.minute !== null) scale(this.minute);
    if (this.rolled !== null) scale(this.rolled);
  }

  private roll(): void {
    const { minute, rolled } = this;
    if (minute !== null) this.putAway(minute);
    if (minute === null || (rolled !== null && rolled.value === minute.value)) return;
    const added =
      rolled === null
        ? minute
        : {
            ...minute,
            open: rolled.close,
            volume: minute.volume - rolled.volume,
            value: minute.value - rolled.value,
          };
    for (const timeframe of TIMEFRAMES) this.addTo(timeframe, added);
    this.rolled = { ...minute };
  }

  private addTo(timeframe: Timeframe, bar: SimulatedBar): void {
    const bars = this.series.get(timeframe) ?? [];
    sumInto(bars, this.grid(timeframe), bar);
    if (bars.length >= BARS_RETAINED * 2) bars.splice(0, bars.length - BARS_RETAINED);
  }
}

/** Adds a bar to the last longer bar if it is a part of that, else begins a new longer bar. */
function sumInto(bars: SimulatedBar[], grid: BarGrid, bar: SimulatedBar): void {
  const openTimeMs = grid.startOf(bar.openTimeMs);
  const last = bars[bars.length - 1];
  if (last === undefined || last.openTimeMs !== openTimeMs) {
    bars.push({ ...bar, openTimeMs });
    return;
  }
  if (bar.high > last.high) last.high = bar.high;
  if (bar.low < last.low) last.low = bar.low;
  last.close = bar.close;
  last.volume += bar.volume;
  last.value += bar.value;
}

function summedBars(grid: BarGrid, parts: readonly SimulatedBar[]): readonly SimulatedBar[] {
  const bars: SimulatedBar[] = [];
  for (const part of parts) sumInto(bars, grid, part);
  return bars;
}

/** Statistics of a market's last day in steps of its grid; prices are null before the first trade. */
interface DayStats {
  readonly open: number | null;
  readonly high: number | null;
  readonly low: number | null;
  readonly close: number;
  readonly volume: number;
  /** Sum of price times amount in steps. */
  readonly value: bigint;
  readonly bestBuy: number | null;
  readonly bestSell: number | null;
}

/** Sums up the 24 hours before `timeMs` from hourly bars: those that began in them, and the running one. */
export function dayStats(
  market: { readonly candles: CandleStore; readonly lastPrice: number; readonly book: MatchingBook },
  timeMs: number,
): DayStats {
  const from = Math.floor((timeMs - DAY_MS) / HOUR_MS) * HOUR_MS + HOUR_MS;
  const bars = lastBarsFrom(market.candles.bars('1h'), from);
  const first = bars[0];
  return {
    open: first?.open ?? null,
    high: first === undefined ? null : bars.reduce((most, bar) => Math.max(most, bar.high), first.high),
    low: first === undefined ? null : bars.reduce((least, bar) => Math.min(least, bar.low), first.low),
    close: market.lastPrice,
    volume: bars.reduce((sum, bar) => sum + bar.volume, 0),
    value: bars.reduce((sum, bar) => sum + bar.value, 0n),
    bestBuy: market.book.buys.best?.price ?? null,
    bestSell: market.book.sells.best?.price ?? null,
  };
}

function lastBarsFrom(bars: readonly SimulatedBar[], fromMs: number): readonly SimulatedBar[] {
  let index = bars.length;
  while (index > 0 && (bars[index - 1]?.openTimeMs ?? 0) >= fromMs) index -= 1;
  return bars.slice(index);
}
