import { createHash } from 'node:crypto';
import { barsBetween, type CandleColumns } from '../../domain/candle-columns.ts';
import { gregorianOf } from '../../domain/calendar-day.ts';

const DAY_MS = 86_400_000;

/** Bars of one market that a study was asked about, the hold-out among them. */
export interface DataSet {
  readonly market: string;
  readonly timeframe: string;
  readonly bars: number;
  /** The opens of the first and the last bar, in ms since 1970. */
  readonly firstMs: number;
  readonly lastMs: number;
  /** Of what the bars say, whatever file they come from. */
  readonly sha256: string;
  /**
   * The same of each month of UTC. Other studies whose bars have a month in common with these have searched
   * the same data, even if they began or ended elsewhere.
   */
  readonly months: readonly string[];
}

/** Names bars by what they say: the same bars of a CSV file and of the catalogue have the same name. */
export function dataSetOf(columns: CandleColumns): DataSet {
  const { market, timeframe, length, openTimeMs } = columns;
  const months: string[] = [];
  let from = 0;
  while (from < length) {
    const month = monthOf(openTimeMs[from] ?? 0);
    let to = from + 1;
    while (to < length && monthOf(openTimeMs[to] ?? 0) === month) to += 1;
    months.push(digestOf(barsBetween(columns, from, to)));
    from = to;
  }
  const sha256 = createHash('sha256')
    .update(`${market} ${timeframe} ${months.join(' ')}`)
    .digest('hex');
  return {
    market,
    timeframe,
    bars: length,
    firstMs: openTimeMs[0] ?? 0,
    lastMs: openTimeMs[length - 1] ?? 0,
    sha256,
    months,
  };
}

/** Cells are compared by their values, since two sources may count them in other decimals. */
function digestOf(columns: CandleColumns): string {
  const { market, timeframe, length, openTimeMs, priceDecimals, volumeDecimals } = columns;
  const hash = createHash('sha256').update(`${market} ${timeframe} ${length}\n`);
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
