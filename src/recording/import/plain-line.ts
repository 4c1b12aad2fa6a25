import { SURE_DIGITS } from '../../domain/decimal-text.ts';
import { UNIT_DECIMALS } from '../../domain/money.ts';
import { NO_COLUMN, type ColumnPlaces } from './column-places.ts';
import { openText } from './open-text.ts';

/** How the times of a file are written, where DuckDB can read them. */
export interface TimeForm {
  /** An expression that a time of this form and unit matches whole. */
  readonly pattern: string;
  /** What DuckDB reads the column as. */
  readonly type: 'BIGINT' | 'VARCHAR';
  /** SQL that makes ms since 1970 of such a column. */
  toMsSql(column: string): string;
}

/** Seconds, milliseconds, microseconds and nanoseconds since 1970, by their digits. As in `TimeReader`. */
const NUMBERS: readonly TimeForm[] = [
  { pattern: '[0-9]{1,11}', type: 'BIGINT', toMsSql: (column) => `${column} * 1000` },
  { pattern: '[1-9][0-9]{11,13}', type: 'BIGINT', toMsSql: (column) => column },
  { pattern: '[1-9][0-9]{14,16}', type: 'BIGINT', toMsSql: (column) => `${column} // 1000` },
  { pattern: '[1-9][0-9]{17}', type: 'BIGINT', toMsSql: (column) => `${column} // 1000000` },
];

const DATE = '[0-9]{4}-[0-9]{2}-[0-9]{2}';
const CLOCK = '(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]';
const ISO = new RegExp(`^${DATE}(?:[ T]${CLOCK}(Z| UTC|[+]00:00)?)?$`);
const DATE_LENGTH = 'yyyy-mm-dd'.length;

/** The form of a file's times by the first one; null where it is of a form that only `TimeReader` reads. */
export function timeForm(first: string): TimeForm | null {
  const number = NUMBERS.find(({ pattern }) => new RegExp(`^${pattern}$`).test(first));
  if (number !== undefined) return number;
  const found = ISO.exec(first);
  if (found === null) return null;
  const [whole, zone = ''] = found;
  return {
    pattern: whole.length === DATE_LENGTH ? DATE : `${DATE}[ T]${CLOCK}${zone.replace('+', '[+]')}`,
    type: 'VARCHAR',
    toMsSql: (column) => `epoch_ms(left(${column}, 19)::TIMESTAMP)`,
  };
}

/** Digits of a decimal in 64 bits. */
const UNIT_DIGITS = 18;

/** Zeros after the last decimal that are taken: they say nothing, and a number has a longest length. */
const MOST_ZEROS = 9;

/** Digits before the point, and decimals, of a column: both make 18, which fit 64 bits. */
export interface MoneyDigits {
  readonly whole: number;
  readonly decimals: number;
}

const SMALL: MoneyDigits = { whole: UNIT_DIGITS - UNIT_DECIMALS, decimals: UNIT_DECIMALS };
const LARGE: MoneyDigits = { whole: UNIT_DIGITS - 4, decimals: 4 };

/**
 * What DuckDB reads a column of money as, by its first number. A cast of text to the 38 digits of money takes
 * a hundred times as long, and twice the room.
 */
export function moneyDigits(first: string): MoneyDigits {
  return (first.split('.')[0] ?? '').length < SMALL.whole ? SMALL : LARGE;
}

/** Where the fields of a line are, and what they look like. */
export interface LineLayout {
  readonly separator: string;
  /** The fields of the first row. */
  readonly firstRow: readonly string[];
  /** Fields that every row has; more are empty. */
  readonly width: number;
  readonly places: ColumnPlaces;
  /** What a line ends with. */
  readonly lineEnd: string;
}

/**
 * The expression that a plain line of candles matches from where it begins, its end included. DuckDB's casts
 * can take such a line only as it is meant. Null where the first row has a time that only `TimeReader` reads.
 */
function plainLine({ separator, firstRow, width, places, lineEnd }: LineLayout): RegExp | null {
  const time = timeForm(firstRow[places.get('time') ?? NO_COLUMN] ?? '');
  if (time === null || firstRow.length < width) return null;
  const forms = new Map<number, string>();
  for (const [field, place] of places) {
    if (field === 'time') forms.set(place, orQuoted(time.pattern));
    else if (MONEY_FIELDS.has(field)) forms.set(place, orQuoted(moneyPattern(firstRow[place] ?? '')));
  }
  const unused = `(?:"[^"\\r\\n]*"|[^"\\r\\n${separator}]*)`;
  const fields = firstRow.map((_, place) => forms.get(place) ?? (place < width ? unused : '(?:"")?'));
  return new RegExp(`${fields.join(separator)}${lineEnd}`, 'y');
}

const MONEY_FIELDS: ReadonlySet<string> = new Set(['open', 'high', 'low', 'close', 'volume']);

const orQuoted = (pattern: string): string => `(?:${pattern}|"${pattern}")`;

/**
 * A number that is not negative. It has no more digits than a float keeps: more before the point, fewer after
 * it.
 */
function moneyPattern(first: string): string {
  const { whole, decimals } = moneyDigits(first);
  const forms = Array.from({ length: whole }, (_, index) => {
    const most = Math.min(decimals, SURE_DIGITS - index - 1);
    return `[0-9]{${index + 1}}(?:[.][0-9]{1,${most}}0{0,${MOST_ZEROS}})?`;
  });
  return `(?:${forms.join('|')})`;
}

/** A longer line is not plain. */
const MOST_LINE_CHARACTERS = 10_000;

export interface PlainLines extends Omit<LineLayout, 'lineEnd'> {
  readonly path: string;
  readonly hasHeader: boolean;
}

/**
 * How many rows a CSV file of candles has; null where one of its lines is not plain. Empty lines count as
 * none.
 */
export async function countPlainLines(file: PlainLines): Promise<number | null> {
  const { stream } = openText(file.path);
  const counter = new LineCounter(file);
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>)
      if (!counter.take(chunk.toString('latin1'))) return null;
    return counter.end() ? counter.lines : null;
  } finally {
    stream.destroy();
  }
}

/** Counts lines of a text that comes in parts. */
class LineCounter {
  lines = 0;
  private readonly file: PlainLines;
  private isBegun = false;
  private lineEnd = '';
  private plain: RegExp | null = null;
  private rest = '';

  constructor(file: PlainLines) {
    this.file = file;
  }

  /** Takes the next part; false where a line is not plain. */
  take(part: string): boolean {
    this.rest += part;
    if (!this.isBegun && !this.begin()) return this.rest.length <= MOST_LINE_CHARACTERS;
    const { plain, rest, lineEnd } = this;
    if (plain === null) return false;
    let end = 0;
    for (;;) {
      plain.lastIndex = end;
      if (plain.test(rest)) this.lines += 1;
      else if (!rest.startsWith(lineEnd, end)) break;
      else plain.lastIndex = end + lineEnd.length;
      end = plain.lastIndex;
    }
    this.rest = rest.slice(end);
    return this.rest.length <= MOST_LINE_CHARACTERS && !this.rest.includes('\n');
  }

  /** Takes the last line, which need not end as the others do. */
  end(): boolean {
    return this.rest === '' || (this.take(this.lineEnd === '' ? '\n' : this.lineEnd) && this.rest === '');
  }

  /** Finds out what lines end with, and leaves the titles aside; false as long as there is no whole line. */
  private begin(): boolean {
    const first = this.rest.indexOf('\n');
    if (first === -1) return false;
    this.lineEnd = this.rest[first - 1] === '\r' ? '\r\n' : '\n';
    this.plain = plainLine({ ...this.file, lineEnd: this.lineEnd });
    if (this.file.hasHeader) this.rest = this.rest.slice(first + 1);
    this.isBegun = true;
    return true;
  }
}
