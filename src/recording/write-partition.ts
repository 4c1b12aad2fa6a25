import { renameSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { checksum, syncFile } from './durable-file.ts';
import { queryRows, runSql, sqlFiles, sqlText, type Database } from './duckdb.ts';
import type { Partition } from './manifest.ts';
import { inPartitionSql, type RowDecimals, type TableShape } from './table-shape.ts';

/** Rows of one group inside a file: a reader unpacks them together. */
const GROUP_ROWS = 61_440;

export interface WritePartitionOptions<Row> {
  readonly shape: TableShape<Row>;
  readonly folder: string;
  readonly name: string;
  readonly generation: number;
  /** The partition as it is now; null where there is none. */
  readonly before: Partition | null;
  readonly source: string;
  readonly decimals: RowDecimals;
  /** True if the rows of `added` lie in the order of time. */
  readonly isInOrder: boolean;
}

/**
 * Writes the rows of the table `added` that belong to a partition, with those that it has already, to a new
 * file: under a temporary name, to the disk, then under its own. The old file stays until the manifest names
 * the new one.
 */
export async function writePartition<Row>(
  database: Database,
  options: WritePartitionOptions<Row>,
): Promise<Partition> {
  const { shape, folder, name, generation, before, source, decimals, isInOrder } = options;
  const file = `${name}.${generation}.parquet`;
  const draft = join(folder, `${file}.tmp`);
  const columns = shape.columns.map((column) => column.name).join(', ');
  const old =
    before === null
      ? ''
      : `SELECT ${columns}, 0 AS origin, file_row_number AS seq
         FROM read_parquet(${sqlFiles([join(folder, before.file)])}, file_row_number = true) UNION ALL`;
  const rows = `${old} SELECT ${columns}, 1 AS origin, seq FROM added WHERE ${inPartitionSql('at_ms', name)}`;
  const order = isInOrder && before === null ? '' : `ORDER BY ${shape.timeSql}, ${shape.tieSql}, origin, seq`;
  await runSql(
    database,
    `COPY (SELECT ${columns} FROM (${rows}) ${order})
     TO ${sqlText(draft)} (FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE ${GROUP_ROWS})`,
    `write ${draft}`,
  );
  syncFile(draft);
  const [summary = []] = await queryRows(
    database,
    `SELECT count(*), min(${shape.timeSql}), max(${shape.timeSql}) FROM read_parquet(${sqlFiles([draft])})`,
    `read ${draft}`,
  );
  const sha256 = await checksum(draft);
  const { size } = statSync(draft);
  renameSync(draft, join(folder, file));
  return {
    name,
    file,
    rows: Number(summary[0]),
    bytes: size,
    sha256,
    fromMs: Number(summary[1]),
    toMs: Number(summary[2]),
    priceDecimals: Math.max(before?.priceDecimals ?? 0, decimals.price),
    amountDecimals: Math.max(before?.amountDecimals ?? 0, decimals.amount),
    sources: [...new Set([...(before?.sources ?? []), source])].slice(-MOST_SOURCES),
  };
}

/** Sources that a partition names: the last ones. */
const MOST_SOURCES = 50;
