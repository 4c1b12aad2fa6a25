import { SarrafError, invalidFile, tooLarge } from '../../domain/errors.ts';
import type { AppendOutcome } from '../staging-table.ts';
import { type ColumnPlaces, NO_COLUMN, type Field } from '../column-places.ts';
import { Rejects, type ImportTableOptions } from '../import-report.ts';
import { openTable } from './open-table.ts';
import type { FileRow } from '../../domain/csv.ts';
import type { ReadProgress } from '../open-text.ts';
import { type WrittenForm, TimeReader } from '../written-form.ts';
import { isoText } from '../../domain/time-text.ts';
import type { Candle } from '../../domain/candle.ts';
import {
  fractionDigits,
  SURE_DIGITS,
  tryDecimalText,
  ZERO,
  type DecimalText,
} from '../../domain/decimal-text.ts';
import { formatUnits, UNIT_DECIMALS, unitsOf } from '../../domain/money.ts';
import { type RecordedTrade, roundedDecimal, decimalProblem } from '../records.ts';

/** Thrown to stop an append because of unreadable rows. */
class BadRows extends Error {}

/** Reads rows in parts and collects bad ones; throws `BadRows` at the end unless they may be skipped. */
export class TableReader {
  count = 0;
  /** Number of unreadable rows; among the rejects they come before rows that contradict others. */
  bad = 0;
  rounded = 0;
  roundedPrices = 0;
  readonly rejects = new Rejects();
  private readonly options: ImportTableOptions;
  private readonly from: {
    readonly places: ColumnPlaces;
    readonly form: WrittenForm;
    readonly width: number;
    readonly parts: AsyncIterable<readonly FileRow[]>;
    readonly progress: () => ReadProgress;
  };

  constructor(options: ImportTableOptions, from: TableReader['from']) {
    this.options = options;
    this.from = from;
  }

  private rowReader(): RowReader {
    const { path, roundsAmounts = false, form: options = {}, priceFactor = 1 } = this.options;
    const { roundPrices: roundsPricesTo } = options;
    const { places, width, form } = this.from;
    return new RowReader({ path, form, places, width, roundsAmounts, roundsPricesTo, priceFactor });
  }

  /** Returns the readable times of some rows. Throws `INVALID_FILE` if no time can be read. */
  timesOf(rows: readonly FileRow[], path: string): number[] {
    const reader = this.rowReader();
    const read = rows.map((row) => ({ line: row.line, time: reader.timeOf(row) }));
    const times = read.flatMap(({ time }) => ('row' in time ? [time.row] : []));
    const [first] = read.flatMap(({ line, time }) =>
      'problem' in time ? [{ line, problem: time.problem }] : [],
    );
    if (times.length > 0 || first === undefined) return times;
    throw invalidFile(
      `${path}:${first.line}: ${first.problem}, and no other row has one either: say which column it is with --columns time=NAME, or write times that can be read`,
    );
  }

  /** Rejects the rows that have one of these times. */
  async rejectAt(
    parts: AsyncIterable<readonly FileRow[]>,
    problems: ReadonlyMap<number, string>,
  ): Promise<void> {
    const reader = this.rowReader();
    for await (const part of parts) {
      for (const row of part) {
        const time = reader.timeOf(row);
        const problem = 'row' in time ? problems.get(time.row) : undefined;
        if (problem !== undefined) this.rejects.add({ line: row.line, problem, text: row.fields.join(',') });
      }
    }
  }

  /** Returns the line of the row with a time; null if there is none. */
  async lineAt(parts: AsyncIterable<readonly FileRow[]>, timeMs: number): Promise<number | null> {
    const reader = this.rowReader();
    for await (const part of parts) {
      for (const row of part) {
        const time = reader.timeOf(row);
        if ('row' in time && time.row === timeMs) return row.line;
      }
    }
    return null;
  }

  /** Yields the results of `read` for the rows; null for a row that is silently left out. */
  async *rows<Row>(
    read: (reader: RowReader, row: FileRow) => ReadRow<Row> | null,
  ): AsyncGenerator<readonly Row[]> {
    const { skipBadRows, onProgress } = this.options;
    const reader = this.rowReader();
    // Rows may have been counted while reading columns, before a line was not plain.
    this.count = 0;
    for await (const part of this.from.parts) {
      const good: Row[] = [];
      for (const row of part) {
        const result = read(reader, row);
        if (result === null) continue;
        if ('row' in result) good.push(result.row);
        else {
          this.bad += 1;
          this.rejects.add({ line: row.line, problem: result.problem, text: row.fields.join(',') });
        }
      }
      this.count += part.length;
      onProgress?.(this.count, this.from.progress());
      // After a bad row nothing is imported; further rows are read only to find their problems.
      if (good.length > 0 && (skipBadRows || this.rejects.count === 0)) yield good;
    }
    this.rounded = reader.rounded;
    this.roundedPrices = reader.roundedPrices;
    if (this.rejects.count > 0 && !skipBadRows) throw new BadRows();
  }
}

/** Reads the file again to reject the rows that contradict others, which are known only at its end. */
export async function rejectConflicts(
  { count, conflicts }: Extract<AppendOutcome, { readonly kind: 'conflict' }>,
  { path }: ImportTableOptions,
  reader: TableReader,
): Promise<void> {
  const problems = new Map(
    conflicts.map(({ timeMs, isWithin, there }) => [
      timeMs,
      `expected the bar of ${isoText(timeMs)} ${isWithin ? 'once, found others for it' : `as it is there, ${there}`}`,
    ]),
  );
  const file = await openTable(path);
  await reader.rejectAt(file.parts, problems);
  reader.rejects.addUnlisted(count - conflicts.length);
}

/** Adds the line of the bar that does not fit its column to an error; reads the file again to find it. */
export async function naming(
  { path }: ImportTableOptions,
  reader: TableReader,
  append: () => Promise<AppendOutcome>,
): Promise<AppendOutcome | null> {
  try {
    return await unlessBad(append);
  } catch (error) {
    const openTimeMs =
      error instanceof SarrafError && error.code === 'TOO_LARGE' ? error.details['openTimeMs'] : null;
    if (!(error instanceof SarrafError) || typeof openTimeMs !== 'number') throw error;
    const line = await reader.lineAt((await openTable(path)).parts, openTimeMs);
    const at = line === null ? path : `${path}:${line}`;
    throw tooLarge(`${at}: ${error.message}`, { cause: error });
  }
}

/** Returns the outcome of an append; null if bad rows stopped it. */
export async function unlessBad(append: () => Promise<AppendOutcome>): Promise<AppendOutcome | null> {
  try {
    return await append();
  } catch (error) {
    if (error instanceof BadRows) return null;
    throw error;
  }
}

/** Thrown and caught in this file; its message says what is wrong with a row. */
class BadRow extends Error {}

/** Row that was read, or the reason for which it is bad. */
export type ReadRow<Row> = { readonly row: Row } | { readonly problem: string };

/** Reads rows whose columns are known. */
class RowReader {
  private readonly options: {
    readonly path: string;
    readonly form: WrittenForm;
    readonly places: ColumnPlaces;
    /** Number of fields of every row. */
    readonly width: number;
    readonly roundsAmounts: boolean;
    /** Maximum number of decimals of prices; prices with more are rounded. */
    readonly roundsPricesTo: number | undefined;
    /** Factor for prices. */
    readonly priceFactor: number;
  };
  private readonly priceDecimals: number;
  private readonly priceFactor: bigint;
  private readonly times = new TimeReader();

  constructor(options: RowReader['options']) {
    this.options = options;
    this.priceDecimals = options.roundsPricesTo ?? Number.POSITIVE_INFINITY;
    this.priceFactor = BigInt(options.priceFactor);
  }

  /** Number of rounded amounts and volumes so far, and of rounded prices. */
  rounded = 0;
  roundedPrices = 0;

  /** Reads the time of a row, whatever else it contains. */
  timeOf(row: FileRow): ReadRow<number> {
    return attempt(() => this.time(row));
  }

  /** Reads a bar. Throws `INVALID_FILE` only if the whole file is in doubt. */
  candle(row: FileRow): ReadRow<Candle> {
    return attempt(() => {
      this.checkWidth(row);
      const bar = {
        open: this.price(row, 'open'),
        high: this.price(row, 'high'),
        low: this.price(row, 'low'),
        close: this.price(row, 'close'),
        openTimeMs: this.time(row),
        volume: this.options.places.get('volume') === NO_COLUMN ? ZERO : this.decimal(row, 'volume'),
      };
      const problem = columnProblem(bar) ?? shapeProblem(bar);
      if (problem !== null) throw new BadRow(problem);
      return bar;
    });
  }

  /** Reads a trade. Its seen time is its own time, since a file does not contain it. */
  trade(row: FileRow): ReadRow<RecordedTrade> {
    return attempt(() => {
      this.checkWidth(row);
      const timeMs = this.time(row);
      return {
        timeMs,
        seenMs: timeMs,
        price: this.price(row, 'price'),
        amount: this.positive(row, 'amount'),
        side: this.side(row),
        id: this.id(row),
      };
    });
  }

  /** Refuses a row with another number of fields: it was cut short or a number contains a comma. */
  private checkWidth({ fields }: FileRow): void {
    const { width } = this.options;
    if (fields.length === width) return;
    const isMore = fields.slice(width).some((field) => field !== '');
    if (fields.length >= width && !isMore) return;
    throw new BadRow(`expected ${width} fields as in the first row, found ${fields.length}`);
  }

  private text(row: FileRow, field: Field): string {
    return row.fields[this.options.places.get(field) ?? -1] ?? '';
  }

  private time(row: FileRow): number {
    const text = this.options.form.time(this.text(row, 'time'), this.text(row, 'clock'));
    const time = this.times.read(text, { path: this.options.path, line: row.line });
    if (typeof time === 'string') throw new BadRow(time);
    return time;
  }

  private decimal(row: FileRow, field: Field): DecimalText {
    const text = this.options.form.number(this.text(row, field), field);
    const decimal = tryDecimalText(text);
    if (decimal === null || decimal.startsWith('-'))
      throw new BadRow(`expected a decimal number that is not negative for ${field}, found "${text}"`);
    const digits = fractionDigits(decimal);
    // A volume only bounds how much may fill, while an amount must be exact.
    if (
      digits > UNIT_DECIMALS &&
      (field === 'volume' || (field === 'amount' && this.options.roundsAmounts))
    ) {
      this.rounded += 1;
      return roundedDecimal(decimal);
    }
    if (digits > this.priceDecimals && field !== 'volume' && field !== 'amount') {
      this.roundedPrices += 1;
      return roundedDecimal(decimal, this.priceDecimals);
    }
    const problem = decimalProblem(decimal);
    if (problem === null) return decimal;
    const isLong = digits > UNIT_DECIMALS;
    const remedy = isLong ? `: ${field === 'amount' ? '--round-amounts' : '--round-prices'} rounds it` : '';
    throw new BadRow(`expected ${problem} of ${field}, found "${text}"${remedy}`);
  }

  private price(row: FileRow, field: Field): DecimalText {
    const price = this.positive(row, field);
    return this.priceFactor === 1n ? price : formatUnits(unitsOf(price) * this.priceFactor);
  }

  private positive(row: FileRow, field: Field): DecimalText {
    const decimal = this.decimal(row, field);
    if (decimal === '0') throw new BadRow(`expected a positive ${field}, found 0`);
    return decimal;
  }

  private side(row: FileRow): 'buy' | 'sell' {
    if (this.options.places.has('maker')) {
      const text = this.text(row, 'maker').toLowerCase();
      if (text === 'true' || text === '1') return 'sell';
      if (text === 'false' || text === '0') return 'buy';
      throw new BadRow(`expected true or false for whether the buyer was there first, found "${text}"`);
    }
    const side = this.text(row, 'side').toLowerCase();
    if (side === 'buy' || side === 'sell') return side;
    throw new BadRow(`expected side buy or sell, found "${side}"`);
  }

  private id(row: FileRow): number | null {
    if (!this.options.places.has('id')) return null;
    const text = this.text(row, 'id');
    // Exports of an exchange without trade ids leave the field empty.
    if (text === '') return null;
    const id = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
    if (Number.isSafeInteger(id)) return id;
    throw new BadRow(`expected the number of a trade, found "${text}"`);
  }
}

/** Returns the problem of a bar that is not exact in columns of whole numbers; null if it is exact. */
function columnProblem(bar: Candle): string | null {
  const large = (['open', 'high', 'low', 'close'] as const).find((field) => !isExact(bar[field]));
  if (large !== undefined)
    return `expected at most ${SURE_DIGITS} digits of ${large}, found "${bar[large]}": --round-prices rounds it`;
  const [whole = ''] = bar.volume.split('.');
  return whole.length <= SURE_DIGITS
    ? null
    : `expected a volume below 10^${SURE_DIGITS}, found "${bar.volume}"`;
}

const isExact = (text: DecimalText): boolean =>
  text.length <= SURE_DIGITS || Number.isSafeInteger(Number(text.replace('.', '')));

/** Returns the problem of a bar's prices, compared as floats; null if low <= open, close <= high. */
function shapeProblem({ open, high, low, close }: Candle): string | null {
  const [least, most] = [Number(low), Number(high)];
  const isWithin = (price: number): boolean => price >= least && price <= most;
  return isWithin(Number(open)) && isWithin(Number(close))
    ? null
    : `expected low <= open, close <= high, found open ${open}, high ${high}, low ${low}, close ${close}`;
}

function attempt<Row>(read: () => Row): ReadRow<Row> {
  try {
    return { row: read() };
  } catch (error) {
    if (error instanceof BadRow) return { problem: error.message };
    throw error;
  }
}
