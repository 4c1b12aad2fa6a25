import { z } from 'zod';
import { eachBarValue, TIMEFRAMES } from '../domain/candle.ts';
import type { CandleColumns } from '../domain/candle-columns.ts';
import { type SarrafError, dataUnusable } from '../domain/errors.ts';
import { parseMarket } from '../exchange/market-names.ts';
import { BLOCK_COLUMNS, type BlockColumn } from './stage-blocks.ts';
import { BAR_ANCHORS } from './manifest.ts';
import type { Immutable } from '../domain/stored-json.ts';

/** Alignment of columns in a file, in bytes. */
const WORD_BYTES = 8;

type AnyColumn = Float64Array | Uint32Array | Uint8Array;

/** Creates a column of each kind as a view of existing memory. */
const COLUMNS = {
  f64: (buffer: ArrayBufferLike, from: number, length: number): AnyColumn =>
    new Float64Array(buffer, from, length),
  u32: (buffer: ArrayBufferLike, from: number, length: number): AnyColumn =>
    new Uint32Array(buffer, from, length),
  u8: (buffer: ArrayBufferLike, from: number, length: number): AnyColumn =>
    new Uint8Array(buffer, from, length),
} as const;
type ColumnKind = keyof typeof COLUMNS;
const CELL_BYTES: Readonly<Record<ColumnKind, number>> = { f64: 8, u32: 4, u8: 1 };

const place = z.strictObject({ column: z.enum(['f64', 'u32', 'u8']), length: z.int().min(0) });

const decimals = z.int().min(0).max(10);
const range = z.strictObject({ fromMs: z.number(), toMs: z.number() });
const f64: z.ZodType<Float64Array> = z.instanceof(Float64Array);
const u32: z.ZodType<Uint32Array> = z.instanceof(Uint32Array);
const u8: z.ZodType<Uint8Array> = z.instanceof(Uint8Array);
/**
 * Recorded rows as typed arrays, which threads share without a copy and a file stores unchanged. Times are in
 * ms since 1970, NaN if the exchange gives none; decimals are whole numbers of 10^-decimals.
 */
const rows = { length: z.int().min(0), priceDecimals: decimals, amountDecimals: decimals };
const symbol = z.string().transform((text) => parseMarket(text).symbol);

/** Schema fields of bars in a file, without their market and timeframe. */
export const BAR_FIELDS = {
  anchors: BAR_ANCHORS.optional(),
  length: z.int().min(0),
  openTimeMs: f64,
  priceDecimals: decimals,
  volumeDecimals: decimals,
  ...eachBarValue(f64),
};

const CANDLES = z.strictObject({ market: symbol, timeframe: z.enum(TIMEFRAMES), ...BAR_FIELDS });

const MARKET = z.strictObject({
  market: symbol,
  /** Range from the first to the last recorded book, also if books are left out here. */
  span: range,
  /** Books in order of time. The levels of book `row` begin at index `levelFrom[row]`, bids first. */
  books: z.strictObject({
    ...rows,
    venueTimeMs: f64,
    seenMs: f64,
    /** Start of each book's levels, and one more entry: the end of the last book. */
    levelFrom: u32,
    /** Number of bids of each book. */
    bids: u8,
    price: f64,
    amount: f64,
  }),
  /** Trades in order of time; `isBuy` is 1 if the taker bought, else 0. */
  trades: z
    .strictObject({ ...rows, timeMs: f64, seenMs: f64, price: f64, amount: f64, isBuy: u8 })
    .nullable(),
  /**
   * Statistics in order of time, each as JSON without its market. `textFrom` has the start of each row's
   * text, and one more entry: the end of the last row.
   */
  stats: z.strictObject({ length: z.int().min(0), seenMs: f64, textFrom: u32, texts: u8 }).nullable(),
  /**
   * Bars of each timeframe. `covered`: ranges that were recorded completely, so that where they have no bar,
   * there was none. `parts`: range from the first to the last row of each file.
   */
  candles: z.array(z.strictObject({ columns: CANDLES, covered: z.array(range), parts: z.array(range) })),
});

/** All recordings of a market up to some time. */
export type PackedMarket = Immutable<z.output<typeof MARKET>>;
export type PackedBooks = PackedMarket['books'];
export type PackedTrades = NonNullable<PackedMarket['trades']>;
export type PackedStats = NonNullable<PackedMarket['stats']>;
export type PackedCandles = PackedMarket['candles'][number];

/**
 * Encodes a value with columns as the bytes of a file, in parts: a line of JSON, padded with spaces to the
 * alignment, in which each column is replaced by its kind and length; then the columns in that order, each
 * aligned. Cells have the byte order of the machine.
 */
export function columnParts(value: unknown): readonly Uint8Array[] {
  const columns: Uint8Array[] = [];
  const line = JSON.stringify(value, (_, inner: unknown) => {
    const column = kindOf(inner);
    if (column === null) return inner;
    const { buffer, byteOffset, byteLength, length } = inner as AnyColumn;
    columns.push(new Uint8Array(buffer, byteOffset, byteLength));
    return { column, length };
  });
  return [Buffer.from(`${line}\n`), ...columns].flatMap((part, index) => [
    part,
    Buffer.alloc(gapBehind(part.length), index === 0 ? ' ' : 0),
  ]);
}

/** Decodes the output of `columnParts`; its columns share the memory of `bytes`. Null for other content. */
export function readColumns<Value>(bytes: Uint8Array, schema: z.ZodType<Value>): Value | null {
  const { buffer, byteOffset } = bytes;
  if (byteOffset % WORD_BYTES !== 0) return readColumns(new Uint8Array(bytes), schema);
  const end = bytes.indexOf(10);
  let at = end + 1 + gapBehind(end + 1);
  const next = (kind: ColumnKind, length: number): AnyColumn | null => {
    const from = at;
    const size = length * CELL_BYTES[kind];
    at += size + gapBehind(size);
    return at > bytes.length ? null : COLUMNS[kind](buffer, byteOffset + from, length);
  };
  const read = schema.safeParse(inOrder(headerOf(bytes, end), next));
  return read.success && at === bytes.length ? read.data : null;
}

/** Bars without their market and timeframe, which the reader knows. */
type Bars = Omit<CandleColumns, 'market' | 'timeframe'>;

/** Returns bars with fields in the order of `BAR_FIELDS`, and columns cut to their length. */
export function barFields(bars: Bars): Bars {
  const column = (name: BlockColumn): Float64Array => bars[name].subarray(0, bars.length);
  const { anchors, length, priceDecimals, volumeDecimals } = bars;
  return {
    anchors,
    length,
    openTimeMs: column('openTimeMs'),
    priceDecimals,
    open: column('open'),
    high: column('high'),
    low: column('low'),
    close: column('close'),
    volumeDecimals,
    volume: column('volume'),
  };
}

/** True if each column of bars has a cell for each bar. */
export const areWhole = (bars: Bars): boolean =>
  BLOCK_COLUMNS.every((name) => bars[name].length === bars.length);

/** Encodes the bars of a study as the bytes of a file. */
export function writeCandleFile(candles: CandleColumns): Buffer {
  const { market, timeframe } = candles;
  return Buffer.concat(columnParts({ market, timeframe, ...barFields(candles) }));
}

/** Decodes the output of `writeCandleFile`. Throws `DATA_UNUSABLE` for other content. */
export function readCandleFile(bytes: Uint8Array): CandleColumns {
  const candles = readColumns(bytes, CANDLES);
  if (candles === null || candles.length === 0 || !areWhole(candles)) throw unusable('candles');
  return candles;
}

/** Encodes all recordings of a market as the bytes of a file. */
export const writePackedMarket = (market: PackedMarket): Buffer => Buffer.concat(columnParts(market));

/** Decodes the output of `writePackedMarket` into shared memory. Throws `DATA_UNUSABLE` for others. */
export function readPackedMarket(bytes: Uint8Array): PackedMarket {
  const shared = new Uint8Array(new SharedArrayBuffer(bytes.length));
  shared.set(bytes);
  const market = readColumns(shared, MARKET);
  if (market === null) throw unusable('recordings');
  return market;
}

/** Returns the header with real columns in place of their descriptions, in the order of the header. */
function inOrder(value: unknown, next: (kind: ColumnKind, length: number) => AnyColumn | null): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((inner) => inOrder(inner, next));
  const column = place.safeParse(value);
  if (column.success) return next(column.data.column, column.data.length);
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, inOrder(inner, next)]));
}

function kindOf(value: unknown): ColumnKind | null {
  if (value instanceof Float64Array) return 'f64';
  if (value instanceof Uint32Array) return 'u32';
  return value instanceof Uint8Array ? 'u8' : null;
}

function headerOf(bytes: Uint8Array, end: number): unknown {
  try {
    return JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, Math.max(0, end)).toString('utf8'));
  } catch {
    return null;
  }
}

const gapBehind = (length: number): number => (WORD_BYTES - (length % WORD_BYTES)) % WORD_BYTES;

const unusable = (what: string): SarrafError =>
  dataUnusable(`expected ${what} as the coordinator of a study packs them, found something else`);
