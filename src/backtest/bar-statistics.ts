import { gridOf } from '../domain/bar-grid.ts';
import { barsBetween, candleAt, firstBarFrom, type CandleColumns } from '../domain/candle-columns.ts';
import type { Candle } from '../domain/candle.ts';
import { present } from '../domain/invariant.ts';
import type { MarketStats } from '../domain/market-stats.ts';
import type { Timeframe } from '../domain/timeframe.ts';
import type { VenueAnswer, VenueCall } from '../venues/port.ts';
import { BarDay } from './bar-day.ts';
import { BarFeed } from './bar-feed.ts';
import type { BarLane } from './bar-lane.ts';
import { BarStretches } from './bar-stretches.ts';

const DAY_MS = 86_400_000;

/**
 * Statistics of the markets of a run as of now, from bars: their last day, and their past bars. Only closed
 * bars are read. A market without any in the last day is absent.
 */
export class BarStatistics {
  private readonly lanes: readonly BarLane[];
  /** By the place of the lane. */
  private readonly stretches: readonly BarStretches[];

  constructor(lanes: readonly BarLane[]) {
    this.lanes = lanes;
    this.stretches = lanes.map(({ columns }) => new BarStretches(columns));
  }

  /** Answers a question for statistics or bars; null for any other. */
  answer(call: VenueCall, atMs: number): VenueAnswer | null {
    if (call.kind === 'stats') return { outcome: 'value', value: this.statistics(atMs) };
    if (call.kind !== 'candles') return null;
    const lane = this.lanes.find(({ market }) => market.symbol === call.market);
    return { outcome: 'value', value: lane === undefined ? [] : closedBars(lane, call) };
  }

  private statistics(atMs: number): readonly MarketStats[] {
    const days: MarketStats[] = [];
    for (const [place, stretches] of this.stretches.entries()) {
      const lane = present(this.lanes[place], 'a lane');
      const { market, columns, closedIndex: last } = lane;
      const first = firstOfDay(lane, atMs - DAY_MS);
      if (first <= last) days.push(new BarDay(market, { columns, stretches, first, last }));
    }
    return days;
  }
}

/** The first bar that opens a day ago or later. Most days lack no bar, so it is where it is then. */
function firstOfDay({ columns, closedIndex, grid }: BarLane, fromMs: number): number {
  const { openTimeMs } = columns;
  const likely = closedIndex + 1 - DAY_MS / grid.lengthMs;
  const isFirst = openTimeMs[likely] === fromMs;
  return isFirst ? likely : firstBarFrom(columns, fromMs);
}

/** The last bars of one length that have closed, before a time. */
function closedBars(
  { columns, closedIndex }: BarLane,
  { timeframe, toMs, count }: Extract<VenueCall, { kind: 'candles' }>,
): readonly Candle[] {
  const known = barsBetween(columns, 0, closedIndex + 1);
  const fromMs = gridOf(timeframe, columns.anchors).shifted(toMs, -(count + 1));
  const some = barsBetween(known, firstBarFrom(known, fromMs));
  const bars = timeframe === columns.timeframe ? allOf(some) : built(some, timeframe);
  return bars.filter(({ openTimeMs }) => openTimeMs < toMs).slice(-count);
}

function allOf(columns: CandleColumns): readonly Candle[] {
  return Array.from({ length: columns.length }, (_, index) => candleAt(columns, index));
}

function built(columns: CandleColumns, timeframe: Timeframe): readonly Candle[] {
  const feed = new BarFeed(columns, timeframe);
  const indices = Array.from({ length: columns.length }, (_, index) => index);
  return indices
    .flatMap((index) => feed.closedBy(index))
    .map(({ openTimeMs, open, high, low, close, volume }) => ({
      openTimeMs,
      open,
      high,
      low,
      close,
      volume,
    }));
}
