import type { CandleColumns } from '../domain/candle-columns.ts';

/** Bars of one block. */
const BLOCK = 64;

/**
 * Puts one number of each bar together over stretches of bars, again and again while a run goes on: whole
 * blocks of them are put together once. That is done only when a stretch has all of a block, so nothing later
 * than that is looked at.
 */
abstract class BarBlocks {
  protected readonly columns: CandleColumns;
  /** Total of no bars. */
  private readonly nothing: number;
  /** Total of each block; NaN before it is known. Null before the first request. */
  private blocks: Float64Array | null = null;

  constructor(columns: CandleColumns, nothing = 0) {
    this.columns = columns;
    this.nothing = nothing;
  }

  /** From one bar to another, both included, in the units of the columns. */
  total(first: number, last: number): number {
    const firstBlock = Math.ceil(first / BLOCK);
    const endBlock = Math.floor((last + 1) / BLOCK);
    if (endBlock <= firstBlock) return this.with(this.nothing, first, last + 1);
    let total = this.with(this.nothing, first, firstBlock * BLOCK);
    for (let place = firstBlock; place < endBlock; place += 1) total = this.both(total, this.block(place));
    return this.with(total, endBlock * BLOCK, last + 1);
  }

  /** A total with some more bars: those from one place up to another, which is not among them. */
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

/** The highest price. */
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

/** The lowest price. */
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

/** The same times each close. */
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

/** Stretches of bars of one market, by what is asked of them. */
export class BarStretches {
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
