import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { CandleColumns } from '../../domain/candle-columns.ts';
import type { Timeframe } from '../../domain/timeframe.ts';
import { CandleCache, candleCacheFolder } from '../../recording/candle-cache.ts';
import { checksum } from '../../recording/durable-file.ts';
import { folderPath, type FolderKey } from '../../recording/folder-key.ts';
import type { FileForm } from '../../recording/import/written-form.ts';
import type { Partition } from '../../recording/manifest.ts';

/** Bars that were loaded, and whether they came from the cache. */
export interface LoadedBars {
  readonly columns: CandleColumns;
  readonly fromCache: boolean;
}

/** Source from which bars are read. */
export interface BarOrigin {
  /** All that the bars depend on, as text; null where that is not known, and then they are not kept. */
  readonly identity: string | null;
  /** Returns true if the source is unchanged. */
  isSame(): boolean;
}

/** The cache of this user. */
export const userCache = (): CandleCache => new CandleCache(candleCacheFolder());

/** Bars of the cache; where they are not there, those that `read` answers, which are then kept. */
export async function cachedBars(
  of: {
    readonly question: Pick<CandleColumns, 'market' | 'timeframe'>;
    readonly cache: CandleCache;
    readonly source: BarOrigin;
  },
  read: () => Promise<CandleColumns>,
): Promise<LoadedBars> {
  const { cache, source } = of;
  const { market, timeframe } = of.question;
  const { identity } = source;
  const block = identity === null ? null : cache.read(identity);
  if (block !== null) return { columns: { market, timeframe, ...block }, fromCache: true };
  const columns = await read();
  if (identity !== null && source.isSame()) cache.write(identity, columns);
  return { columns, fromCache: false };
}

/** A file as a source: its bytes, what its name and the user say of them, and the timeframe made of it. */
export async function fileSource(
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

/** Null where a file can not be read: whoever reads its bars says so. */
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

/** Partitions as a source: their checksums, which the manifest has. `partitions` are those there now. */
export function partitionSource(
  root: string,
  key: FolderKey,
  partitions: () => readonly Partition[],
): BarOrigin {
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
