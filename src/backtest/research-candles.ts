import type { CandleColumns } from '../domain/candle-columns.ts';
import { SURE_DIGITS } from '../domain/decimal-text.ts';
import { type SarrafError, invalidOptions } from '../domain/errors.ts';
import { parseMarket } from '../exchange/market-names.ts';
import { UNIT_DECIMALS } from '../domain/money.ts';
import {
  anchorOfMost,
  gridOf,
  gridText,
  type BarAnchors,
  type BarValues,
  type Timeframe,
} from '../domain/candle.ts';
import { openCatalogue, usualCatalogue } from '../daemon/open-catalogue.ts';
import { TimeReader } from '../recording/written-form.ts';
import { EARLIEST_MS, LATEST_MS } from '../recording/read-rows.ts';
import { readBars, readFileBars } from './setup/read-bars.ts';

/** Candles of one market as columns of plain numbers, oldest first. All columns have one length. */
export interface Candles extends BarValues<Float64Array> {
  /** Market name, such as `BTCUSDT`. */
  readonly market: string;
  readonly timeframe: Timeframe;
  /** Start of candles, and of longer ones made from them; derived from `timeMs` if omitted. */
  readonly anchors?: BarAnchors | undefined;
  /** Open time of each candle in ms since 1970. */
  readonly timeMs: Float64Array;
}

/** Moment in ms since 1970 or as ISO 8601 text; a text without a zone is UTC. */
export type Moment = number | string;

/** Candles to read, and where they are. */
export interface CandleSource {
  readonly market: string;
  readonly timeframe: Timeframe;
  /** CSV or Parquet file; without it the candles come from the catalogue. */
  readonly file?: string;
  /** Folder of the catalogue; default: `data/catalogue`. */
  readonly catalogue?: string;
  /** Open time of the first candle. */
  readonly from?: Moment;
  /** End of the range: candles that open at this time or later are excluded. */
  readonly to?: Moment;
}

/** Reads candles of a file or the catalogue. Throws `INVALID_FILE`, and `INVALID_OPTIONS` for none. */
export async function loadCandles(source: CandleSource): Promise<Candles> {
  const { timeframe, file, catalogue = usualCatalogue() } = source;
  const market = parseMarket(source.market).symbol;
  const range = { fromMs: momentMs(source.from, EARLIEST_MS), toMs: momentMs(source.to, LATEST_MS) };
  const of = { market, timeframe, range, warmUpMs: 0 };
  const loaded =
    file === undefined ? await readBars(openCatalogue(catalogue), of) : await readFileBars(file, of);
  return numbersOf(loaded.columns);
}

function momentMs(moment: Moment | undefined, otherwise: number): number {
  if (moment === undefined) return otherwise;
  const time =
    typeof moment === 'number' ? moment : new TimeReader().read(moment, { path: 'options', line: 1 });
  if (typeof time === 'number' && Number.isSafeInteger(time)) return time;
  throw invalidOptions(`expected ms since 1970 or ISO 8601 as a time, was ${moment}`);
}

/** Converts columns of exact cells into plain numbers, each the nearest to its decimal. */
function numbersOf({
  market,
  timeframe,
  anchors,
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
    anchors,
    timeMs: cells.openTimeMs.slice(0, length),
    open: numbers(cells.open, priceDecimals),
    high: numbers(cells.high, priceDecimals),
    low: numbers(cells.low, priceDecimals),
    close: numbers(cells.close, priceDecimals),
    volume: numbers(cells.volume, volumeDecimals),
  };
}

/** Number of first candles whose times show where all candles begin. */
const FIRST_BARS = 1_000;

/** Cells that were last made for each object of candles; an entry lives as long as its candles. */
const MADE = new WeakMap<Candles, CandleColumns>();

/**
 * Converts plain numbers into exact cells: each is read as its shortest decimal of at most 15 digits, and
 * volumes are rounded to the decimals that fit. Unchanged candles keep their cells. Throws `INVALID_OPTIONS`
 * for columns of different lengths, times that do not rise or are off the timeframe, and bars without low <=
 * open, close <= high.
 */
export function cellsOf(candles: Candles): CandleColumns {
  const { timeframe, timeMs, open, high, low, close, volume } = candles;
  const market = parseMarket(candles.market).symbol;
  const { length } = timeMs;
  const wrong = (problem: string): SarrafError => invalidOptions(`expected candles of ${market}: ${problem}`);
  for (const [name, column] of Object.entries({ open, high, low, close, volume })) {
    if (column.length !== length) throw wrong(`${length} numbers in ${name}, found ${column.length}`);
  }
  const { anchor } = anchorOfMost(timeframe, [...timeMs.subarray(0, FIRST_BARS)]);
  const anchors = candles.anchors ?? { [timeframe]: anchor };
  const grid = gridOf(timeframe, anchors);
  let largest = 0;
  let mostVolume = 1;
  let beforeMs = Number.NEGATIVE_INFINITY;
  for (let bar = 0; bar < length; bar += 1) {
    const at = timeMs[bar] ?? Number.NaN;
    if (!grid.isStart(at))
      throw wrong(`times where candles of ${gridText(grid)}, begin, found ${at} at ${bar}`);
    if (at <= beforeMs) throw wrong(`times that rise, found ${at} at ${bar}`);
    beforeMs = at;
    const least = low[bar] ?? 0;
    const most = high[bar] ?? 0;
    const first = open[bar] ?? 0;
    const last = close[bar] ?? 0;
    const traded = volume[bar] ?? -1;
    const isWhole = least > 0 && least <= first && least <= last && most >= first && most >= last;
    if (!isWhole || !(traded >= 0)) {
      throw wrong(
        `0 < low <= open, close <= high and a volume that is not negative, found another at ${bar}`,
      );
    }
    if (most > largest) largest = most;
    if (traded > mostVolume) mostVolume = traded;
  }
  const made = MADE.get(candles);
  if (made !== undefined && isSame(made, { ...candles, anchors })) return made;
  const priceDecimals = Math.max(...[open, high, low, close].map(decimalsOf));
  if (largest * 10 ** priceDecimals > Number.MAX_SAFE_INTEGER) {
    throw wrong(
      `prices of at most ${SURE_DIGITS} digits, found ${largest} with ${priceDecimals} decimals: round them`,
    );
  }
  const room = Math.max(0, SURE_DIGITS - Math.ceil(Math.log10(mostVolume + 1)));
  const volumeDecimals = Math.min(decimalsOf(volume), room);
  const columns: CandleColumns = {
    market,
    timeframe,
    anchors,
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
  MADE.set(candles, columns);
  return columns;
}

/** True if cells still match their candles, which a program may change between two runs. */
function isSame(made: CandleColumns, candles: Candles): boolean {
  const { priceDecimals: decimals, volumeDecimals } = made;
  const { anchors } = candles;
  return (
    made.market === candles.market &&
    made.timeframe === candles.timeframe &&
    JSON.stringify(made.anchors) === JSON.stringify(anchors) &&
    made.openTimeMs === candles.timeMs &&
    isOf(made.open, candles.open, decimals) &&
    isOf(made.high, candles.high, decimals) &&
    isOf(made.low, candles.low, decimals) &&
    isOf(made.close, candles.close, decimals) &&
    isOf(made.volume, candles.volume, volumeDecimals)
  );
}

/** True if each cell is exactly its number. Rounded volumes are not, so they are converted again. */
function isOf(whole: Float64Array, numbers: Float64Array, decimals: number): boolean {
  const scale = 10 ** decimals;
  for (let index = 0; index < whole.length; index += 1) {
    if ((whole[index] ?? Number.NaN) / scale !== numbers[index]) return false;
  }
  return whole.length === numbers.length;
}

function cells(column: Float64Array, decimals: number): Float64Array {
  const scale = 10 ** decimals;
  const whole = new Float64Array(column.length);
  for (let index = 0; index < column.length; index += 1) {
    whole[index] = Math.round((column[index] ?? Number.NaN) * scale);
  }
  return whole;
}

/** Returns the fewest decimals that express all numbers of a column; ten if that is not enough. */
function decimalsOf(column: Float64Array): number {
  let decimals = 0;
  let scale = 1;
  for (let index = 0; index < column.length; index += 1) {
    const value = column[index] ?? Number.NaN;
    while (decimals < UNIT_DECIMALS && Math.round(value * scale) / scale !== value) {
      decimals += 1;
      scale = 10 ** decimals;
    }
  }
  return decimals;
}
