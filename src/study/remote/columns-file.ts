import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { CandleColumns } from '../../domain/candle-columns.ts';
import { SarrafError } from '../../domain/errors.ts';
import { TIMEFRAMES } from '../../domain/timeframe.ts';
import { BAR_ANCHORS } from '../../recording/manifest.ts';
import { parseMarket } from '../../exchange/market-names.ts';

/** The line that such a file begins with, filled up with spaces so that the columns lie on whole words. */
const HEADER_BYTES = 1_024;
const COLUMNS = ['openTimeMs', 'open', 'high', 'low', 'close', 'volume'] as const;

const HEADER = z.strictObject({
  market: z.string(),
  timeframe: z.enum(TIMEFRAMES),
  anchors: BAR_ANCHORS.optional(),
  length: z.int().min(1),
  priceDecimals: z.int().min(0).max(10),
  volumeDecimals: z.int().min(0).max(10),
});

/** Candles as the bytes of a file: what they are in a line, then column by column, as doubles. */
export function writeColumns(columns: CandleColumns): Buffer {
  const { market, timeframe, anchors, length, priceDecimals, volumeDecimals } = columns;
  const line = JSON.stringify({ market, timeframe, anchors, length, priceDecimals, volumeDecimals });
  const header = Buffer.from(`${line.padEnd(HEADER_BYTES - 1)}\n`);
  if (header.length !== HEADER_BYTES)
    throw new SarrafError('INVARIANT', `expected ${HEADER_BYTES} bytes of header, found ${header.length}`);
  const parts = COLUMNS.map((name) => {
    const { buffer, byteOffset } = columns[name];
    return Buffer.from(buffer, byteOffset, length * Float64Array.BYTES_PER_ELEMENT);
  });
  return Buffer.concat([header, ...parts]);
}

/** Reads what `writeColumns` wrote. Throws `DATA_UNUSABLE` for anything else. */
export function readColumns(bytes: Buffer): CandleColumns {
  const header = HEADER.safeParse(headerOf(bytes));
  if (!header.success) throw unusable('a header of candles');
  const { market, length, ...rest } = header.data;
  const columnBytes = length * Float64Array.BYTES_PER_ELEMENT;
  const expected = HEADER_BYTES + columnBytes * COLUMNS.length;
  if (bytes.length !== expected) throw unusable(`${expected} bytes of candles`);
  const [openTimeMs, open, high, low, close, volume] = COLUMNS.map((_, index) => {
    const from = HEADER_BYTES + index * columnBytes;
    return new Float64Array(Uint8Array.from(bytes.subarray(from, from + columnBytes)).buffer);
  });
  if (!openTimeMs || !open || !high || !low || !close || !volume) throw unusable('six columns');
  return {
    ...rest,
    market: parseMarket(market).symbol,
    length,
    openTimeMs,
    open,
    high,
    low,
    close,
    volume,
  };
}

/** SHA-256 of the bytes of a file. */
export function checksumOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

function headerOf(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8', 0, HEADER_BYTES));
  } catch {
    return null;
  }
}

const unusable = (expected: string): SarrafError =>
  new SarrafError(
    'DATA_UNUSABLE',
    `expected ${expected} from the coordinator of a study, found something else`,
  );
