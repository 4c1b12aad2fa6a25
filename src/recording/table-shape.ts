import { type DecimalText, fractionDigits } from '../domain/decimal-text.ts';
import type { Candle } from '../domain/candle.ts';
import type { MarketStats, BookLevel } from '../domain/order-book.ts';
import type { RecordedBook, RecordedStats, RecordedTrade } from './records.ts';
import type { DuckDBVector } from '@duckdb/node-api';
import { cellText } from '../domain/candle-columns.ts';
import { present, SarrafError, tooLarge } from '../domain/errors.ts';
import { formatUnits, UNIT_DECIMALS, divideHalfEven } from '../domain/money.ts';

/** Type of a column in a Parquet file; `money` is DECIMAL(38,10), `moneys` a list of it. */
export type ColumnType = 'time' | 'number' | 'money' | 'moneys' | 'text' | 'flag';

export const SQL_TYPES: Readonly<Record<ColumnType, string>> = {
  time: 'BIGINT',
  number: 'BIGINT',
  money: 'DECIMAL(38,10)',
  moneys: 'DECIMAL(38,10)[]',
  text: 'VARCHAR',
  flag: 'BOOLEAN',
};

/** Value of one cell of a row. */
export type Cell = number | DecimalText | string | boolean | readonly DecimalText[] | null;

export interface Column {
  readonly name: string;
  readonly type: ColumnType;
}

/** Number of decimals of a row's prices, and of its amounts. */
export interface RowDecimals {
  readonly price: number;
  readonly amount: number;
}

/** Layout of the records of one kind in Parquet files, and the rule by which two of them are the same. */
export interface TableShape<Row> {
  /** Name of its rows in messages. */
  readonly noun: string;
  readonly columns: readonly Column[];
  readonly partition: 'month' | 'day';
  cells(row: Row): readonly Cell[];
  decimals(row: Row): RowDecimals;
  /** Returns the time by which rows are sorted and partitioned, in ms. */
  timeMs(row: Row): number;
  /** SQL expression for the same time. */
  readonly timeSql: string;
  /** SQL key: rows with the same key are the same record. `copy` counts equal rows without an id, from 1. */
  readonly keySql: string;
  /** SQL columns that define equal rows for `copy`; null if the key needs no counting. */
  readonly copySql: string | null;
  /** SQL of the content, which must be equal if the key is. */
  readonly contentSql: string;
  /** SQL sort order after the time; the order of arrival comes last. */
  readonly tieSql: string;
}

/** Returns the name of the partition of a time: its month or day in UTC. */
export const partitionName = (timeMs: number, partition: 'month' | 'day'): string =>
  new Date(timeMs).toISOString().slice(0, partition === 'month' ? 7 : 10);

/**
 * Returns the SQL that lists the partitions of some rows: name, number of rows, first and last time. It
 * groups by day first, since naming each row takes longer.
 */
export function countsSql(of: {
  readonly source: string;
  readonly timeSql: string;
  readonly partition: 'month' | 'day';
}): string {
  const { source, timeSql, partition } = of;
  return `
    SELECT strftime(make_timestamp(from_ms * 1000), '${partition === 'month' ? '%Y-%m' : '%Y-%m-%d'}') AS part, sum(rows)::BIGINT, min(from_ms), max(to_ms)
    FROM (
      SELECT count(*) AS rows, min(${timeSql}) AS from_ms, max(${timeSql}) AS to_ms
      FROM ${source} GROUP BY make_timestamp(${timeSql} * 1000)::DATE)
    GROUP BY 1 ORDER BY 1`;
}

/** Returns the SQL condition that a time in ms lies in a partition, so that ranges of a table are skipped. */
export function inPartitionSql(timeSql: string, name: string): string {
  const [year = 0, month = 1, day] = name.split('-').map(Number);
  const fromMs = Date.UTC(year, month - 1, day ?? 1);
  const toMs = day === undefined ? Date.UTC(year, month, 1) : Date.UTC(year, month - 1, day + 1);
  return `${timeSql} >= ${fromMs} AND ${timeSql} < ${toMs}`;
}

const time = (name: string): Column => ({ name, type: 'time' });
const money = (name: string): Column => ({ name, type: 'money' });

/** Combines SQL values into one, so that they are compared together. */
const together = (...values: readonly string[]): string =>
  `struct_pack(${values.map((value, index) => `v${index} := ${value}`).join(', ')})`;

const mostDigits = (texts: readonly (DecimalText | null)[]): number =>
  texts.reduce((most, text) => (text === null ? most : Math.max(most, fractionDigits(text))), 0);

/** Table of bars; the key is the open time. */
export const CANDLE_SHAPE: TableShape<Candle> = {
  noun: 'candles',
  columns: [time('time_ms'), money('open'), money('high'), money('low'), money('close'), money('volume')],
  partition: 'month',
  cells: ({ openTimeMs, open, high, low, close, volume }) => [openTimeMs, open, high, low, close, volume],
  decimals: ({ open, high, low, close, volume }) => ({
    price: mostDigits([open, high, low, close]),
    amount: fractionDigits(volume),
  }),
  timeMs: ({ openTimeMs }) => openTimeMs,
  timeSql: 'time_ms',
  keySql: 'time_ms',
  copySql: null,
  contentSql: together('open', 'high', 'low', 'close', 'volume'),
  tieSql: 'time_ms',
};

/** Table of trades; the key is the id if there is one, else the values and a count of equal trades. */
export const TRADE_SHAPE: TableShape<RecordedTrade> = {
  noun: 'trades',
  columns: [
    time('time_ms'),
    time('seen_ms'),
    money('price'),
    money('amount'),
    { name: 'side', type: 'text' },
    { name: 'trade_id', type: 'number' },
  ],
  partition: 'day',
  cells: ({ timeMs, seenMs, price, amount, side, id }) => [timeMs, seenMs, price, amount, side, id],
  decimals: ({ price, amount }) => ({ price: fractionDigits(price), amount: fractionDigits(amount) }),
  timeMs: ({ timeMs, seenMs }) => timeMs ?? seenMs,
  timeSql: 'coalesce(time_ms, seen_ms)',
  keySql: together(
    // Without nulls, whose comparison would be unknown.
    'coalesce(trade_id, -1)',
    ...['at_ms', 'price', 'amount', 'side', 'copy'].map(
      (name) => `CASE WHEN trade_id IS NULL THEN ${name} ELSE ${name === 'side' ? "''" : '0'} END`,
    ),
  ),
  copySql: 'trade_id, coalesce(time_ms, seen_ms), price, amount, side',
  contentSql: together('at_ms', 'price', 'amount', 'side'),
  tieSql: 'coalesce(trade_id, 0)',
};

/** Table of books; the key is the pair of their times. */
export const BOOK_SHAPE: TableShape<RecordedBook> = {
  noun: 'books',
  columns: [
    time('venue_time_ms'),
    time('seen_ms'),
    { name: 'bid_prices', type: 'moneys' },
    { name: 'bid_amounts', type: 'moneys' },
    { name: 'ask_prices', type: 'moneys' },
    { name: 'ask_amounts', type: 'moneys' },
  ],
  partition: 'day',
  cells: ({ venueTimeMs, seenMs, bids, asks }) => [
    venueTimeMs,
    seenMs,
    ...[bids, asks].flatMap((levels) => [levels.map(([price]) => price), levels.map(([, amount]) => amount)]),
  ],
  decimals: ({ bids, asks }) => ({
    price: Math.max(levelDigits(bids, 0), levelDigits(asks, 0)),
    amount: Math.max(levelDigits(bids, 1), levelDigits(asks, 1)),
  }),
  timeMs: ({ venueTimeMs, seenMs }) => venueTimeMs ?? seenMs,
  timeSql: 'coalesce(venue_time_ms, seen_ms)',
  keySql: together('coalesce(venue_time_ms, -1)', 'seen_ms'),
  copySql: null,
  contentSql: together('bid_prices', 'bid_amounts', 'ask_prices', 'ask_amounts'),
  tieSql: 'seen_ms',
};

const levelDigits = (levels: readonly BookLevel[], place: 0 | 1): number =>
  levels.reduce((most, level) => Math.max(most, fractionDigits(level[place])), 0);

/** Decimal fields of the statistics, by column name. */
export const STATS_COLUMNS = {
  best_sell: 'bestSell',
  best_buy: 'bestBuy',
  base_volume: 'baseVolume',
  quote_volume: 'quoteVolume',
  latest: 'latest',
  mark: 'mark',
  day_low: 'dayLow',
  day_high: 'dayHigh',
  day_open: 'dayOpen',
  day_close: 'dayClose',
  day_change: 'dayChange',
} as const satisfies Record<string, keyof MarketStats>;

const STATS_FIELDS = Object.values(STATS_COLUMNS);

/** Table of statistics; the key is the seen time. */
export const STATS_SHAPE: TableShape<RecordedStats> = {
  noun: 'statistics',
  columns: [
    time('seen_ms'),
    { name: 'is_closed', type: 'flag' },
    { name: 'closed_reason', type: 'text' },
    ...Object.keys(STATS_COLUMNS).map(money),
  ],
  partition: 'month',
  cells: ({ seenMs, stats }) => [
    seenMs,
    stats.isClosed,
    stats.closedReason,
    ...STATS_FIELDS.map((field) => stats[field]),
  ],
  decimals: () => ({ price: 10, amount: 10 }),
  timeMs: ({ seenMs }) => seenMs,
  timeSql: 'seen_ms',
  keySql: 'seen_ms',
  copySql: null,
  contentSql: together('is_closed', 'closed_reason', ...Object.keys(STATS_COLUMNS)),
  tieSql: 'seen_ms',
};

const WORD = 4_294_967_296;
/** Bound of the second word below which two words make a number below 2^53. */
const EXACT_WORDS = 2 ** 21;
/** Greatest error of a quotient of floats below 2^53. */
const MOST_OFF = 4;

/**
 * Reader of a DECIMAL(38,10) vector from its memory. Each value is four little-endian words; the library
 * would create a bigint for each, which is too slow for a million bars.
 */
export class MoneyCells {
  private readonly words: Uint32Array;

  /** Throws a TypeError for a vector of another type. */
  constructor(vector: DuckDBVector) {
    // Private only in its type, and the package version is fixed: the bytes of the column.
    const { dataView } = vector as unknown as { readonly dataView?: DataView };
    if (!(dataView instanceof DataView) || dataView.byteOffset % 4 !== 0)
      throw new TypeError('expected a vector of decimals with 128 bits');
    this.words = new Uint32Array(dataView.buffer, dataView.byteOffset, dataView.byteLength >> 2);
  }

  /**
   * Writes the first `count` values into a column as whole numbers of 10^-decimals. Throws `TOO_LARGE` for a
   * value beyond 2^53 or with more decimals; with `rounds` more decimals are rounded half-even.
   *
   * The float quotient has a small error, but the lowest 32 bits of the exact quotient are known: a division
   * by an odd number without remainder is a multiplication by its inverse. The number near the quotient with
   * these bits is the exact one; with a remainder there is none near.
   */
  copyInto(
    column: Float64Array,
    options: {
      readonly at: number;
      readonly count: number;
      readonly decimals: number;
      readonly rounds?: boolean;
    },
  ): void {
    const { at, count, decimals, rounds = false } = options;
    const { words } = this;
    const shift = UNIT_DECIMALS - decimals;
    const divisor = 10 ** shift;
    const inverse = oddInverse(5 ** shift);
    for (let row = 0, word = 0; row < count; row += 1, word += 4) {
      const lowest = words[word] ?? 0;
      const second = words[word + 1] ?? 0;
      const highest = (words[word + 2] ?? 0) | (words[word + 3] ?? 0);
      const plain = (second * WORD + lowest) / divisor;
      // Below 2^53 a quotient with a remainder is never rounded to a whole number.
      if (highest === 0 && second < EXACT_WORDS && Math.floor(plain) === plain) {
        column[at + row] = plain;
        continue;
      }
      const near = (((words[word + 2] ?? 0) * WORD + second) * WORD + lowest) / divisor;
      const shifted = shift === 0 ? lowest : (lowest >>> shift) | (second << (32 - shift));
      const low = Math.imul(shifted, inverse) >>> 0;
      const cell = Math.round((near - low) / WORD) * WORD + low;
      const isExact =
        (words[word + 3] ?? 0) === 0 && Math.abs(cell - near) <= MOST_OFF && Number.isSafeInteger(cell);
      column[at + row] = isExact ? cell : this.rareCell(row, decimals, rounds);
    }
  }

  /** Returns one value in units of 1e-10. */
  units(row: number): bigint {
    const at = row * 4;
    const word = (index: number): bigint => BigInt(this.words[at + index] ?? 0);
    return BigInt.asIntN(128, word(0) | (word(1) << 32n) | (word(2) << 64n) | (word(3) << 96n));
  }

  /** Returns one value as text. */
  text(row: number): DecimalText {
    return formatUnits(this.units(row));
  }

  /** Returns all values as texts, each converted when it is read. */
  texts(count: number, texts: CellTexts): TextColumn {
    const cells = new Float64Array(count);
    try {
      this.copyInto(cells, { at: 0, count, decimals: texts.decimals });
    } catch (error) {
      if (!(error instanceof SarrafError)) throw error;
      const all = Array.from({ length: count }, (_, row) => this.text(row));
      return { at: (row) => present(all[row], 'a decimal of a column') };
    }
    return { at: (row) => texts.of(present(cells[row], 'a cell of a column')) };
  }

  /** Converts a value that the fast conversion cannot: negative (damaged), or with more decimals. */
  private rareCell(row: number, decimals: number, rounds: boolean): number {
    const units = this.units(row);
    const divisor = 10n ** BigInt(UNIT_DECIMALS - decimals);
    const cell = Number(divideHalfEven(units, divisor));
    if ((rounds || units % divisor === 0n) && Number.isSafeInteger(cell)) return cell;
    throw tooLarge(`expected a number within 2^53 of ${decimals} decimals at most, was ${this.text(row)}`);
  }
}

/** Returns the inverse of an odd number in 32 bits. Each round of Newton's method doubles its bits. */
function oddInverse(odd: number): number {
  const value = odd | 0;
  let inverse = value;
  for (let round = 0; round < 5; round += 1) inverse = Math.imul(inverse, 2 - Math.imul(value, inverse));
  return inverse;
}

/** Decimal texts of one column, by row. */
export interface TextColumn {
  at(row: number): DecimalText;
}

/** Maximum number of cached texts; then the cache is cleared. */
const MOST_REMEMBERED = 20_000;

/** Converts whole numbers of 10^-decimals into texts, with a cache, since a book repeats them often. */
export class CellTexts {
  readonly decimals: number;
  private readonly known = new Map<number, DecimalText>();

  constructor(decimals: number) {
    this.decimals = decimals;
  }

  /** Returns the text of a cell, without an exponent. */
  of(cell: number): DecimalText {
    const known = this.known.get(cell);
    if (known !== undefined) return known;
    if (this.known.size >= MOST_REMEMBERED) this.known.clear();
    const text = cellText(cell, this.decimals);
    this.known.set(cell, text);
    return text;
  }
}
