import { DAY_MS } from '../domain/time-text.ts';
import { gridOf, type Candle, type Timeframe } from '../domain/candle.ts';
import { barsBetween, candleAt, firstBarFrom, type CandleColumns } from '../domain/candle-columns.ts';
import { present } from '../domain/errors.ts';
import type { MarketStats, DayNumbers } from '../domain/order-book.ts';
import type { VenueAnswer, VenueCall } from '../venues/port.ts';
import { BarFeed, type BarQueue } from './bar-queue.ts';
import type { DecimalText } from '../domain/decimal-text.ts';
import type { MarketName } from '../domain/market-symbol.ts';

/**
 * Statistics of the markets of a run at the current moment, computed from closed bars: the last day, and past
 * bars. A market without a bar in the last day is absent.
 */
export class BarStatistics {
  private readonly queues: readonly BarQueue[];
  /** Ranges of each market, in the order of `queues`. */
  private readonly ranges: readonly BarRanges[];

  constructor(queues: readonly BarQueue[]) {
    this.queues = queues;
    this.ranges = queues.map(({ columns }) => new BarRanges(columns));
  }

  /** Answers a request for statistics or bars; null for any other call. */
  answer(call: VenueCall, atMs: number): VenueAnswer | null {
    if (call.kind === 'stats') return { outcome: 'value', value: this.statistics(atMs) };
    if (call.kind !== 'candles') return null;
    const queue = this.queues.find(({ market }) => market.symbol === call.market);
    return { outcome: 'value', value: queue === undefined ? [] : closedBars(queue, call) };
  }

  private statistics(atMs: number): readonly MarketStats[] {
    const days: MarketStats[] = [];
    for (const [place, ranges] of this.ranges.entries()) {
      const queue = present(this.queues[place], 'a queue');
      const { market, columns, closedIndex: last } = queue;
      const first = firstOfDay(queue, atMs - DAY_MS);
      if (first <= last) days.push(new BarDay(market, { columns, ranges, first, last }));
    }
    return days;
  }
}

/** Returns the first bar that opens at most a day ago, and first tries the index for a day without gaps. */
function firstOfDay({ columns, closedIndex, grid }: BarQueue, fromMs: number): number {
  const { openTimeMs } = columns;
  const likely = closedIndex + 1 - DAY_MS / grid.lengthMs;
  const isFirst = openTimeMs[likely] === fromMs;
  return isFirst ? likely : firstBarFrom(columns, fromMs);
}

/** Returns the last `count` closed bars of one timeframe that open before `toMs`. */
function closedBars(
  { columns, closedIndex }: BarQueue,
  { timeframe, toMs, count }: Extract<VenueCall, { kind: 'candles' }>,
): readonly Candle[] {
  const known = barsBetween(columns, 0, closedIndex + 1);
  const fromMs = gridOf(timeframe, columns.anchors).shifted(toMs, -(count + 1));
  const some = barsBetween(known, firstBarFrom(known, fromMs));
  const bars =
    timeframe === columns.timeframe
      ? Array.from({ length: some.length }, (_, index) => candleAt(some, index))
      : built(some, timeframe);
  return bars.filter(({ openTimeMs }) => openTimeMs < toMs).slice(-count);
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

const DECIMALS = 10;

/** From here on floats are more than 1e-10 apart, so rounding to ten decimals changes nothing. */
const LEAST_EXACT = 2 ** 19;

interface DayOfBars {
  readonly columns: CandleColumns;
  readonly ranges: BarRanges;
  /** Indices of the first and the last bar of the day. */
  readonly first: number;
  readonly last: number;
}

/** Statistics of one market over a day of bars. Figures are computed when read: a ranking reads few. */
export class BarDay implements MarketStats {
  readonly market: MarketName;
  readonly numbers: DayNumbers;
  readonly isClosed = false;
  readonly closedReason = null;
  readonly bestSell = null;
  readonly bestBuy = null;
  readonly mark = null;
  private readonly day: DayOfBars;

  constructor(market: MarketName, day: DayOfBars) {
    this.market = market;
    this.day = day;
    this.numbers = new BarNumbers(day);
  }

  get baseVolume(): DecimalText | null {
    return textOf(this.numbers.baseVolume);
  }

  get quoteVolume(): DecimalText | null {
    return textOf(this.numbers.quoteVolume);
  }

  get latest(): DecimalText | null {
    return textOf(this.numbers.latest);
  }

  get dayLow(): DecimalText | null {
    return textOf(this.numbers.dayLow);
  }

  get dayHigh(): DecimalText | null {
    return textOf(this.numbers.dayHigh);
  }

  get dayOpen(): DecimalText | null {
    const { columns, first } = this.day;
    return textOf((columns.open[first] ?? 0) / 10 ** columns.priceDecimals);
  }

  get dayClose(): DecimalText | null {
    return this.latest;
  }

  get dayChange(): DecimalText | null {
    return textOf(this.numbers.dayChange);
  }
}

class BarNumbers implements DayNumbers {
  private readonly day: DayOfBars;

  constructor(day: DayOfBars) {
    this.day = day;
  }

  get baseVolume(): number {
    const { ranges, first, last, columns } = this.day;
    return rounded(ranges.base.total(first, last) / 10 ** columns.volumeDecimals);
  }

  get quoteVolume(): number {
    const { ranges, first, last, columns } = this.day;
    const quote = ranges.quote.total(first, last);
    return rounded(quote / 10 ** columns.volumeDecimals / 10 ** columns.priceDecimals);
  }

  get latest(): number {
    const { columns, last } = this.day;
    return this.price(columns.close[last]);
  }

  get dayLow(): number {
    const { ranges, first, last } = this.day;
    return this.price(ranges.low.total(first, last));
  }

  get dayHigh(): number {
    const { ranges, first, last } = this.day;
    return this.price(ranges.high.total(first, last));
  }

  get dayChange(): number | null {
    const { columns, first, last } = this.day;
    const [began, ended] = [columns.open[first] ?? 0, columns.close[last] ?? 0];
    return began === 0 ? null : rounded(((ended - began) / began) * 100);
  }

  private price(cell = 0): number {
    return rounded(cell / 10 ** this.day.columns.priceDecimals);
  }
}

/** Rounds a figure to the number that its text has. */
function rounded(number: number): number {
  return number >= LEAST_EXACT ? number : Number(number.toFixed(DECIMALS));
}

/** Writes a figure as decimal text, without an exponent. */
function textOf(number: number | null): DecimalText | null {
  return number === null ? null : (number.toFixed(DECIMALS) as DecimalText);
}

const BLOCK = 64;

/**
 * Computes totals of one value of each bar over ranges of bars. Totals of whole blocks are kept, since a run
 * asks again and again. A block is computed only when a range contains all of it, so no later bar is read.
 */
abstract class BarBlocks {
  protected readonly columns: CandleColumns;
  /** Total of an empty range. */
  private readonly nothing: number;
  /** Total of each block; NaN before it is computed. Null before the first request. */
  private blocks: Float64Array | null = null;

  constructor(columns: CandleColumns, nothing = 0) {
    this.columns = columns;
    this.nothing = nothing;
  }

  /** Returns the total from one bar to another, both included, in the units of the columns. */
  total(first: number, last: number): number {
    const firstBlock = Math.ceil(first / BLOCK);
    const endBlock = Math.floor((last + 1) / BLOCK);
    if (endBlock <= firstBlock) return this.with(this.nothing, first, last + 1);
    let total = this.with(this.nothing, first, firstBlock * BLOCK);
    for (let place = firstBlock; place < endBlock; place += 1) total = this.both(total, this.block(place));
    return this.with(total, endBlock * BLOCK, last + 1);
  }

  /** Returns a total with the bars `from` (included) to `to` (excluded) added. */
  protected abstract with(total: number, from: number, to: number): number;

  /** Returns the combination of two totals. */
  protected abstract both(one: number, other: number): number;

  private block(place: number): number {
    const blocks = (this.blocks ??= new Float64Array(Math.ceil(this.columns.length / BLOCK)).fill(
      Number.NaN,
    ));
    const known = blocks[place] ?? Number.NaN;
    if (!Number.isNaN(known)) return known;
    const total = this.with(this.nothing, place * BLOCK, (place + 1) * BLOCK);
    blocks[place] = total;
    return total;
  }
}

class Highest extends BarBlocks {
  protected with(total: number, from: number, to: number): number {
    const { high } = this.columns;
    let highest = total;
    for (let index = from; index < to; index += 1) highest = Math.max(highest, high[index] ?? 0);
    return highest;
  }

  protected both(one: number, other: number): number {
    return Math.max(one, other);
  }
}

class Lowest extends BarBlocks {
  protected with(total: number, from: number, to: number): number {
    const { low } = this.columns;
    let lowest = total;
    for (let index = from; index < to; index += 1) lowest = Math.min(lowest, low[index] ?? 0);
    return lowest;
  }

  protected both(one: number, other: number): number {
    return Math.min(one, other);
  }
}

/** Traded volume, in the base currency. */
class BaseVolume extends BarBlocks {
  protected with(total: number, from: number, to: number): number {
    const { volume } = this.columns;
    let sum = total;
    for (let index = from; index < to; index += 1) sum += volume[index] ?? 0;
    return sum;
  }

  protected both(one: number, other: number): number {
    return one + other;
  }
}

/** Traded value, in the quote currency: the volume of each bar times its close. */
class QuoteVolume extends BarBlocks {
  protected with(total: number, from: number, to: number): number {
    const { volume, close } = this.columns;
    let sum = total;
    for (let index = from; index < to; index += 1) sum += (volume[index] ?? 0) * (close[index] ?? 0);
    return sum;
  }

  protected both(one: number, other: number): number {
    return one + other;
  }
}

/** Ranges of the bars of one market, one for each figure. */
export class BarRanges {
  readonly high: Pick<BarBlocks, 'total'>;
  readonly low: Pick<BarBlocks, 'total'>;
  readonly base: Pick<BarBlocks, 'total'>;
  readonly quote: Pick<BarBlocks, 'total'>;

  constructor(columns: CandleColumns) {
    this.high = new Highest(columns);
    this.low = new Lowest(columns, Number.POSITIVE_INFINITY);
    this.base = new BaseVolume(columns);
    this.quote = new QuoteVolume(columns);
  }
}
