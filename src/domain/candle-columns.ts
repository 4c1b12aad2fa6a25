import {
  gridOf,
  type BarAnchors,
  type BarGrid,
  type Candle,
  type BarValues,
  type Timeframe,
} from './candle.ts';
import { present, SarrafError, invalidOptions, tooLarge } from './errors.ts';
import { decimalText, SURE_DIGITS, type DecimalText } from './decimal-text.ts';
import type { MarketSymbol } from './market-symbol.ts';
import { parseUnits, UNIT_DECIMALS, UNITS_PER_ONE, type Units, divideHalfEven } from './money.ts';

/**
 * Many bars of one market and timeframe, stored column by column, oldest first. A price is a whole number of
 * 10^-priceDecimals in the quote currency, a volume a whole number of 10^-volumeDecimals in the source
 * currency. Cells are exact up to 2^53; the functions that make columns refuse larger numbers.
 */
export interface CandleColumns extends BarValues<Float64Array> {
  readonly market: MarketSymbol;
  readonly timeframe: Timeframe;
  /** Anchors of this market's bars, for `gridOf`. If omitted, all bars begin as in UTC. */
  readonly anchors?: BarAnchors | undefined;
  /** Number of bars; the columns may have more cells than that. */
  readonly length: number;
  /** Start of each bar in ms since 1970, rising. */
  readonly openTimeMs: Float64Array;
  /** Decimals of a price: 0 to 10. */
  readonly priceDecimals: number;
  /** Decimals of a volume: 0 to 10. */
  readonly volumeDecimals: number;
}

/** Returns the grid on which the bars of these columns begin and end. */
export function gridOfColumns({ timeframe, anchors }: Pick<CandleColumns, 'timeframe' | 'anchors'>): BarGrid {
  return gridOf(timeframe, anchors);
}

/** Returns the value of 1 in a column with these decimals, in units of 1e-10. */
export function columnScale(decimals: number): bigint {
  const scale = SCALES[decimals];
  if (scale === undefined)
    throw invalidOptions(`expected 0 to ${UNIT_DECIMALS} decimals of a column, was ${decimals}`);
  return scale;
}

/** `columnScale` by decimals, computed once: a power costs more than everything else in reading a cell. */
const SCALES: readonly bigint[] = Array.from(
  { length: UNIT_DECIMALS + 1 },
  (_, decimals) => 10n ** BigInt(UNIT_DECIMALS - decimals),
);

/** Largest cell that a float holds exactly, in steps of the last decimal. */
const MOST_STEPS = BigInt(Number.MAX_SAFE_INTEGER);

/**
 * Returns the decimals of a column of volumes: those of the finest volume, or fewer if the largest one needs
 * the room, since a cell has 15 digits. Other volumes are rounded to them, half to even: volumes only bound
 * how much may fill. Throws `TOO_LARGE` for a volume of more than 15 digits before the point.
 */
export function volumeColumnDecimals({
  finest,
  largest,
}: {
  readonly finest: number;
  readonly largest: Units;
}): number {
  if (largest / columnScale(finest) <= MOST_STEPS) return finest;
  const wholeDigits = String(largest / UNITS_PER_ONE).length;
  if (wholeDigits <= SURE_DIGITS) return Math.min(SURE_DIGITS - wholeDigits, UNIT_DECIMALS);
  throw tooLarge(`expected volumes below 10^${SURE_DIGITS}, found one of ${wholeDigits} digits`);
}

/** Returns a volume as a cell of its column, rounded half to even. */
export const volumeCell = (volume: Units, decimals: number): number =>
  Number(divideHalfEven(volume, columnScale(decimals)));

/** Returns the value of a cell in units of 1e-10; `scale` comes from `columnScale`. */
export const cellUnits = (cell: number, scale: bigint): Units => (BigInt(cell) * scale) as Units;

/** Throws `TOO_LARGE` for a number that is no cell: negative, or not exact in a float. */
export function checkCell(cell: number): void {
  if (cell >= 0 && Number.isSafeInteger(cell)) return;
  throw tooLarge(`expected a cell from 0 to 2^53, was ${cell}`);
}

/** Returns a cell as decimal text without an exponent. Throws `TOO_LARGE` for a number that is no cell. */
export function cellText(cell: number, decimals: number): DecimalText {
  checkCell(cell);
  if (decimals === 0) return String(cell) as DecimalText;
  const digits = String(cell).padStart(decimals + 1, '0');
  let end = digits.length;
  const point = end - decimals;
  while (end > point && digits.charCodeAt(end - 1) === ZERO) end -= 1;
  const whole = digits.slice(0, point);
  return (end === point ? whole : `${whole}.${digits.slice(point, end)}`) as DecimalText;
}

const ZERO = 48;

/** Returns one bar of the columns. Throws a RangeError for an index beyond the last one. */
export function candleAt(
  columns: Omit<CandleColumns, 'market' | 'timeframe' | 'anchors'>,
  index: number,
): Candle {
  if (!Number.isInteger(index) || index < 0 || index >= columns.length)
    throw new RangeError(`expected a bar from 0 to ${columns.length - 1}, was ${index}`);
  const { openTimeMs, open, high, low, close, volume, priceDecimals, volumeDecimals } = columns;
  const cell = (column: Float64Array): number =>
    present(column[index], 'a cell of every column for each bar');
  const price = (column: Float64Array): DecimalText => cellText(cell(column), priceDecimals);
  return {
    openTimeMs: cell(openTimeMs),
    open: price(open),
    high: price(high),
    low: price(low),
    close: price(close),
    volume: cellText(cell(volume), volumeDecimals),
  };
}

/** Returns the first index of a sorted list from which on a condition holds; the length if it never does. */
export function firstIndex(length: number, holds: (index: number) => boolean): number {
  let [low, high] = [0, length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Returns the index of the first bar that opens at a time or later; the length if there is none. */
export const firstBarFrom = ({ openTimeMs, length }: CandleColumns, timeMs: number): number =>
  firstIndex(length, (bar) => present(openTimeMs[bar], 'a time for each bar') >= timeMs);

/** Returns the bars from one index up to another, exclusive. The columns are shared, not copied. */
export function barsBetween(
  columns: CandleColumns,
  from: number,
  to: number = columns.length,
): CandleColumns {
  const { openTimeMs, open, high, low, close, volume } = columns;
  return {
    ...columns,
    length: Math.max(0, to - from),
    openTimeMs: openTimeMs.subarray(from, to),
    open: open.subarray(from, to),
    high: high.subarray(from, to),
    low: low.subarray(from, to),
    close: close.subarray(from, to),
    volume: volume.subarray(from, to),
  };
}

/**
 * Makes columns from single bars, with as many decimals as they need; volumes are rounded as
 * `volumeColumnDecimals` says. Throws `TOO_LARGE` for prices beyond 2^53, `TOO_MANY_DECIMALS` beyond ten.
 */
export function columnsOf(
  of: Pick<CandleColumns, 'market' | 'timeframe' | 'anchors'>,
  candles: readonly Candle[],
): CandleColumns {
  const prices = candles.flatMap(({ open, high, low, close }) => [open, high, low, close]);
  const priceDecimals = prices.reduce((most, price) => Math.max(most, decimalsOf(price)), 0);
  const volumes = candles.map(({ volume }) => parseUnits(volume));
  const volumeDecimals = volumeColumnDecimals({
    finest: candles.reduce((most, { volume }) => Math.max(most, decimalsOf(volume)), 0),
    largest: volumes.reduce((most, volume) => (volume > most ? volume : most), parseUnits('0')),
  });
  const column = (of: (candle: Candle) => DecimalText): Float64Array =>
    Float64Array.from(candles, (candle) => cellOf(of(candle), priceDecimals));
  return {
    ...of,
    length: candles.length,
    openTimeMs: Float64Array.from(candles, ({ openTimeMs }) => openTimeMs),
    priceDecimals,
    open: column(({ open }) => open),
    high: column(({ high }) => high),
    low: column(({ low }) => low),
    close: column(({ close }) => close),
    volumeDecimals,
    volume: Float64Array.from(volumes, (volume) => volumeCell(volume, volumeDecimals)),
  };
}

function decimalsOf(text: DecimalText): number {
  const at = text.indexOf('.');
  const decimals = at === -1 ? 0 : text.length - at - 1;
  if (decimals <= UNIT_DECIMALS) return decimals;
  throw new SarrafError(
    'TOO_MANY_DECIMALS',
    `expected at most ${UNIT_DECIMALS} decimals of a bar, was "${text}"`,
  );
}

/** Returns a decimal as a whole number of 10^-decimals. Throws `TOO_LARGE` beyond 2^53. */
function cellOf(text: DecimalText, decimals: number): number {
  const [whole = '0', part = ''] = decimalText(text).split('.');
  const cell = Number(whole + part.padEnd(decimals, '0'));
  if (Number.isSafeInteger(cell) && part.length <= decimals) return cell;
  throw tooLarge(`expected a number of at most 15 digits at ${decimals} decimals, was "${text}"`);
}

/** Returns a column with twice the room. */
export function grown(column: Float64Array): Float64Array<ArrayBuffer> {
  const larger = new Float64Array(column.length * 2);
  larger.set(column);
  return larger;
}
