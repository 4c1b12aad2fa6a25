import { MINUTE_MS } from '../../domain/time-text.ts';
import { longestBarMs } from '../../domain/candle.ts';
import { barsBetween, firstBarFrom, gridOfColumns, type CandleColumns } from '../../domain/candle-columns.ts';
import type { FileSignal } from '../../backtest/signals.ts';
import {
  readPackedMarket,
  writePackedMarket,
  type PackedBooks,
  type PackedTrades,
  type PackedStats,
  type PackedMarket,
} from '../../recording/column-file.ts';
import { cutMarket, countedTimeMs } from '../../recording/packed-market.ts';
import {
  dataSetOf,
  type DataSet,
  namedSet,
  refuseFew,
  timesOfBooks,
  timesOfCandles,
  type MarketTimes,
  cutSignals,
  signalSetOf,
  type SignalSet,
} from '../data-set.ts';
import { createHash } from 'node:crypto';

/** Minimum number of candles or books that trials need from each market. */
const LEAST_OF_TRIALS = 100;
const LEAST_OF_HOLDOUT = 20;

/** Time range of a study, in ms since 1970; an end is not part of its range. */
export interface StudyRange {
  readonly fromMs: number;
  /** End of the trials and start of the hold-out. */
  readonly splitMs: number;
  /** End of the hold-out; equal to `splitMs` if there is none. */
  readonly toMs: number;
}

/** Data of a study's runs: candles or recordings of its markets, and signals. */
export type RunData = (
  | {
      readonly fidelity: 'candles';
      readonly candles: readonly CandleColumns[];
      /** Finer candles of those markets that have them. */
      readonly detail: readonly CandleColumns[];
    }
  | {
      readonly fidelity: 'poll';
      readonly markets: readonly PackedMarket[];
      /** Time at which the market stops; null if it stops at the last book or trade. */
      readonly toMs: number | null;
    }
) &
  RunSignals;

/** Signals from outside that the strategy gets in the runs. */
export interface RunSignals {
  readonly signals: readonly FileSignal[];
}

/** Data of a study, once without the hold-out and once with it. */
export interface StudyData {
  readonly range: StudyRange;
  /** Data that trials see. It holds nothing later, not even in the memory behind its arrays. */
  readonly trials: RunData;
  /** Data including the hold-out. */
  readonly all: RunData;
  /** Times of the data that trials see, without markets that a universe may leave out. */
  readonly times: readonly MarketTimes[];
  readonly sets: readonly DataSet[];
  /** Signals of the study; null if it has none. */
  readonly signals: SignalSet | null;
}

interface Cut {
  /** Start of the range; null for the first candle, or the first time at which every market has a book. */
  readonly fromMs: number | null;
  /** Requested end; the end of the data if it is null or missing. */
  readonly toMs?: number | null;
  /** Share of the range that is held out, 0 to 1; null for none. */
  readonly holdout: number | null;
  /** Signals from outside for the strategy; none if null or missing. */
  readonly signals?: readonly FileSignal[] | null;
}

/**
 * Cuts candles into the trials' data and the hold-out. `isNeeded`: false for a market that is only a
 * candidate of universes, which may begin later or end earlier. Throws `INVALID_OPTIONS` if a needed market
 * has too few candles on either side; if none is needed, the market with the most must have enough.
 */
export function cutCandles(
  all: readonly CandleColumns[],
  {
    isNeeded = () => true,
    detail = [],
    ...of
  }: Cut & {
    readonly isNeeded?: (market: string) => boolean;
    /** Finer candles of the same markets. */
    readonly detail?: readonly CandleColumns[];
  },
): StudyData {
  const [finest] = all.map(gridOfColumns).toSorted((left, right) => left.lengthMs - right.lengthMs);
  const firstMs = Math.min(...all.map((columns) => columns.openTimeMs[0] ?? Infinity));
  const toMs = Math.max(...all.map(endMsOf));
  const range = rangeOf(of, firstMs, toMs, (timeMs) => finest?.nearestStart(timeMs) ?? timeMs);
  const longest = all.toSorted((left, right) => right.length - left.length).slice(0, 1);
  const wanted = all.filter(({ market }) => isNeeded(market));
  const needed = new Set((wanted.length > 0 ? wanted : longest).map(({ market }) => market));
  const timesOf = (bars: readonly CandleColumns[]): readonly MarketTimes[] =>
    bars.filter(({ market }) => needed.has(market)).map(timesOfCandles);
  refuseShort(timesOf(all), range, of);
  const beforeSplit = (each: readonly CandleColumns[]): readonly CandleColumns[] =>
    each
      .map((columns) => barsBetween(columns, 0, firstBarFrom(columns, range.splitMs)))
      .filter(({ length }) => length > 0);
  const trials = beforeSplit(all);
  const finer = detailFrom(detail, of.fromMs, all);
  const signals = signalsWithin(of, range);
  return {
    range,
    trials: { fidelity: 'candles', candles: trials, detail: beforeSplit(finer), signals: signals.trials },
    all: { fidelity: 'candles', candles: all, detail: finer, signals: signals.all },
    times: timesOf(trials),
    sets: [...all, ...finer].map(dataSetOf),
    signals: signals.set,
  };
}

/** Returns the finer candles that runs use: from the last candle before the range on. */
function detailFrom(
  detail: readonly CandleColumns[],
  fromMs: number | null,
  [first]: readonly CandleColumns[],
): readonly CandleColumns[] {
  const pastMs = first === undefined ? 0 : longestBarMs(first.timeframe);
  return detail
    .map((columns) => barsBetween(columns, fromMs === null ? 0 : firstBarFrom(columns, fromMs - pastMs)))
    .filter(({ length }) => length > 0);
}

/** Returns the end of the last candle. */
function endMsOf(columns: CandleColumns): number {
  const last = columns.openTimeMs[columns.length - 1];
  return last === undefined ? -Infinity : gridOfColumns(columns).endOf(last);
}

/** Cuts recordings into trials' data and the hold-out. `toMs`: requested end. Throws like `cutCandles`. */
export function cutRecordings(all: readonly PackedMarket[], of: Cut): StudyData {
  const times = all.map(timesOfBooks);
  const firstMs = Math.max(...times.map(({ timeMs }) => timeMs[0] ?? Infinity));
  const lastMs = Math.max(...times.map(({ timeMs }) => timeMs.at(-1) ?? -Infinity));
  const range = rangeOf(of, firstMs, lastMs + 1, (timeMs) => Math.round(timeMs / MINUTE_MS) * MINUTE_MS);
  refuseShort(times, range, of);
  const { toMs = null } = of;
  const isCut = of.holdout !== null;
  // It copies, so that the memory that threads get does not contain the hold-out.
  const markets = all
    .map((market) => (isCut ? cutMarket(market, range.splitMs) : market))
    .map((market) => readPackedMarket(writePackedMarket(market)));
  const signals = signalsWithin(of, range);
  return {
    range,
    trials: {
      fidelity: 'poll',
      markets,
      toMs: isCut ? range.splitMs : toMs,
      signals: signals.trials,
    },
    all: { fidelity: 'poll', markets: isCut ? all : markets, toMs, signals: signals.all },
    times: markets.map(timesOfBooks),
    sets: all.flatMap(recordingSets),
    signals: signals.set,
  };
}

/** Returns the signals of the range, and those that trials see, which share no memory with the hold-out's. */
function signalsWithin(
  { fromMs, toMs, holdout, signals = null }: Cut,
  { splitMs }: StudyRange,
): {
  readonly trials: RunSignals['signals'];
  readonly all: RunSignals['signals'];
  readonly set: SignalSet | null;
} {
  const range = { fromMs: fromMs ?? -Infinity, toMs: toMs ?? Infinity };
  const all = cutSignals(signals ?? [], range);
  return {
    trials: holdout === null ? all : cutSignals(all, { ...range, toMs: splitMs }),
    all,
    set: signals === null ? null : signalSetOf(all),
  };
}

function rangeOf(
  { fromMs: wantedMs, holdout }: Pick<Cut, 'fromMs' | 'holdout'>,
  firstMs: number,
  toMs: number,
  border: (timeMs: number) => number,
): StudyRange {
  const fromMs = wantedMs ?? firstMs;
  if (holdout === null) return { fromMs, splitMs: toMs, toMs };
  return { fromMs, splitMs: border(toMs - (toMs - fromMs) * holdout), toMs };
}

function refuseShort(
  times: readonly MarketTimes[],
  range: StudyRange,
  { holdout }: Pick<Cut, 'holdout'>,
): void {
  const { fromMs, splitMs, toMs } = range;
  const advice = 'give a longer range';
  refuseFew(times, { fromMs, toMs: splitMs, least: LEAST_OF_TRIALS, where: 'for the trials', advice });
  if (holdout !== null)
    refuseFew(times, { fromMs: splitMs, toMs, least: LEAST_OF_HOLDOUT, where: 'for the hold-out', advice });
}

type Hashed = Float64Array | Uint32Array | Uint8Array;

/** Returns the recorded data sets of a market, by content: books, trades, statistics, and candles. */
function recordingSets({ market, books, trades, stats, candles }: PackedMarket): readonly DataSet[] {
  return [
    booksSet(market, books),
    ...(trades === null ? [] : [tradesSet(market, trades)]),
    ...(stats === null ? [] : [statsSet(market, stats)]),
    ...candles.map(({ columns }) => dataSetOf(columns)),
  ];
}

function booksSet(market: string, books: PackedBooks): DataSet {
  const { length, venueTimeMs, seenMs, levelFrom, bids, price, amount, priceDecimals, amountDecimals } =
    books;
  return namedSet(
    { market, kind: 'books', timeframe: null, length },
    (row) => countedTimeMs(venueTimeMs, seenMs, row),
    (from, to) => {
      const [first, end] = [levelFrom[from] ?? 0, levelFrom[to] ?? 0];
      // Number of levels of each book, not their positions, which differ between recordings.
      const counts = Uint32Array.from(
        { length: to - from },
        (_, row) => (levelFrom[from + row + 1] ?? 0) - (levelFrom[from + row] ?? 0),
      );
      return digestOf(`${market} books`, [
        venueTimeMs.slice(from, to),
        seenMs.slice(from, to),
        counts,
        bids.slice(from, to),
        values(price.subarray(first, end), priceDecimals),
        values(amount.subarray(first, end), amountDecimals),
      ]);
    },
  );
}

function tradesSet(market: string, trades: PackedTrades): DataSet {
  const { length, timeMs, seenMs, price, amount, isBuy, priceDecimals, amountDecimals } = trades;
  return namedSet(
    { market, kind: 'trades', timeframe: null, length },
    (row) => countedTimeMs(timeMs, seenMs, row),
    (from, to) =>
      digestOf(`${market} trades`, [
        timeMs.slice(from, to),
        seenMs.slice(from, to),
        values(price.subarray(from, to), priceDecimals),
        values(amount.subarray(from, to), amountDecimals),
        isBuy.slice(from, to),
      ]),
  );
}

function statsSet(market: string, { length, seenMs, textFrom, texts }: PackedStats): DataSet {
  return namedSet(
    { market, kind: 'statistics', timeframe: null, length },
    (row) => seenMs[row] ?? 0,
    (from, to) =>
      digestOf(`${market} statistics`, [
        seenMs.slice(from, to),
        texts.slice(textFrom[from] ?? 0, textFrom[to] ?? 0),
      ]),
  );
}

/** Converts cells to values, since two recordings may store other decimals. */
const values = (cells: Float64Array, decimals: number): Float64Array =>
  cells.map((cell) => cell / 10 ** decimals);

function digestOf(name: string, columns: readonly Hashed[]): string {
  const hash = createHash('sha256').update(`${name}\n`);
  for (const { buffer, byteOffset, byteLength } of columns) {
    hash.update(`${byteLength}\n`);
    hash.update(new Uint8Array(buffer, byteOffset, byteLength));
  }
  return hash.digest('hex');
}
