import { join, resolve } from 'node:path';
import { SarrafError } from '../domain/errors.ts';
import { runSql, sqlFiles, type Database } from '../recording/duckdb.ts';
import { folderPath, type FolderKey, type RecordKind } from '../recording/records.ts';
import { listFolders, readManifest, type Manifest } from '../recording/manifest.ts';
import { BOOK_SHAPE, CANDLE_SHAPE, STATS_SHAPE, TRADE_SHAPE } from '../recording/table-shape.ts';
import {
  emptyViewSql,
  type MadeView,
  type QueryPlaces,
  createRowsTable,
  momentSql,
  RECORDING_FIELDS,
} from './views.ts';

interface Recording {
  readonly key: FolderKey;
  readonly manifest: Manifest;
}

/** Returns SQL for the name of a folder above a file; `place` 2 is the folder that the file is in. */
const folderSql = (place: number): string => `parse_path(filename, 'system')[-${place}]`;

const KINDS = {
  candles: {
    shape: CANDLE_SHAPE,
    more: `substr(${folderSql(2)}, length('candles-') + 1) AS timeframe, ${momentSql(CANDLE_SHAPE.timeSql)} AS time`,
  },
  trades: { shape: TRADE_SHAPE, more: `${momentSql(TRADE_SHAPE.timeSql)} AS time` },
  books: {
    shape: BOOK_SHAPE,
    more: `${momentSql(BOOK_SHAPE.timeSql)} AS time, bid_prices[1] AS bid, ask_prices[1] AS ask`,
  },
  stats: { shape: STATS_SHAPE, more: `${momentSql(STATS_SHAPE.timeSql)} AS time` },
} as const;

/**
 * Makes a view of all Parquet files of one kind that manifests list. Market and timeframe are the names of
 * folders, so a query for one market opens no files of others.
 */
export async function makeRecordedView(
  database: Database,
  name: RecordKind,
  { catalogue }: QueryPlaces,
): Promise<MadeView> {
  const { recordings, unreadable } = readRecordings(catalogue, name);
  const files = recordings.flatMap(({ key, manifest }) =>
    manifest.partitions.map(({ file }) => join(folderPath(resolve(catalogue), key), file)),
  );
  if (files.length === 0) {
    await runSql(database, emptyViewSql(name), `make the view ${name}`);
    return { files, nothing: `there are no ${name} in ${catalogue}`, unreadable };
  }
  const { shape, more } = KINDS[name];
  const columns = shape.columns.map((column) => column.name).join(', ');
  await runSql(
    database,
    `CREATE VIEW ${name} AS SELECT ${folderSql(3)} AS market, ${more}, ${columns}
     FROM read_parquet(${sqlFiles(files)}, filename = true)`,
    `read the ${name} in ${catalogue}`,
  );
  return { files, nothing: null, unreadable };
}

/** Makes a table of the recorded files in the catalogue. */
export async function makeRecordingsView(database: Database, { catalogue }: QueryPlaces): Promise<MadeView> {
  const { recordings, unreadable } = readRecordings(catalogue, null);
  const rows = recordings.flatMap(({ key, manifest }) =>
    manifest.partitions.map((partition) => ({
      market: key.market,
      kind: key.kind,
      timeframe: key.kind === 'candles' ? key.timeframe : null,
      part: partition.name,
      rows: partition.rows,
      bytes: partition.bytes,
      fromTimeMs: partition.fromMs,
      toTimeMs: partition.toMs,
      source: partition.sources.join(', '),
    })),
  );
  await createRowsTable(database, { name: 'recordings', fields: RECORDING_FIELDS, rows });
  return { files: [], nothing: rows.length === 0 ? `there are none in ${catalogue}` : null, unreadable };
}

/** Reads the manifests of a catalogue. A folder that can not be read does not hide the others. */
function readRecordings(
  root: string,
  kind: RecordKind | null,
): { readonly recordings: readonly Recording[]; readonly unreadable: readonly string[] } {
  const unreadable: string[] = [];
  const recordings = listFolders(root)
    .filter((key) => kind === null || key.kind === kind)
    .flatMap((key) => {
      try {
        const manifest = readManifest(root, key);
        return manifest === null ? [] : [{ key, manifest }];
      } catch (error) {
        if (!(error instanceof SarrafError) || error.code !== 'DATA_UNUSABLE') throw error;
        unreadable.push(error.message);
        return [];
      }
    });
  return { recordings, unreadable };
}
