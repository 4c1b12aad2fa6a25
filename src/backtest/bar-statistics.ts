import { barsBetween, candleAt, firstBarFrom, type CandleColumns } from '../domain/candle-columns.ts';
import type { Candle } from '../domain/candle.ts';
import type { DecimalText } from '../domain/decimal-text.ts';
import type { MarketStats } from '../domain/market-stats.ts';
import type { MarketName, MarketNames } from '../domain/market-symbol.ts';
import { barStartMs, timeframeMs, type Timeframe } from '../domain/timeframe.ts';
import type { VenueAnswer, VenueCall } from '../venues/port.ts';
import { BarBlocks } from './bar-blocks.ts';
import { BarFeed } from './bar-feed.ts';
import type { BarLane } from './bar-lane.ts';

const DAY_MS = 86_400_000;

/**
 * What bars tell of the markets of a run as of now: their last day, and their bars of the past. Only bars
 * that have closed are looked at. A market without any in the last day is absent.
 */
export class BarStatistics {
  private readonly lanes: readonly BarLane[];
  private readonly blocks = new Map<BarLane, BarBlocks>();
  private readonly marketNames: MarketNames;

  constructor(lanes: readonly BarLane[], marketNames: MarketNames) {
    this.lanes = lanes;
    this.marketNames = marketNames;
  }

  /** Answers a question for statistics or bars; null for any other. */
  answer(call: VenueCall, atMs: number): VenueAnswer | null {
    if (call.kind === 'stats') return { outcome: 'value', value: this.statistics(atMs) };
    if (call.kind !== 'candles') return null;
    const lane = this.lanes.find(({ market }) => market.symbol === call.market);
    return { outcome: 'value', value: lane === undefined ? [] : closedBars(lane, call) };
  }

  private statistics(atMs: number): readonly MarketStats[] {
    return this.lanes.flatMap((lane) => {
      const name = this.marketNames.parseMarket(lane.market.symbol);
      const blocks = this.blocks.get(lane) ?? new BarBlocks(lane.columns);
      this.blocks.set(lane, blocks);
      const stats = dayOf(lane, blocks, { name, atMs });
      return stats === null ? [] : [stats];
    });
  }
}

/** The last day of a market, by its bars. Figures to rank by: no money is made of them. */
function dayOf(
  { columns, closedIndex }: BarLane,
  blocks: BarBlocks,
  { name, atMs }: { readonly name: MarketName; readonly atMs: number },
): MarketStats | null {
  const first = firstBarFrom(columns, atMs - DAY_MS);
  if (first > closedIndex) return null;
  const { open, close } = columns;
  const { high, low, base, quote } = blocks.totals(first, closedIndex);
  const priceScale = 10 ** columns.priceDecimals;
  const volumeScale = 10 ** columns.volumeDecimals;
  const [began, ended] = [open[first] ?? 0, close[closedIndex] ?? 0];
  return {
    market: name,
    isClosed: false,
    closedReason: null,
    bestSell: null,
    bestBuy: null,
    baseVolume: figure(base / volumeScale),
    quoteVolume: figure(quote / volumeScale / priceScale),
    latest: figure(ended / priceScale),
    mark: null,
    dayLow: figure(low / priceScale),
    dayHigh: figure(high / priceScale),
    dayOpen: figure(began / priceScale),
    dayClose: figure(ended / priceScale),
    dayChange: began === 0 ? null : figure(((ended - began) / began) * 100),
  };
}

/** A figure as text, with as many digits as a float has and no exponent. */
function figure(number: number): DecimalText {
  return number.toFixed(10) as DecimalText;
}

/** The last bars of one length that have closed, before a time. */
function closedBars(
  { columns, closedIndex }: BarLane,
  { timeframe, toMs, count }: Extract<VenueCall, { kind: 'candles' }>,
): readonly Candle[] {
  const known = barsBetween(columns, 0, closedIndex + 1);
  const fromMs = barStartMs(toMs - (count + 1) * timeframeMs(timeframe), timeframe);
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
