import { DAY_MS, minuteText, gregorianOf } from '../domain/time-text.ts';
import { createHash } from 'node:crypto';
import { anchorText, type BarGrid, TIMEFRAMES } from '../domain/candle.ts';
import { barsBetween, type CandleColumns, gridOfColumns } from '../domain/candle-columns.ts';
import { groupedText } from '../domain/money.ts';
import { dataUnusable, invalidOptions } from '../domain/errors.ts';
import { rowFrom, countedTimeMs } from '../recording/packed-market.ts';
import type { RunRange } from './objectives.ts';
import { z } from 'zod';
import type { FileSignal } from '../backtest/signals.ts';
import type { Immutable } from '../domain/stored-json.ts';
import type { PackedMarket } from '../recording/column-file.ts';

/** Kinds of recorded market data. */
const DATA_KINDS = ['candles', 'books', 'trades', 'statistics'] as const;

export const storedDataSet = z.strictObject({
  market: z.string(),
  // Older studies had only candles.
  kind: z.enum(DATA_KINDS).default('candles'),
  /** Timeframe of candles; null for other kinds. */
  timeframe: z.string().nullable(),
  /** Number of candles or of other rows. */
  bars: z.int().positive(),
  /** Times of the first and the last row, in ms since 1970; for a candle, its open time. */
  firstMs: z.int(),
  lastMs: z.int(),
  /** SHA-256 of the content of the rows, whatever file they come from. */
  sha256: z.string(),
  /** SHA-256 of the rows of each UTC month: studies that share one have searched the same data. */
  months: z.array(z.string()),
});

/** Description of the rows of one kind of one market that a study uses, including the hold-out. */
export type DataSet = Immutable<z.output<typeof storedDataSet>>;

/** Describes candles by content: a CSV file and the catalogue give the same hash for the same candles. */
export function dataSetOf(columns: CandleColumns): DataSet {
  const { market, timeframe, length, openTimeMs } = columns;
  return namedSet(
    { market, kind: 'candles', timeframe, length },
    (row) => openTimeMs[row] ?? 0,
    (from, to) => digestOf(barsBetween(columns, from, to)),
  );
}

/** Describes rows by the content of each month. */
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
export const dataSetText = ({ market, kind, timeframe, bars }: Omit<DataSet, 'months'>): string =>
  `${groupedText(String(bars), 0)} ${kind}${timeframe === null ? '' : ` of ${timeframe}`} of ${market}`;

/** Returns the anchors of candles unlike UTC's, as text: they change how longer candles are made. */
function elsewhere({ anchors = {} }: CandleColumns): string {
  return TIMEFRAMES.flatMap((timeframe) => {
    const anchor = anchors[timeframe];
    return anchor === undefined || anchorText(anchor) === 'UTC'
      ? []
      : [` ${timeframe} ${anchorText(anchor)}`];
  }).join('');
}

/** Returns the SHA-256 of candles. Cells count by value, since sources may store other decimals. */
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

/** Returns the UTC month of a time, counted from year 0. */
function monthOf(timeMs: number): number {
  const { year, month } = gregorianOf(Math.floor(timeMs / DAY_MS));
  return year * 12 + month;
}

/** Times of a market's data: the open times of its candles, or the times of its books. */
export interface MarketTimes {
  readonly market: string;
  readonly noun: 'candles' | 'books';
  /** Times in ms since 1970, rising. */
  readonly timeMs: Float64Array;
  /** Grid of the candles' starts and ends; absent for books. */
  readonly grid?: BarGrid;
}

export function timesOfCandles(columns: CandleColumns): MarketTimes {
  const { market, openTimeMs, length } = columns;
  const grid = gridOfColumns(columns);
  return { market, noun: 'candles', timeMs: openTimeMs.subarray(0, length), grid };
}

export function timesOfBooks({ market, books }: Pick<PackedMarket, 'market' | 'books'>): MarketTimes {
  const timeMs = new Float64Array(books.length);
  for (let row = 0; row < timeMs.length; row += 1)
    timeMs[row] = countedTimeMs(books.venueTimeMs, books.seenMs, row);
  return { market, noun: 'books', timeMs };
}

/** Returns the first time that is not before `fromMs`; null if there is none. */
export const firstTimeFrom = ({ timeMs }: MarketTimes, fromMs: number): number | null =>
  timeMs[placeOf(timeMs, fromMs)] ?? null;

/** Throws `INVALID_OPTIONS` if a market has too few candles or books in a range. */
export function refuseFew(
  all: readonly MarketTimes[],
  of: RunRange & { readonly least: number; readonly where: string; readonly advice: string },
): void {
  const { fromMs, toMs, least, where, advice } = of;
  for (const { market, noun, timeMs } of all) {
    const found = placeOf(timeMs, toMs) - placeOf(timeMs, fromMs);
    if (found >= least) continue;
    throw invalidOptions(
      `expected at least ${least} ${noun} of ${market} ${where}, found ${found} from ${minuteText(fromMs)} to ${minuteText(toMs)}: ${advice}`,
    );
  }
}

const placeOf = (timeMs: Float64Array, atMs: number): number =>
  rowFrom(timeMs.length, (row) => timeMs[row] ?? 0, atMs);

/** Signals of a study's strategy, as its identity records them, including those of the hold-out. */
export const storedSignalSet = z.strictObject({
  count: z.int().min(0),
  /** Times of the first and the last signal, in ms since 1970; 0 if there are none. */
  firstMs: z.int(),
  lastMs: z.int(),
  /** SHA-256 of the signals' contents and times, whatever file they come from. */
  sha256: z.string(),
});

export type SignalSet = z.output<typeof storedSignalSet>;

/** Returns the signals within a range, in the order of their times: a run of a study gets no others. */
export function cutSignals(
  signals: readonly FileSignal[],
  { fromMs, toMs }: RunRange,
): readonly FileSignal[] {
  return signals
    .filter(({ atMs }) => atMs >= fromMs && atMs < toMs)
    .toSorted((left, right) => left.atMs - right.atMs)
    .map(named);
}

/** Replaces a signal's place by a name that is the same on every machine, as results of trials must be. */
const named = (signal: FileSignal): FileSignal => ({ ...signal, place: `signal ${signal.id}` });

export function signalSetOf(signals: readonly FileSignal[]): SignalSet {
  const [first, last] = [signals[0], signals.at(-1)];
  const sha256 = createHash('sha256').update(writeSignals(signals)).digest('hex');
  return { count: signals.length, firstMs: first?.atMs ?? 0, lastMs: last?.atMs ?? 0, sha256 };
}

/** Writes signals as the bytes of a file that workers download. */
export function writeSignals(signals: readonly FileSignal[]): Buffer {
  const rows = signals.map(({ atMs, strategy, name, id, payload, sentAtMs, source }) => [
    atMs,
    strategy,
    name,
    id,
    payload,
    sentAtMs,
    source,
  ]);
  return Buffer.from(JSON.stringify(rows));
}

const text = z.string();

const ROWS = z.array(
  z
    .tuple([z.int(), text.nullable(), text.nullable(), text, z.unknown(), z.int().nullable(), text])
    .transform(([atMs, strategy, name, id, payload, sentAtMs, source]) =>
      named({ atMs, strategy, name, id, payload, sentAtMs, source, place: '' }),
    ),
);

/** Reads what `writeSignals` wrote. Throws `DATA_UNUSABLE` for anything else. */
export function readWrittenSignals(bytes: Buffer): readonly FileSignal[] {
  let plain: unknown;
  try {
    plain = JSON.parse(bytes.toString('utf8'));
  } catch {
    plain = null;
  }
  const read = ROWS.safeParse(plain);
  if (read.success) return read.data;
  throw dataUnusable('expected signals from the coordinator of a study, found something else');
}
