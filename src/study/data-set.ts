import { DAY_MS } from '../domain/durations.ts';
import { createHash } from 'node:crypto';
import { anchorText } from '../domain/bar-grid.ts';
import { TIMEFRAMES } from '../domain/timeframe.ts';
import { barsBetween, type CandleColumns } from '../domain/candle-columns.ts';
import { groupedText } from '../domain/money-text.ts';
import { gregorianOf } from '../domain/calendar-day.ts';

/** Kinds of data recorded of a market. */
export const DATA_KINDS = ['candles', 'books', 'trades', 'statistics'] as const;

/** Rows of one kind of one market that a study was asked about, the hold-out among them. */
export interface DataSet {
  readonly market: string;
  readonly kind: (typeof DATA_KINDS)[number];
  /** Of candles; null of all else. */
  readonly timeframe: string | null;
  /** Number of candles, or other rows. */
  readonly bars: number;
  /** The times of the first and the last one, in ms since 1970; a candle's is its open. */
  readonly firstMs: number;
  readonly lastMs: number;
  /** Of what the rows say, whatever file they come from. */
  readonly sha256: string;
  /**
   * The same of each month of UTC. Other studies whose rows have a month in common with these have searched
   * the same data, even if they began or ended elsewhere.
   */
  readonly months: readonly string[];
}

/** Names bars by what they say: the same bars of a CSV file and of the catalogue have the same name. */
export function dataSetOf(columns: CandleColumns): DataSet {
  const { market, timeframe, length, openTimeMs } = columns;
  return namedSet(
    { market, kind: 'candles', timeframe, length },
    (row) => openTimeMs[row] ?? 0,
    (from, to) => digestOf(barsBetween(columns, from, to)),
  );
}

/** Names rows by what each month of them says. */
export function namedSet(
  of: Pick<DataSet, 'market' | 'kind' | 'timeframe'> & { readonly length: number },
  timeOf: (row: number) => number,
  digest: (from: number, to: number) => string,
): DataSet {
  const { market, kind, timeframe, length } = of;
  const months: string[] = [];
  let from = 0;
  while (from < length) {
    const month = monthOf(timeOf(from));
    let to = from + 1;
    while (to < length && monthOf(timeOf(to)) === month) to += 1;
    months.push(digest(from, to));
    from = to;
  }
  const sha256 = createHash('sha256')
    .update(`${market} ${timeframe ?? kind} ${months.join(' ')}`)
    .digest('hex');
  return {
    market,
    kind,
    timeframe,
    bars: length,
    firstMs: length === 0 ? 0 : timeOf(0),
    lastMs: length === 0 ? 0 : timeOf(length - 1),
    sha256,
    months,
  };
}

/** Describes a data set in words: `1,201 books of BTCUSDT`. */
export function dataSetText({ market, kind, timeframe, bars }: Omit<DataSet, 'months'>): string {
  return `${groupedText(String(bars), 0)} ${kind}${timeframe === null ? '' : ` of ${timeframe}`} of ${market}`;
}

/**
 * Returns the anchors of bars that do not begin as UTC does: they change how longer bars are made of the same
 * bars.
 */
function elsewhere({ anchors = {} }: CandleColumns): string {
  return TIMEFRAMES.flatMap((timeframe) => {
    const anchor = anchors[timeframe];
    return anchor === undefined || anchorText(anchor) === 'UTC'
      ? []
      : [` ${timeframe} ${anchorText(anchor)}`];
  }).join('');
}

/** Cells are compared by their values, since two sources may count them in other decimals. */
function digestOf(columns: CandleColumns): string {
  const { market, timeframe, length, openTimeMs, priceDecimals, volumeDecimals } = columns;
  const hash = createHash('sha256').update(`${market} ${timeframe} ${length}${elsewhere(columns)}\n`);
  const add = (column: Float64Array, decimals: number): void => {
    const scale = 10 ** decimals;
    const values = Float64Array.from(column.subarray(0, length), (cell) => cell / scale);
    hash.update(new Uint8Array(values.buffer));
  };
  add(openTimeMs, 0);
  for (const column of [columns.open, columns.high, columns.low, columns.close]) add(column, priceDecimals);
  add(columns.volume, volumeDecimals);
  return hash.digest('hex');
}

/** Months of the calendar, counted on from year 0. */
function monthOf(timeMs: number): number {
  const { year, month } = gregorianOf(Math.floor(timeMs / DAY_MS));
  return year * 12 + month;
}
