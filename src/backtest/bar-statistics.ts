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
    return rounded(ranges.total('base', first, last) / 10 ** columns.volumeDecimals);
  }

  get quoteVolume(): number {
    const { ranges, first, last, columns } = this.day;
    const quote = ranges.total('quote', first, last);
    return rounded(quote / 10 ** columns.volumeDecimals / 10 ** columns.priceDecimals);
  }

  get latest(): number {
    const { columns, last } = this.day;
    return this.price(columns.close[last]);
  }

  get dayLow(): number {
    const { ranges, first, last } = this.day;
    return this.price(ranges.total('low', first, last));
  }

  get dayHigh(): number {
    const { ranges, first, last } = this.day;
    return this.price(ranges.total('high', first, last));
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

/** Figure of bars: its value in one bar, in the units of the columns, and how two totals combine. */
interface BarFigure {
  /** Total of an empty range. */
  readonly nothing: number;
  readonly of: (columns: CandleColumns, index: number) => number;
  readonly both: (one: number, other: number) => number;
}

const sum = (one: number, other: number): number => one + other;

const FIGURES = {
  high: { nothing: 0, of: ({ high }, index) => high[index] ?? 0, both: Math.max },
  low: { nothing: Number.POSITIVE_INFINITY, of: ({ low }, index) => low[index] ?? 0, both: Math.min },
  /** Traded volume, in the base currency. */
  base: { nothing: 0, of: ({ volume }, index) => volume[index] ?? 0, both: sum },
  /** Traded value, in the quote currency: the volume of each bar times its close. */
  quote: {
    nothing: 0,
    of: ({ volume, close }, index) => (volume[index] ?? 0) * (close[index] ?? 0),
    both: sum,
  },
} as const satisfies Readonly<Record<string, BarFigure>>;

/**
 * Computes totals of one figure over ranges of bars. Totals of whole blocks are kept, since a run asks again
 * and again. A block is computed only when a range contains all of it, so no later bar is read.
 */
class BarBlocks {
  private readonly columns: CandleColumns;
  private readonly figure: BarFigure;
  /** Total of each block; NaN before it is computed. */
  private readonly blocks: Float64Array;

  constructor(columns: CandleColumns, figure: BarFigure) {
    this.columns = columns;
    this.figure = figure;
    this.blocks = new Float64Array(Math.ceil(columns.length / BLOCK)).fill(Number.NaN);
  }

  /** Returns the total from one bar to another, both included, in the units of the columns. */
  total(first: number, last: number): number {
    const { nothing, both } = this.figure;
    const firstBlock = Math.ceil(first / BLOCK);
    const endBlock = Math.floor((last + 1) / BLOCK);
    if (endBlock <= firstBlock) return this.with(nothing, first, last + 1);
    let total = this.with(nothing, first, firstBlock * BLOCK);
    for (let place = firstBlock; place < endBlock; place += 1) total = both(total, this.block(place));
    return this.with(total, endBlock * BLOCK, last + 1);
  }

  /** Returns a total with the bars `from` (included) to `to` (excluded) added. */
  private with(total: number, from: number, to: number): number {
    const { columns, figure } = this;
    let all = total;
    for (let index = from; index < to; index += 1) all = figure.both(all, figure.of(columns, index));
    return all;
  }

  private block(place: number): number {
    const known = this.blocks[place] ?? Number.NaN;
    if (!Number.isNaN(known)) return known;
    const total = this.with(this.figure.nothing, place * BLOCK, (place + 1) * BLOCK);
    this.blocks[place] = total;
    return total;
  }
}

/** Ranges of the bars of one market for a figure, made when one is first read. */
export class BarRanges {
  private readonly columns: CandleColumns;
  private readonly blocks = new Map<keyof typeof FIGURES, BarBlocks>();

  constructor(columns: CandleColumns) {
    this.columns = columns;
  }

  /** Returns a figure from one bar to another, both included, in the units of the columns. */
  total(name: keyof typeof FIGURES, first: number, last: number): number {
    const blocks = this.blocks.get(name) ?? new BarBlocks(this.columns, FIGURES[name]);
    this.blocks.set(name, blocks);
    return blocks.total(first, last);
  }
}
