import {
  closeSync,
  fstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeSync,
} from 'node:fs';
import { createHash } from 'node:crypto';
import { endianness, homedir } from 'node:os';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { z } from 'zod';
import type { CandleColumns } from '../domain/candle-columns.ts';
import { BLOCK_COLUMNS } from './stage-blocks.ts';
import { BAR_ANCHORS } from './manifest.ts';

/** Content of a file: all columns except those given by the question. */
type CachedColumns = Omit<CandleColumns, 'market' | 'timeframe'>;

/** To be raised when the same source would come out as other columns, or the files are laid out anew. */
const VERSION = 2;

/** Fewer bars are read anew as fast. */
const LEAST_BARS = 50_000;

/** Files that are kept, and their bytes: the last used ones. A million bars take 50 MB. */
const MOST_FILES = 16;
const MOST_BYTES = 512_000_000;

/** Age at which a draft of a killed writer is removed. */
const DRAFT_MS = 3_600_000;

const HEAD_BYTES = 1_024;
const CELL_BYTES = Float64Array.BYTES_PER_ELEMENT;
const ROW_BYTES = BLOCK_COLUMNS.length * CELL_BYTES;

const headSchema = z.strictObject({
  version: z.literal(VERSION),
  order: z.literal(endianness()),
  key: z.string(),
  length: z.int().nonnegative(),
  priceDecimals: z.int().min(0).max(10),
  volumeDecimals: z.int().min(0).max(10),
  anchors: BAR_ANCHORS.optional(),
  crc32: z.int(),
});

/** The folder of this user's cached columns: under `$XDG_CACHE_HOME`, else `~/.cache`. */
export function candleCacheFolder(environment: NodeJS.ProcessEnv = process.env): string {
  const cache = environment['XDG_CACHE_HOME'];
  const base = cache === undefined || cache === '' ? join(homedir(), '.cache') : cache;
  return join(base, 'sarraf', 'candles');
}

/**
 * Columns of bars that were read before, each in a file of its own in one folder. What they were read from is
 * part of a file's key, so that another source never meets them. A file that is torn, foreign or of another
 * version is removed. A folder that can not be written to costs only time: nothing is thrown for it.
 */
export class CandleCache {
  private readonly folder: string;
  private readonly leastBars: number;
  private readonly mostFiles: number;

  constructor(
    folder: string,
    { leastBars = LEAST_BARS, mostFiles = MOST_FILES }: { leastBars?: number; mostFiles?: number } = {},
  ) {
    this.folder = folder;
    this.leastBars = leastBars;
    this.mostFiles = mostFiles;
  }

  /** The columns of a source; null where they are not there. `source` says all that they depend on. */
  read(source: string): CachedColumns | null {
    const key = keyOf(source);
    const path = this.path(key);
    return orNull(() => {
      const file = openSync(path, 'r');
      try {
        const block = blockOf(file, key);
        // A file that can not be touched is good all the same.
        orNull(() => (block === null ? rmSync(path) : utimesSync(path, new Date(), new Date())));
        return block;
      } finally {
        closeSync(file);
      }
    });
  }

  /** Keeps the columns of a source, in place of those that were not used for the longest time. */
  write(source: string, block: CachedColumns): void {
    const bytes = HEAD_BYTES + block.length * ROW_BYTES;
    if (block.length < this.leastBars || bytes > MOST_BYTES) return;
    const key = keyOf(source);
    const path = this.path(key);
    const draft = `${path}.${process.pid}.tmp`;
    orNull(() => {
      mkdirSync(this.folder, { recursive: true, mode: 0o700 });
      writeBlock(draft, key, block);
      renameSync(draft, path);
      this.removeOldest();
    });
    orNull(() => rmSync(draft, { force: true }));
  }

  private path(key: string): string {
    return join(this.folder, `${key}.candles`);
  }

  private removeOldest(): void {
    const now = Date.now();
    const files = readdirSync(this.folder)
      .map((name) => ({ name, ...sizeOf(join(this.folder, name)) }))
      .toSorted((left, right) => right.usedMs - left.usedMs);
    let kept = 0;
    let bytes = 0;
    for (const { name, size, usedMs } of files) {
      const isDraft = name.endsWith('.tmp');
      if (!isDraft) {
        kept += 1;
        bytes += size;
      }
      const isTooMuch = isDraft ? now - usedMs > DRAFT_MS : kept > this.mostFiles || bytes > MOST_BYTES;
      if (isTooMuch) rmSync(join(this.folder, name), { force: true });
    }
  }
}

/** Size and last use of a file; one that another process has just removed is none. */
function sizeOf(path: string): { readonly size: number; readonly usedMs: number } {
  const found = statSync(path, { throwIfNoEntry: false });
  return { size: found?.size ?? 0, usedMs: found?.mtimeMs ?? 0 };
}

/**
 * Returns the result of some work with files; null if the file system refuses it, as with `ENOSPC` or
 * `EROFS`.
 */
function orNull<Value>(work: () => Value): Value | null {
  try {
    return work();
  } catch (error) {
    if (error instanceof Error && 'syscall' in error) return null;
    throw error;
  }
}

const keyOf = (source: string): string => createHash('sha256').update(`${VERSION} ${source}`).digest('hex');

const bytesOf = (column: Float64Array): Uint8Array =>
  new Uint8Array(column.buffer, column.byteOffset, column.byteLength);

/** Of all that a file holds, so that a torn one shows. */
function checkOf(key: string, block: CachedColumns): number {
  const { length, priceDecimals, volumeDecimals, anchors } = block;
  let check = crc32(JSON.stringify([key, length, priceDecimals, volumeDecimals, anchors]));
  for (const name of BLOCK_COLUMNS) check = crc32(bytesOf(block[name].subarray(0, length)), check);
  return check;
}

function writeBlock(path: string, key: string, block: CachedColumns): void {
  const { length, priceDecimals, volumeDecimals, anchors } = block;
  const head: z.infer<typeof headSchema> = {
    version: VERSION,
    order: endianness(),
    key,
    length,
    priceDecimals,
    volumeDecimals,
    anchors,
    crc32: checkOf(key, block),
  };
  const file = openSync(path, 'wx', 0o600);
  try {
    writeAll(file, Buffer.from(JSON.stringify(head).padEnd(HEAD_BYTES)));
    for (const name of BLOCK_COLUMNS) writeAll(file, bytesOf(block[name].subarray(0, length)));
  } finally {
    closeSync(file);
  }
}

function writeAll(file: number, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length;) at += writeSync(file, bytes, at, bytes.length - at);
}

/** Null where a file is not what was written for this key. */
function blockOf(file: number, key: string): CachedColumns | null {
  const head = headOf(file);
  if (head === null || head.key !== key) return null;
  const { length, priceDecimals, volumeDecimals, anchors } = head;
  if (fstatSync(file).size !== HEAD_BYTES + length * ROW_BYTES) return null;
  const all = new Float64Array(length * BLOCK_COLUMNS.length);
  if (!readAll(file, bytesOf(all), HEAD_BYTES)) return null;
  const part = (index: number): Float64Array => all.subarray(index * length, (index + 1) * length);
  const block: CachedColumns = {
    length,
    anchors,
    openTimeMs: part(0),
    priceDecimals,
    open: part(1),
    high: part(2),
    low: part(3),
    close: part(4),
    volumeDecimals,
    volume: part(5),
  };
  return checkOf(key, block) === head.crc32 ? block : null;
}

function headOf(file: number): z.infer<typeof headSchema> | null {
  const bytes = Buffer.alloc(HEAD_BYTES);
  if (!readAll(file, bytes, 0)) return null;
  try {
    return headSchema.safeParse(JSON.parse(bytes.toString())).data ?? null;
  } catch {
    return null;
  }
}

/** False where the file ends before. */
function readAll(file: number, bytes: Uint8Array, from: number): boolean {
  for (let at = 0; at < bytes.length;) {
    const count = readSync(file, bytes, { offset: at, position: from + at });
    if (count === 0) return false;
    at += count;
  }
  return true;
}
