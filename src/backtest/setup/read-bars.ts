import { barsBetween, firstBarFrom, type CandleColumns } from '../../domain/candle-columns.ts';
import { SarrafError, invalidFile, invalidOptions } from '../../domain/errors.ts';
import type { MarketSymbol } from '../../domain/market-symbol.ts';
import type { Timeframe } from '../../domain/candle.ts';
import { CandleCache, candleCacheFolder } from '../../recording/candle-cache.ts';
import type { Catalogue } from '../../recording/catalogue.ts';
import type { Partition } from '../../recording/manifest.ts';
import {
  EARLIEST_MS,
  noneThere,
  partitionsOfData,
  partitionsWithin,
  timeText,
} from '../../recording/read-rows.ts';
import type { FileForm } from '../../recording/written-form.ts';
import { readDataFile } from '../../recording/read-file.ts';
import { type TimeRange, folderPath, type FolderKey } from '../../recording/records.ts';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { checksum } from '../../recording/durable-file.ts';

/** Request for the bars of a run. */
export interface BarQuestion {
  readonly market: MarketSymbol;
  readonly timeframe: Timeframe;
  readonly range: TimeRange;
  /** Length of the warm-up before the range, in ms, for which bars are read if there are any. */
  readonly warmUpMs: number;
  /** Format of a file, as the user describes it. */
  readonly form?: FileForm | undefined;
}

/** Reads the bars of a range and its warm-up from a catalogue. Throws `INVALID_OPTIONS` for none. */
export async function readBars(
  catalogue: Catalogue,
  of: BarQuestion,
  cache: CandleCache = userCache(),
): Promise<LoadedBars> {
  const { market, timeframe, range, warmUpMs } = of;
  const { root } = catalogue;
  const key = { market, timeframe, kind: 'candles' } as const;
  // Checks the requested range first, so that an error names what the user wrote.
  partitionsOfData(root, key, range);
  const fromMs = Math.max(EARLIEST_MS, range.fromMs - warmUpMs);
  const partitions = (): readonly Partition[] => partitionsWithin(root, key, { fromMs, toMs: range.toMs });
  // Whole files are read and cached, so that another range of the same files finds them there.
  const whole = {
    fromMs: Math.min(...partitions().map((partition) => partition.fromMs)),
    toMs: Math.max(...partitions().map((partition) => partition.toMs)) + 1,
  };
  const source = partitionSource(root, key, partitions);
  const { columns: all, fromCache } = await cachedBars(of, cache, source, () =>
    catalogue.readCandles({ market, timeframe, ...whole }),
  );
  const columns = barsBetween(all, firstBarFrom(all, fromMs), firstBarFrom(all, range.toMs));
  const lastMs = columns.openTimeMs[columns.length - 1];
  if (lastMs === undefined || lastMs < range.fromMs) throw noneThere(root, key, range);
  return { columns, fromCache };
}

/**
 * Reads the bars of a range and its warm-up from a file, as an import would. Throws `INVALID_FILE` where it
 * cannot be read, `INVALID_OPTIONS` where the range itself has none.
 */
export async function readFileBars(
  path: string,
  of: BarQuestion,
  cache: CandleCache = userCache(),
): Promise<LoadedBars> {
  const source = await fileSource(path, of);
  const { columns, fromCache } = await cachedBars(of, cache, source, () => fileColumns(path, of));
  return { columns: barsWithin(columns, of, path), fromCache };
}

async function fileColumns(
  path: string,
  { market, timeframe, form = {} }: BarQuestion,
): Promise<CandleColumns> {
  const read = await withoutColumnsOption(() =>
    readDataFile(path, { market, timeframe, kind: 'candles', form }),
  );
  if (read.kind === 'candles') return read.columns;
  throw invalidFile(`expected candles in ${path}, found trades`);
}

/** Returns the bars of a range and its warm-up. Throws `INVALID_OPTIONS` where the range itself has none. */
export function barsWithin(
  all: CandleColumns,
  of: BarQuestion,
  where = `the candles of ${of.market}`,
): CandleColumns {
  const { range, warmUpMs } = of;
  const first = firstBarFrom(all, range.fromMs);
  const end = firstBarFrom(all, range.toMs);
  if (first < end) return barsBetween(all, firstBarFrom(all, range.fromMs - warmUpMs), end);
  const [firstMs, lastMs] = [all.openTimeMs[0] ?? Number.NaN, all.openTimeMs[all.length - 1] ?? Number.NaN];
  throw invalidOptions(
    `expected candles in ${where} from ${timeText(range.fromMs)} to ${timeText(range.toMs)}: those there reach from ${timeText(firstMs)} to ${timeText(lastMs)}`,
  );
}

/** Adds advice to an error that names `--columns`, an option of imports that a backtest does not have. */
async function withoutColumnsOption<Value>(read: () => Promise<Value>): Promise<Value> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof SarrafError) || !error.message.includes('--columns')) throw error;
    const message = `${error.message}; that is an option of "sarraf data import": import the file with it, and leave --csv out`;
    throw new SarrafError(error.code, message, { cause: error });
  }
}

/** Loaded bars, and whether they came from the cache. */
interface LoadedBars {
  readonly columns: CandleColumns;
  readonly fromCache: boolean;
}

interface BarOrigin {
  /** Text of everything that the bars depend on; null if unknown, then they are not cached. */
  readonly identity: string | null;
  /** True if the source is unchanged since it was identified. */
  isSame(): boolean;
}

const userCache = (): CandleCache => new CandleCache(candleCacheFolder());

/** Returns bars from the cache; if they are missing, reads them with `read` and caches them. */
async function cachedBars(
  question: Pick<CandleColumns, 'market' | 'timeframe'>,
  cache: CandleCache,
  source: BarOrigin,
  read: () => Promise<CandleColumns>,
): Promise<LoadedBars> {
  const { market, timeframe } = question;
  const { identity } = source;
  const block = identity === null ? null : cache.read(identity);
  if (block !== null) return { columns: { market, timeframe, ...block }, fromCache: true };
  const columns = await read();
  if (identity !== null && source.isSame()) cache.write(identity, columns);
  return { columns, fromCache: false };
}

/** Identifies a file by its bytes, its ending, the described format, and the timeframe to build. */
async function fileSource(
  path: string,
  { timeframe, form }: { readonly timeframe: Timeframe; readonly form?: FileForm | undefined },
): Promise<BarOrigin> {
  const before = stampOf(path);
  const ending = /\.(?:gz|parquet|jsonl|jsonl\.gz)$/.exec(path)?.[0] ?? '';
  const digits = before === null ? null : await checksumOf(path);
  return {
    identity: digits === null ? null : JSON.stringify(['file', digits, ending, timeframe, form]),
    isSame: () => stampOf(path) === before,
  };
}

/** Returns the checksum of a file; null if it cannot be read, which the reader of its bars reports. */
async function checksumOf(path: string): Promise<string | null> {
  try {
    return await checksum(path);
  } catch {
    return null;
  }
}

function stampOf(path: string): string | null {
  const found = statSync(path, { throwIfNoEntry: false });
  return found?.isFile() === true ? `${found.ino} ${found.size} ${found.mtimeMs}` : null;
}

/** Identifies partitions by their checksums in the manifest. `partitions` returns the current ones. */
function partitionSource(root: string, key: FolderKey, partitions: () => readonly Partition[]): BarOrigin {
  const folder = folderPath(root, key);
  const identityNow = (): string | null => {
    const found = partitions();
    const areThere = found.every(
      ({ file, bytes }) => statSync(join(folder, file), { throwIfNoEntry: false })?.size === bytes,
    );
    return areThere ? JSON.stringify(['partitions', found.map(({ sha256 }) => sha256)]) : null;
  };
  const identity = identityNow();
  return { identity, isSame: () => identityNow() === identity };
}
