import type { BarAnchors, Candle, Timeframe } from '../domain/candle.ts';
import {
  cellText,
  columnScale,
  grown,
  type CandleColumns,
  volumeCell,
  volumeColumnDecimals,
} from '../domain/candle-columns.ts';
import { type DecimalText, fractionDigits } from '../domain/decimal-text.ts';
import { present, SarrafError, invalidOptions, tooLarge } from '../domain/errors.ts';
import type { MarketSymbol } from '../domain/market-symbol.ts';
import type { AppendSource } from './catalogue.ts';
import { MOST_CONFLICTS, type AppendOutcome, type RecordConflict } from './staging-table.ts';
import type { RowParts } from './append-rows.ts';
import {
  NotPlain,
  type CandleBlock,
  type CandleBlocks,
  BLOCK_COLUMNS,
  scaleFactor,
  type BlockColumn,
} from './stage-blocks.ts';
import { MOST_CANDLES } from './read-candles.ts';
import { formatUnits, NO_UNITS, UNIT_DECIMALS, UNITS_PER_ONE, type Units } from '../domain/money.ts';

/** Bound below which the nearest float times a power of ten, rounded, is the exact whole number. */
const SURELY_ROUNDED = 2 ** 51;

const POWERS: readonly number[] = Array.from({ length: 16 }, (_, power) => 10 ** power);

/** Growing column of decimals, as whole numbers in units of the last decimal of the most precise one. */
class DecimalColumn {
  decimals = 0;
  cells = new Float64Array(FIRST_ROOM);

  set(index: number, text: DecimalText): void {
    if (index >= this.cells.length) this.cells = grown(this.cells);
    const point = text.indexOf('.');
    const decimals = point === -1 ? 0 : text.length - point - 1;
    if (decimals > this.decimals) this.scaleTo(decimals, index);
    this.cells[index] = this.cellOf(text, decimals);
  }

  scaleTo(decimals: number, length: number): void {
    const factor = POWERS[decimals - this.decimals] ?? Number.NaN;
    for (let index = 0; index < length; index += 1)
      this.cells[index] = exact((this.cells[index] ?? 0) * factor, decimals);
    this.decimals = decimals;
  }

  move(from: number, to: number): void {
    this.cells[to] = this.cells[from] ?? Number.NaN;
  }

  pick(order: Uint32Array): void {
    this.cells = picked(this.cells, order);
  }

  textAt(index: number): DecimalText {
    return cellText(this.cells[index] ?? Number.NaN, this.decimals);
  }

  private cellOf(text: DecimalText, decimals: number): number {
    const cell = Math.round(Number(text) * (POWERS[this.decimals] ?? Number.NaN));
    if (cell < SURELY_ROUNDED) return cell;
    return exact(
      Number(text.replace('.', '')) * (POWERS[this.decimals - decimals] ?? Number.NaN),
      this.decimals,
    );
  }
}

/** Collects the bars of a file as columns in memory, checked as a catalogue's, for one run. */
export class CandleCollector {
  private readonly columns = {
    open: new DecimalColumn(),
    high: new DecimalColumn(),
    low: new DecimalColumn(),
    close: new DecimalColumn(),
    volume: new VolumeColumn(),
  };
  private times = new Float64Array(FIRST_ROOM);
  private length = 0;
  private isSorted = true;
  private timeframe: Timeframe | null = null;
  private anchors: BarAnchors | undefined = undefined;
  /** All bars, if the file could be read as columns; the columns above are then empty. */
  private whole: CandleBlock | null = null;

  /**
   * Appends bars in any order: a bar given twice counts once, a different bar for the same time is a
   * conflict. May be called only once. Throws `INVALID_OPTIONS` for too many bars, `TOO_LARGE` for a number
   * that does not fit its column.
   */
  async appendCandles(
    options: AppendSource & {
      readonly timeframe: Timeframe;
      readonly candles: RowParts<Candle>;
      readonly blocks?: CandleBlocks | null;
      readonly anchors?: BarAnchors;
    },
  ): Promise<AppendOutcome> {
    this.timeframe = options.timeframe;
    this.anchors = options.anchors;
    const whole = await wholeBlock(options.blocks ?? null);
    if (whole !== null) {
      this.whole = whole;
      return added(whole.openTimeMs, { came: whole.length });
    }
    for await (const part of options.candles) for (const candle of part) this.add(candle);
    const came = this.length;
    if (!this.isSorted) this.sort();
    const conflicts = this.joinTwins();
    if (conflicts.length > 0)
      return { kind: 'conflict', count: conflicts.length, conflicts: conflicts.slice(0, MOST_CONFLICTS) };
    return added(this.times.subarray(0, this.length), { came });
  }

  /** Returns the bars, oldest first. Throws a RangeError before bars were appended. */
  candlesOf(market: MarketSymbol): CandleColumns {
    const { columns, length, timeframe, anchors, whole } = this;
    if (timeframe === null) throw new RangeError('expected bars to be taken in first, were none');
    if (whole !== null) return { market, timeframe, anchors, ...whole };
    const { open, high, low, close, volume } = columns;
    const priceDecimals = Math.max(open.decimals, high.decimals, low.decimals, close.decimals);
    for (const column of [open, high, low, close]) {
      if (column.decimals < priceDecimals) column.scaleTo(priceDecimals, length);
    }
    columnScale(priceDecimals);
    return {
      market,
      timeframe,
      anchors,
      length,
      openTimeMs: this.times,
      priceDecimals,
      open: open.cells,
      high: high.cells,
      low: low.cells,
      close: close.cells,
      ...volume.cells(length),
    };
  }

  private add({ openTimeMs, open, high, low, close, volume }: Candle): void {
    const { columns, length } = this;
    if (length >= MOST_CANDLES) throw tooManyCandles();
    if (length >= this.times.length) this.times = grown(this.times);
    if (length > 0 && openTimeMs < (this.times[length - 1] ?? 0)) this.isSorted = false;
    this.times[length] = openTimeMs;
    try {
      columns.open.set(length, open);
      columns.high.set(length, high);
      columns.low.set(length, low);
      columns.close.set(length, close);
    } catch (error) {
      if (!(error instanceof SarrafError)) throw error;
      throw new SarrafError(error.code, error.message, { cause: error, details: { openTimeMs } });
    }
    columns.volume.set(length, volume);
    this.length = length + 1;
  }

  /** Sorts the bars by time; bars of one time keep their order. */
  private sort(): void {
    const { times, length } = this;
    const order = Uint32Array.from({ length }, (_, index) => index);
    order.sort((left, right) => (times[left] ?? 0) - (times[right] ?? 0) || left - right);
    this.times = picked(times, order);
    for (const column of Object.values(this.columns)) column.pick(order);
  }

  /** Removes repeated bars. Returns the times that have different bars. */
  private joinTwins(): RecordConflict[] {
    const { times } = this;
    const conflicts: RecordConflict[] = [];
    let retained = 0;
    for (let index = 0; index < this.length; index += 1) {
      const isTwin = retained > 0 && times[index] === times[retained - 1];
      if (!isTwin) {
        this.move(index, retained);
        retained += 1;
        continue;
      }
      const [there, given] = [this.textAt(retained - 1), this.textAt(index)];
      const timeMs = times[index] ?? Number.NaN;
      if (there !== given && conflicts.at(-1)?.timeMs !== timeMs)
        conflicts.push({ timeMs, isWithin: true, there, given });
    }
    this.length = retained;
    return conflicts;
  }

  private move(from: number, to: number): void {
    if (from === to) return;
    this.times[to] = this.times[from] ?? Number.NaN;
    for (const column of Object.values(this.columns)) column.move(from, to);
  }

  private textAt(index: number): string {
    return Object.values(this.columns)
      .map((column) => column.textAt(index))
      .join(', ');
  }
}

/** Returns the bars of a file as one block; null if they must be read row by row. */
async function wholeBlock(blocks: CandleBlocks | null): Promise<CandleBlock | null> {
  if (blocks === null) return null;
  try {
    // Throws if bars are not in order of time, do not fit a column, or are too many for one block.
    const all = new GrowingBlock(blocks.expectedRows);
    for await (const block of blocks.read()) all.add(block);
    return all.inOrder();
  } catch (error) {
    if (error instanceof NotPlain) return null;
    throw error;
  }
}

function added(timesMs: Float64Array, { came }: { readonly came: number }): AppendOutcome {
  const count = timesMs.length;
  return {
    kind: 'added',
    added: count,
    known: came - count,
    fromMs: timesMs[0] ?? null,
    toMs: timesMs[count - 1] ?? null,
  };
}

function exact(cell: number, decimals: number): number {
  if (Number.isSafeInteger(cell)) return cell;
  throw tooLarge(
    `expected prices that fit a column of 15 digits, found one of more at ${decimals} decimals: round them with --round-prices`,
  );
}

/** Creates the error for more bars than can be read at once. */
const tooManyCandles = (): SarrafError =>
  invalidOptions(`expected at most ${MOST_CANDLES} candles at once: cut the file`);

class GrowingBlock {
  private readonly columns: Map<BlockColumn, Float64Array<ArrayBuffer>>;
  private length = 0;
  private decimals = { priceDecimals: 0, volumeDecimals: 0 };

  constructor(expectedRows: number) {
    // Unused room costs nothing, while adding room later costs as much as reading.
    const room = Math.min(MOST_CANDLES, Math.max(FIRST_ROOM, Math.ceil(expectedRows)));
    this.columns = new Map(BLOCK_COLUMNS.map((name) => [name, new Float64Array(room)]));
  }

  add(block: CandleBlock): void {
    const { length, decimals } = this;
    const end = length + block.length;
    if (end > MOST_CANDLES) throw tooManyCandles();
    for (const name of BLOCK_COLUMNS) {
      const factor = scaleFactor(name, decimals, block);
      if (factor !== 1) scale(this.column(name).subarray(0, length), factor);
      while (this.column(name).length < end) this.columns.set(name, grown(this.column(name)));
      this.column(name).set(block[name], length);
    }
    this.length = end;
    this.decimals = { priceDecimals: block.priceDecimals, volumeDecimals: block.volumeDecimals };
  }

  inOrder(): CandleBlock {
    const part = (name: BlockColumn): Float64Array => this.column(name).subarray(0, this.length);
    const openTimeMs = part('openTimeMs');
    const rising = isRising(openTimeMs);
    if (!rising) for (const name of BLOCK_COLUMNS) part(name).reverse();
    if (!rising && !isRising(openTimeMs)) throw new NotPlain('expected bars in the order of time, each once');
    const { length, decimals } = this;
    return {
      length,
      ...decimals,
      openTimeMs,
      open: part('open'),
      high: part('high'),
      low: part('low'),
      close: part('close'),
      volume: part('volume'),
    };
  }

  private column(name: BlockColumn): Float64Array<ArrayBuffer> {
    return present(this.columns.get(name), 'a column of each name');
  }
}

/** Multiplies cells by a factor. Throws `NotPlain` where a cell is no longer exact. */
function scale(cells: Float64Array, factor: number): void {
  for (let index = 0; index < cells.length; index += 1) {
    const cell = present(cells[index], 'a cell within the length') * factor;
    if (cell > Number.MAX_SAFE_INTEGER) throw new NotPlain('expected numbers that fit a column');
    cells[index] = cell;
  }
}

function isRising(timesMs: Float64Array): boolean {
  for (let index = 1; index < timesMs.length; index += 1) {
    const [before, after] = [timesMs[index - 1], timesMs[index]];
    if (!(present(before, 'a time before') < present(after, 'a time'))) return false;
  }
  return true;
}

/** Initial room of a growing column, in rows; it doubles whenever it is full. */
const FIRST_ROOM = 65_536;

/** Returns the cells of a column in another order. */
function picked(column: Float64Array, order: Uint32Array): Float64Array<ArrayBuffer> {
  const sorted = new Float64Array(order.length);
  for (const [place, index] of order.entries()) sorted[place] = column[index] ?? Number.NaN;
  return sorted;
}

/**
 * Growing column of volumes, stored as the digits before the point and those after it in units of 1e-10. Both
 * stay exact; the decimals of the whole column are known only at its end.
 */
class VolumeColumn {
  private finest = 0;
  private whole = new Float64Array(FIRST_ROOM);
  private part = new Float64Array(FIRST_ROOM);

  /** Sets a volume. Throws `TOO_LARGE` for more than 15 digits before the point. */
  set(index: number, text: DecimalText): void {
    if (index >= this.whole.length) {
      this.whole = grown(this.whole);
      this.part = grown(this.part);
    }
    const decimals = fractionDigits(text);
    const whole = Number(decimals === 0 ? text : text.slice(0, -decimals - 1));
    if (!Number.isSafeInteger(whole))
      throw tooLarge(`expected a volume of at most 15 digits before the point, found "${text}"`);
    this.finest = Math.max(this.finest, decimals);
    this.whole[index] = whole;
    this.part[index] = decimals === 0 ? 0 : Number(text.slice(-decimals)) * 10 ** (UNIT_DECIMALS - decimals);
  }

  move(from: number, to: number): void {
    this.whole[to] = this.whole[from] ?? Number.NaN;
    this.part[to] = this.part[from] ?? Number.NaN;
  }

  pick(order: Uint32Array): void {
    this.whole = picked(this.whole, order);
    this.part = picked(this.part, order);
  }

  textAt(index: number): DecimalText {
    return formatUnits(this.unitsAt(index));
  }

  /** Returns the first `length` volumes as whole numbers of one column. @see volumeColumnDecimals */
  cells(length: number): { readonly volumeDecimals: number; readonly volume: Float64Array<ArrayBuffer> } {
    const largest = length === 0 ? NO_UNITS : this.unitsAt(this.largest(length));
    const volumeDecimals = volumeColumnDecimals({ finest: this.finest, largest });
    const scale = 10 ** volumeDecimals;
    const unitsOfCell = 10 ** (UNIT_DECIMALS - volumeDecimals);
    const volume = Float64Array.from({ length }, (_, index) => {
      const part = this.part[index] ?? 0;
      if (part % unitsOfCell !== 0) return volumeCell(this.unitsAt(index), volumeDecimals);
      return (this.whole[index] ?? 0) * scale + part / unitsOfCell;
    });
    return { volumeDecimals, volume };
  }

  private largest(length: number): number {
    const { whole, part } = this;
    let found = 0;
    for (let index = 1; index < length; index += 1) {
      const more = (whole[index] ?? 0) - (whole[found] ?? 0);
      if (more > 0 || (more === 0 && (part[index] ?? 0) > (part[found] ?? 0))) found = index;
    }
    return found;
  }

  private unitsAt(index: number): Units {
    return (BigInt(this.whole[index] ?? 0) * UNITS_PER_ONE + BigInt(this.part[index] ?? 0)) as Units;
  }
}
