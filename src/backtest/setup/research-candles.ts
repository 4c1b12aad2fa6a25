import { type CandleColumns } from '../../domain/candle-columns.ts';
import { SURE_DIGITS } from '../../domain/decimal-text.ts';
import { SarrafError } from '../../domain/errors.ts';
import { parseMarket } from '../../exchange/market-names.ts';
import { UNIT_DECIMALS } from '../../domain/money.ts';
import { timeframeMs, type Timeframe } from '../../domain/timeframe.ts';
import { openCatalogue } from '../../daemon/open-catalogue.ts';
import { TimeReader } from '../../recording/import/time-reader.ts';
import { EARLIEST_MS, LATEST_MS } from '../../recording/read-partitions.ts';
import { readBars, readFileBars } from './read-bars.ts';

/** Candles of one market as columns of plain numbers, oldest first. All columns have one length. */
export interface Candles {
  /** Such as `BTCUSDT`. */
  readonly market: string;
  readonly timeframe: Timeframe;
  /** The open of each candle, in ms since 1970. */
  readonly timeMs: Float64Array;
  /** Prices in the quote currency. */
  readonly open: Float64Array;
  readonly high: Float64Array;
  readonly low: Float64Array;
  readonly close: Float64Array;
  /** In the base currency. */
  readonly volume: Float64Array;
}

/** A moment: ms since 1970, or ISO 8601, in UTC where it names no zone. */
export type Moment = number | string;

/** Which candles are wanted, and where they are. */
export interface CandleSource {
  readonly market: string;
  readonly timeframe: Timeframe;
  /** A CSV or Parquet file. Without it the candles come from the catalogue. */
  readonly file?: string;
  /** The folder of the catalogue; `data/catalogue` without it. */
  readonly catalogue?: string;
  /** The first candle that is wanted. */
  readonly from?: Moment;
  /** No candle that opens then or later. */
  readonly to?: Moment;
}

/**
 * Reads candles of a file or of the catalogue. Throws `INVALID_FILE` for a file that can not be read, and
 * `INVALID_OPTIONS` where the stretch has no candles.
 */
export async function loadCandles(source: CandleSource): Promise<Candles> {
  const { timeframe, file, catalogue = 'data/catalogue' } = source;
  const market = parseMarket(source.market).symbol;
  const range = rangeOf(source);
  const of = { market, timeframe, range, warmUpMs: 0 };
  const loaded =
    file === undefined ? await readBars(openCatalogue(catalogue), of) : await readFileBars(file, of);
  return numbersOf(loaded.columns);
}

/** The stretch between two moments; all of time where they are left out. */
export function rangeOf({ from, to }: Pick<CandleSource, 'from' | 'to'>): {
  readonly fromMs: number;
  readonly toMs: number;
} {
  return { fromMs: momentMs(from, EARLIEST_MS), toMs: momentMs(to, LATEST_MS) };
}

function momentMs(moment: Moment | undefined, otherwise: number): number {
  if (moment === undefined) return otherwise;
  const time =
    typeof moment === 'number' ? moment : new TimeReader().read(moment, { path: 'options', line: 1 });
  if (typeof time === 'number' && Number.isSafeInteger(time)) return time;
  throw new SarrafError('INVALID_OPTIONS', `expected ms since 1970 or ISO 8601 as a time, was ${moment}`);
}

/** Columns of exact cells as plain numbers: each the nearest to its decimal. */
function numbersOf({
  market,
  timeframe,
  length,
  priceDecimals,
  volumeDecimals,
  ...cells
}: CandleColumns): Candles {
  const numbers = (column: Float64Array, decimals: number): Float64Array =>
    column.subarray(0, length).map((cell) => cell / 10 ** decimals);
  return {
    market,
    timeframe,
    timeMs: cells.openTimeMs.slice(0, length),
    open: numbers(cells.open, priceDecimals),
    high: numbers(cells.high, priceDecimals),
    low: numbers(cells.low, priceDecimals),
    close: numbers(cells.close, priceDecimals),
    volume: numbers(cells.volume, volumeDecimals),
  };
}

/**
 * Plain numbers as exact cells. Each is read as its shortest decimal of at most 15 digits; volumes are
 * rounded to as many decimals as fit. Throws `INVALID_OPTIONS` for columns of several lengths, times that do
 * not rise or are off the timeframe, and bars without low <= open, close <= high.
 */
export function cellsOf(candles: Candles): CandleColumns {
  const { timeframe, timeMs, open, high, low, close, volume } = candles;
  const market = parseMarket(candles.market).symbol;
  const { length } = timeMs;
  const wrong = (problem: string): SarrafError =>
    new SarrafError('INVALID_OPTIONS', `expected candles of ${market}: ${problem}`);
  for (const [name, column] of Object.entries({ open, high, low, close, volume })) {
    if (column.length !== length) throw wrong(`${length} numbers in ${name}, found ${column.length}`);
  }
  const lengthMs = timeframeMs(timeframe);
  for (let bar = 0; bar < length; bar += 1) {
    const at = timeMs[bar] ?? Number.NaN;
    if (at % lengthMs !== 0) throw wrong(`times where candles of ${timeframe} begin, found ${at} at ${bar}`);
    if (bar > 0 && at <= (timeMs[bar - 1] ?? Number.NaN))
      throw wrong(`times that rise, found ${at} at ${bar}`);
    const [least = 0, most = 0, first = 0, last = 0] = [low[bar], high[bar], open[bar], close[bar]];
    const isWhole = least > 0 && least <= first && least <= last && most >= first && most >= last;
    if (!isWhole || !((volume[bar] ?? -1) >= 0)) {
      throw wrong(
        `0 < low <= open, close <= high and a volume that is not negative, found another at ${bar}`,
      );
    }
  }
  const priceDecimals = Math.max(...[open, high, low, close].map(decimalsOf));
  const largest = [high, open, close].reduce(
    (most, column) => column.reduce((a, b) => Math.max(a, b), most),
    0,
  );
  if (largest * 10 ** priceDecimals > Number.MAX_SAFE_INTEGER) {
    throw wrong(
      `prices of at most ${SURE_DIGITS} digits, found ${largest} with ${priceDecimals} decimals: round them`,
    );
  }
  const mostVolume = volume.reduce((a, b) => Math.max(a, b), 1);
  const room = Math.max(0, SURE_DIGITS - Math.ceil(Math.log10(mostVolume + 1)));
  const volumeDecimals = Math.min(decimalsOf(volume), room);
  return {
    market,
    timeframe,
    length,
    openTimeMs: timeMs,
    priceDecimals,
    open: cells(open, priceDecimals),
    high: cells(high, priceDecimals),
    low: cells(low, priceDecimals),
    close: cells(close, priceDecimals),
    volumeDecimals,
    volume: cells(volume, volumeDecimals),
  };
}

const cells = (column: Float64Array, decimals: number): Float64Array =>
  column.map((value) => Math.round(value * 10 ** decimals));

/** The fewest decimals that all numbers of a column have; ten where that is not enough. */
function decimalsOf(column: Float64Array): number {
  let decimals = 0;
  for (const value of column) {
    while (decimals < UNIT_DECIMALS && Math.round(value * 10 ** decimals) / 10 ** decimals !== value)
      decimals += 1;
  }
  return decimals;
}
