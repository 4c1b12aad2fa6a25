import {
  closeSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
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
import { areWhole, BAR_FIELDS, barFields, columnParts, readColumns } from './column-file.ts';

/** Columns in a file: all except market and timeframe, which the reader knows. */
type CachedColumns = Omit<CandleColumns, 'market' | 'timeframe'>;

/** Version of the files; to be raised when a source would give other columns or the layout changes. */
const VERSION = 3;

/** Fewest bars that are cached; fewer are read again as fast. */
const LEAST_BARS = 50_000;

const ROW_BYTES = BLOCK_COLUMNS.length * Float64Array.BYTES_PER_ELEMENT;

/** Maximum number of files in the cache, and most bytes; the last used stay. A million bars take 50 MB. */
const MOST_FILES = 16;
const MOST_BYTES = 512_000_000;
const MOST_HEAD_BYTES = 4_096;

/** Age in ms at which a draft of a killed writer is removed. */
const DRAFT_MS = 3_600_000;

const FILE = z.strictObject({
  version: z.literal(VERSION),
  order: z.literal(endianness()),
  key: z.string(),
  crc32: z.int(),
  bars: z.strictObject(BAR_FIELDS),
});

/** Returns the folder of this user's cached columns: below `$XDG_CACHE_HOME`, else `~/.cache`. */
export function candleCacheFolder(environment: NodeJS.ProcessEnv = process.env): string {
  const cache = environment['XDG_CACHE_HOME'];
  const base = cache === undefined || cache === '' ? join(homedir(), '.cache') : cache;
  return join(base, 'sarraf', 'candles');
}

/**
 * Cache of bar columns, one file for each source in one folder. The key of a file contains its source, so
 * that sources are never mixed up. A torn, foreign or outdated file is removed. A folder that cannot be
 * written to costs only time; no error is thrown.
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

  /** Returns the columns of a source; null if they are not cached. `source` describes all they depend on. */
  read(source: string): CachedColumns | null {
    const key = keyOf(source);
    const path = this.path(key);
    return orNull(() => {
      // A larger file was not written by this cache.
      const isRead = statSync(path).size <= MOST_BYTES + MOST_HEAD_BYTES;
      const block = isRead ? blockOf(readFileSync(path), key) : null;
      // A file whose time cannot be changed is valid all the same.
      orNull(() => (block === null ? rmSync(path) : utimesSync(path, new Date(), new Date())));
      return block;
    });
  }

  /** Caches the columns of a source, and removes those that were not used for the longest time. */
  write(source: string, block: CachedColumns): void {
    const bytes = block.length * ROW_BYTES;
    if (block.length < this.leastBars || bytes > MOST_BYTES) return;
    const key = keyOf(source);
    const path = this.path(key);
    const draft = `${path}.${process.pid}.tmp`;
    orNull(() => {
      mkdirSync(this.folder, { recursive: true, mode: 0o700 });
      const bars = barFields(block);
      const head = { version: VERSION, order: endianness(), key, crc32: checkOf(key, bars) };
      const file = openSync(draft, 'wx', 0o600);
      try {
        for (const part of columnParts({ ...head, bars })) {
          for (let at = 0; at < part.length;) at += writeSync(file, part, at, part.length - at);
        }
      } finally {
        closeSync(file);
      }
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
    let retained = 0;
    let bytes = 0;
    for (const { name, size, usedMs } of files) {
      const isDraft = name.endsWith('.tmp');
      if (!isDraft) {
        retained += 1;
        bytes += size;
      }
      const isTooMuch = isDraft ? now - usedMs > DRAFT_MS : retained > this.mostFiles || bytes > MOST_BYTES;
      if (isTooMuch) rmSync(join(this.folder, name), { force: true });
    }
  }
}

/** Returns size and last use of a file; zeros if another process has just removed it. */
function sizeOf(path: string): { readonly size: number; readonly usedMs: number } {
  const found = statSync(path, { throwIfNoEntry: false });
  return { size: found?.size ?? 0, usedMs: found?.mtimeMs ?? 0 };
}

/** Returns the result of a file operation; null if the file system refuses it (`ENOSPC`, `EROFS`). */
function orNull<Value>(work: () => Value): Value | null {
  try {
    return work();
  } catch (error) {
    if (error instanceof Error && 'syscall' in error) return null;
    throw error;
  }
}

const keyOf = (source: string): string => createHash('sha256').update(`${VERSION} ${source}`).digest('hex');

/** Returns the CRC-32 of everything in a file, which detects a torn one. */
const checkOf = (key: string, bars: CachedColumns): number =>
  columnParts(barFields(bars)).reduce((check, part) => crc32(part, check), crc32(key));

/** Returns the bars of a file; null if it is not what was written for this key. */
function blockOf(bytes: Uint8Array, key: string): CachedColumns | null {
  const file = readColumns(bytes, FILE);
  if (file === null || file.key !== key || !areWhole(file.bars)) return null;
  return checkOf(key, file.bars) === file.crc32 ? file.bars : null;
}
