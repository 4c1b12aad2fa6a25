import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { DuckDBDataChunk } from '@duckdb/node-api';
import { SarrafError } from '../domain/errors.ts';
import { gridOf, liesInside } from '../domain/bar-grid.ts';
import { TIMEFRAMES } from '../domain/timeframe.ts';
import { sqlFiles, streamChunks, type Database } from './duckdb.ts';
import { folderPath, folderTitle, type FolderKey } from './folder-key.ts';
import { anchorsOf, readManifest, type Partition } from './manifest.ts';
import type { TimeRange } from './records.ts';
import type { TableShape } from './table-shape.ts';
import { isoText } from '../domain/time-text.ts';

/** The partitions of a folder that reach into a stretch of time, oldest first. */
export function partitionsWithin(root: string, key: FolderKey, range: TimeRange): readonly Partition[] {
  const manifest = readManifest(root, key);
  return (manifest?.partitions ?? []).filter(
    ({ fromMs, toMs }) => fromMs < range.toMs && toMs >= range.fromMs,
  );
}

/** The partitions of a stretch; throws `INVALID_OPTIONS` where there is none, naming what there is. */
export function partitionsOfData(root: string, key: FolderKey, range: TimeRange): readonly Partition[] {
  if (range.fromMs >= range.toMs) {
    throw new SarrafError(
      'INVALID_OPTIONS',
      `expected a stretch of time that begins before it ends, was ${timeText(range.fromMs)} to ${timeText(range.toMs)}`,
    );
  }
  const within = partitionsWithin(root, key, range);
  if (within.length > 0) return within;
  throw noneThere(root, key, range);
}

/** Says that a stretch holds nothing, and what there is. */
export function noneThere(root: string, key: FolderKey, range: TimeRange): SarrafError {
  const all = readManifest(root, key)?.partitions ?? [];
  const [first, last] = [all[0], all.at(-1)];
  const found =
    first === undefined || last === undefined
      ? `there are none in ${root}${otherCandles(root, key)}; see "sarraf data list"`
      : `those there reach from ${timeText(first.fromMs)} to ${timeText(last.toMs)}`;
  return new SarrafError(
    'INVALID_OPTIONS',
    `expected data of ${folderTitle(key)} from ${timeText(range.fromMs)} to ${timeText(range.toMs)}: ${found}`,
  );
}

/** Candles of other timeframes that are there, and how to come from them to those that are not. */
function otherCandles(root: string, key: FolderKey): string {
  if (key.kind !== 'candles') return '';
  const there = TIMEFRAMES.filter(
    (timeframe) => readManifest(root, { ...key, timeframe })?.partitions[0] !== undefined,
  );
  if (there.length === 0) return '';
  const isMade = there.some((finer) => {
    const anchors = anchorsOf(readManifest(root, { ...key, timeframe: finer }), finer);
    return liesInside(gridOf(finer, anchors), gridOf(key.timeframe, anchors));
  });
  const how = isMade
    ? `make them with "sarraf data resample --market ${key.market} --timeframe ${key.timeframe}"`
    : 'of which these can not be made';
  return `, but those of ${there.join(', ')} are: ${how}`;
}

/** A time for people; the ends of all time, which `--from` and `--to` default to, are words. */
export function timeText(timeMs: number): string {
  if (timeMs <= EARLIEST_MS) return 'the beginning';
  if (timeMs >= LATEST_MS) return 'the end';
  return isoText(timeMs);
}

/** The ends of all time that is asked for: the years 1 and 9999. */
export const EARLIEST_MS = -62_135_596_800_000;
export const LATEST_MS = 253_402_300_799_999;

/** All that there is. */
export const ALL_TIME: TimeRange = { fromMs: EARLIEST_MS, toMs: LATEST_MS };

/** The rows of partitions within a stretch, in the order of the files. */
export function partitionChunks<Row>(
  database: Database,
  options: {
    readonly root: string;
    readonly key: FolderKey;
    readonly shape: TableShape<Row>;
    readonly partitions: readonly Partition[];
    readonly range: TimeRange;
    readonly select: string;
  },
): AsyncGenerator<DuckDBDataChunk> {
  const { root, key, shape, partitions, range, select } = options;
  const folder = folderPath(root, key);
  const files = partitions.map(({ file }) => join(folder, file));
  const sql = `SELECT ${select} FROM read_parquet(${sqlFiles(files)})
    WHERE ${shape.timeSql} >= ${range.fromMs} AND ${shape.timeSql} < ${range.toMs}`;
  return streamChunks(database, sql, `read ${files.length === 1 ? files[0] : folder}`);
}

/**
 * True if a partition was replaced since its name was read: another process has written to the folder, and
 * the name must be read again.
 */
export function isReplaced(root: string, key: FolderKey, { file }: Partition): boolean {
  return !existsSync(join(folderPath(root, key), file)) && currentFile(root, key, file) === undefined;
}

function currentFile(root: string, key: FolderKey, file: string): Partition | undefined {
  return readManifest(root, key)?.partitions.find((partition) => partition.file === file);
}
