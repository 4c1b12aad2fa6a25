import { createWriteStream, existsSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { SarrafError } from '../domain/errors.ts';
import type { Catalogue } from './catalogue.ts';
import { openDatabase, queryRows, runSql, sqlFiles, sqlText } from './duckdb.ts';
import { exportLines } from './export-lines.ts';
import { folderPath, type FolderKey } from './folder-key.ts';
import { noneThere, partitionsOfData } from './read-partitions.ts';
import type { TimeRange } from './records.ts';
import { BOOK_SHAPE, CANDLE_SHAPE, STATS_SHAPE, TRADE_SHAPE } from './table-shapes.ts';

interface ExportOptions {
  readonly key: FolderKey;
  readonly range: TimeRange;
  /** Its name says how it is written: `.csv`, `.jsonl`, either one with `.gz`, or `.parquet`. */
  readonly path: string;
  /** True if an existing file is replaced. */
  readonly mayReplace: boolean;
  readonly onProgress?: (rows: number) => void;
}

const SHAPES = { candles: CANDLE_SHAPE, trades: TRADE_SHAPE, books: BOOK_SHAPE, stats: STATS_SHAPE } as const;

/** Programs such as pandas make slow objects of exact decimals, so each of them has a float beside it. */
const floatTwins = (kind: keyof typeof SHAPES): string =>
  SHAPES[kind].columns
    .filter(({ type }) => type === 'money' || type === 'moneys')
    .map(({ name, type }) => `, ${name}::DOUBLE${type === 'moneys' ? '[]' : ''} AS ${name}_f`)
    .join('');

/**
 * Writes the records of a stretch of time to a file, and answers how many. The file is there when it is
 * whole. Throws `INVALID_OPTIONS` for a name that says no format, for a file that is there or whose folder is
 * not, and where there is nothing to write.
 */
export async function exportFile(catalogue: Catalogue, options: ExportOptions): Promise<number> {
  const { path, mayReplace } = options;
  const [, format, packed] = /\.(csv|jsonl|parquet)(\.gz)?$/.exec(path) ?? [];
  if (format === undefined || (format === 'parquet' && packed !== undefined)) {
    throw new SarrafError(
      'INVALID_OPTIONS',
      `expected a file name that ends in .csv, .csv.gz, .jsonl, .jsonl.gz or .parquet, was "${path}"`,
    );
  }
  if (existsSync(path) && !mayReplace) {
    throw new SarrafError(
      'INVALID_OPTIONS',
      `expected no file at ${path} yet, found one: name another, or add --force`,
    );
  }
  if (!existsSync(dirname(path))) {
    throw new SarrafError(
      'INVALID_OPTIONS',
      `expected a folder ${dirname(path)} to write ${path} into, found none: make it`,
    );
  }
  // A name of our own: what lies there under another one is somebody's.
  const draft = `${path}.${process.pid}.tmp`;
  try {
    const rows =
      format === 'parquet'
        ? await writeParquet(catalogue, options, draft)
        : await writeText(catalogue, options, {
            draft,
            format: format === 'csv' ? 'csv' : 'jsonl',
            isPacked: packed !== undefined,
          });
    if (rows === 0) throw noneThere(catalogue.root, options.key, options.range);
    renameSync(draft, path);
    return rows;
  } finally {
    rmSync(draft, { force: true });
  }
}

async function writeText(
  catalogue: Catalogue,
  { key, range, onProgress }: ExportOptions,
  into: { readonly draft: string; readonly format: 'csv' | 'jsonl'; readonly isPacked: boolean },
): Promise<number> {
  let rows = 0;
  const texts = async function* (): AsyncGenerator<string> {
    for await (const part of exportLines(catalogue, { key, range, format: into.format })) {
      rows += part.rows;
      onProgress?.(rows);
      yield part.text;
    }
  };
  const file = createWriteStream(into.draft);
  if (into.isPacked) await pipeline(Readable.from(texts()), createGzip(), file);
  else await pipeline(Readable.from(texts()), file);
  return rows;
}

async function writeParquet(
  catalogue: Catalogue,
  { key, range }: ExportOptions,
  draft: string,
): Promise<number> {
  const folder = folderPath(catalogue.root, key);
  const files = partitionsOfData(catalogue.root, key, range).map(({ file }) => join(folder, file));
  const { timeSql } = SHAPES[key.kind];
  const database = await openDatabase();
  try {
    await runSql(
      database,
      `COPY (SELECT *${floatTwins(key.kind)} FROM read_parquet(${sqlFiles(files)}) WHERE ${timeSql} >= ${range.fromMs} AND ${timeSql} < ${range.toMs})
       TO ${sqlText(draft)} (FORMAT parquet, COMPRESSION zstd)`,
      `write ${draft}`,
    );
    const [row] = await queryRows(
      database,
      `SELECT count(*) FROM read_parquet(${sqlFiles([draft])})`,
      `read ${draft}`,
    );
    return Number(row?.[0] ?? 0);
  } finally {
    database.close();
  }
}
