import { z } from 'zod';
import { SarrafError } from '../domain/errors.ts';
import { TIMEFRAMES } from '../domain/timeframe.ts';
import { parseMarket } from '../exchange/market-names.ts';
import { BAR_ANCHORS } from './manifest.ts';
import type { PackedMarket } from './packed-market.ts';
import { eachBarValue } from '../domain/candle.ts';

/** Columns lie on whole words of this many bytes. */
const WORD_BYTES = 8;

type AnyColumn = Float64Array | Uint32Array | Uint8Array;

/** Columns of each kind, on memory that is there. */
const COLUMNS = {
  f64: (buffer: SharedArrayBuffer, from: number, length: number): AnyColumn =>
    new Float64Array(buffer, from, length),
  u32: (buffer: SharedArrayBuffer, from: number, length: number): AnyColumn =>
    new Uint32Array(buffer, from, length),
  u8: (buffer: SharedArrayBuffer, from: number, length: number): AnyColumn =>
    new Uint8Array(buffer, from, length),
} as const;
type ColumnKind = keyof typeof COLUMNS;
const CELL_BYTES: Readonly<Record<ColumnKind, number>> = { f64: 8, u32: 4, u8: 1 };

/** Placeholder of a column in the header. */
const place = z.strictObject({ column: z.enum(['f64', 'u32', 'u8']), length: z.int().min(0) });

const decimals = z.int().min(0).max(10);
const range = z.strictObject({ fromMs: z.number(), toMs: z.number() });
const f64 = z.instanceof(Float64Array);
const u32 = z.instanceof(Uint32Array);
const u8 = z.instanceof(Uint8Array);
const rows = { length: z.int().min(0), priceDecimals: decimals, amountDecimals: decimals };
const symbol = z.string().transform((text) => parseMarket(text).symbol);

const MARKET = z.strictObject({
  market: symbol,
  span: range,
  books: z.strictObject({
    ...rows,
    venueTimeMs: f64,
    seenMs: f64,
    levelFrom: u32,
    bids: u8,
    price: f64,
    amount: f64,
  }),
  trades: z
    .strictObject({ ...rows, timeMs: f64, seenMs: f64, price: f64, amount: f64, isBuy: u8 })
    .nullable(),
  stats: z.strictObject({ length: z.int().min(0), seenMs: f64, textFrom: u32, texts: u8 }).nullable(),
  candles: z.array(
    z.strictObject({
      columns: z.strictObject({
        market: symbol,
        timeframe: z.enum(TIMEFRAMES),
        anchors: BAR_ANCHORS.optional(),
        length: z.int().min(0),
        openTimeMs: f64,
        priceDecimals: decimals,
        volumeDecimals: decimals,
        ...eachBarValue(f64),
      }),
      covered: z.array(range),
      parts: z.array(range),
    }),
  ),
});

/**
 * A packed market as the bytes of a file: a line of JSON, filled up with spaces to a whole word, in which
 * each column is said by its kind and length; then the columns, in that order, each from a whole word on.
 */
export function writePackedMarket(market: PackedMarket): Buffer {
  const columns: AnyColumn[] = [];
  const line = JSON.stringify(market, (_, value: unknown) => {
    const column = kindOf(value);
    if (column === null) return value;
    columns.push(value as AnyColumn);
    return { column, length: (value as AnyColumn).length };
  });
  const header = Buffer.from(line);
  const bodies = columns.map(({ buffer, byteOffset, byteLength }) =>
    Buffer.from(buffer, byteOffset, byteLength),
  );
  const parts = [Buffer.concat([header, Buffer.from('\n')]), ...bodies].flatMap((part, index) => [
    part,
    Buffer.alloc(gapBehind(part.length), index === 0 ? ' ' : 0),
  ]);
  return Buffer.concat(parts);
}

/**
 * Reads what `writePackedMarket` wrote into memory that threads share. Throws `DATA_UNUSABLE` for anything
 * else.
 */
export function readPackedMarket(bytes: Uint8Array): PackedMarket {
  const shared = new Uint8Array(new SharedArrayBuffer(bytes.length));
  shared.set(bytes);
  const end = bytes.indexOf(10);
  let at = end + 1 + gapBehind(end + 1);
  const next = (kind: ColumnKind, length: number): AnyColumn => {
    const from = at;
    const size = length * CELL_BYTES[kind];
    at += size + gapBehind(size);
    if (at > bytes.length) throw unusable();
    return COLUMNS[kind](shared.buffer, from, length);
  };
  const read = MARKET.safeParse(inOrder(headerOf(bytes, end), next));
  if (!read.success || at !== bytes.length) throw unusable();
  return read.data;
}

/** The header with its columns in place of what stands for them, in the order in which it names them. */
function inOrder(value: unknown, next: (kind: ColumnKind, length: number) => AnyColumn): unknown {
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

const unusable = (): SarrafError =>
  new SarrafError(
    'DATA_UNUSABLE',
    'expected recordings as the coordinator of a study packs them, found something else',
  );
