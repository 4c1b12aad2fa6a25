import { mkdirSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { anchorIn, anchorText, gridAt, isSameGrid, type BarAnchors } from '../domain/candle.ts';
import { SarrafError, dataUnusable, tooLarge } from '../domain/errors.ts';
import {
  type AppendOutcome,
  type StagedRows,
  type StageRows,
  countNew,
  createViews,
  findNew,
  persistAll,
  StagingTable,
} from './staging-table.ts';
import { syncFolder, SPILL_FOLDER, checksum, syncFile } from './durable-file.ts';
import { openDatabase, type Database, queryRows, sqlFiles, runSql, sqlText } from './duckdb.ts';
import { folderPath, folderTitle, type FolderKey, type TimeRange } from './records.ts';
import {
  anchorsOf,
  createManifest,
  withRange,
  writeManifest,
  type Manifest,
  type Partition,
  removeLeftOvers,
} from './manifest.ts';
import { type RowDecimals, type TableShape, inPartitionSql } from './table-shape.ts';
import { columnScale } from '../domain/candle-columns.ts';
import { SURE_DIGITS } from '../domain/decimal-text.ts';
import { formatUnits, parseUnits, UNITS_PER_ONE, type Units } from '../domain/money.ts';

/** Locks the file at a path, or throws `DATA_UNUSABLE`; injected, since locks are the machine's. */
export type LockFile = (path: string) => Disposable;

/** Rows in parts as they arrive, so that a large file is never in memory as a whole. */
export type RowParts<Row> = Iterable<readonly Row[]> | AsyncIterable<readonly Row[]>;

interface AppendOptions<Row> {
  readonly root: string;
  readonly key: FolderKey;
  readonly shape: TableShape<Row>;
  readonly lockFile: LockFile;
  /** Origin of the rows, for the manifest. */
  readonly source: string;
  readonly rows: RowParts<Row>;
  /** Faster way to load the same rows, which is tried first. */
  readonly stage?: StageRows | null;
  /** Name of a recorder's segment. Its rows count as new, and it is appended only once. */
  readonly segment?: string;
  /** Start of candles, and of longer ones of the market; default: found from the candles. */
  readonly anchors?: BarAnchors;
  /** Time range that was requested completely. */
  readonly covered?: TimeRange;
  /** Time ranges in which rows may be missing. */
  readonly gaps?: readonly TimeRange[];
  /** Called when all is written, before it takes effect; false leaves the folder unchanged. */
  readonly confirm?: () => Promise<boolean>;
  /** Writes state for a later file to continue from, under its own name; called after the last row. */
  readonly writeTail?: (folder: string, generation: number) => Promise<Manifest['tail']>;
}

/**
 * Limits for candles, which often come a million in a file: rows are narrow, and rows in order are merged
 * without a sort. A second thread would take 30 MB and have little to do.
 */
const CANDLE_LIMITS = { memoryLimitMb: 160, threads: 1 } as const;

/** Maximum number of finalized segments that a manifest names; far fewer can be left behind. */
const MOST_FINALIZED = 500;
/** Maximum number of gaps that a manifest names; older ones are dropped. */
const MOST_GAPS = 10_000;

/**
 * Appends rows to a folder, merged by time with the existing rows, all or none. They take effect with one
 * rename of the manifest; a crash before it leaves the folder unchanged, except for files that the next
 * writer removes. Throws `DATA_UNUSABLE` if another process writes to the folder, and for candles on another
 * grid than the existing ones; `TOO_LARGE` for candles that could not be read again.
 */
export async function appendRows<Row>(options: AppendOptions<Row>): Promise<AppendOutcome> {
  const { root, key, lockFile } = options;
  const folder = folderPath(root, key);
  mkdirSync(folder, { recursive: true });
  using _lock = lockFile(join(folder, '.lock'));
  const manifest = createManifest(root, key);
  removeLeftOvers(folder, manifest);
  if (options.segment !== undefined && manifest.sealed.includes(options.segment))
    return { kind: 'added', added: 0, known: 0, fromMs: null, toMs: null };
  const temporaryFolder = join(folder, SPILL_FOLDER);
  using opened = new DisposableStack();
  opened.defer(() => removeLeftOvers(folder, createManifest(root, key)));
  const limits = key.kind === 'candles' ? CANDLE_LIMITS : {};
  const database = opened.use(await openDatabase({ temporaryFolder, ...limits }));
  return await merge(database, manifest, options);
}

async function merge<Row>(
  database: Database,
  manifest: Manifest,
  options: AppendOptions<Row>,
): Promise<AppendOutcome> {
  const { root, key, shape, rows, segment } = options;
  const folder = folderPath(root, key);
  refuseOther(manifest, options);
  const staged = (await options.stage?.(database)) ?? (await stageRows(database, shape, rows));
  const there = manifest.partitions.filter(({ name }) => staged.decimals.has(name));
  await createViews(database, { shape, folder, there });
  // Counting copies sorts by other columns, and a join may change the order.
  const isInOrder = staged.isInOrder && shape.copySql === null && there.length === 0;
  if (segment !== undefined) await persistAll(database);
  else {
    const conflict = await findNew(database, {
      areDistinct: staged.isInOrder && shape.keySql === shape.timeSql,
      isFresh: there.length === 0,
    });
    if (conflict !== null) return conflict;
    // Rows of a recorder are kept in any case: they cannot be recorded again.
    if (key.kind === 'candles') await checkFit(database, root, key, manifest, staged.decimals.values());
  }
  const news = await countNew(database, shape);
  const partitions = await writePartitions(database, manifest, options, staged.decimals, news, isInOrder);
  const generation = manifest.generation + 1;
  const tail = (await options.writeTail?.(folder, generation)) ?? manifest.tail;
  if (options.confirm !== undefined && !(await options.confirm())) return { kind: 'abandoned' };
  syncFolder(folder);
  writeManifest(root, key, { ...noted(manifest, options), generation, partitions, tail });
  const added = [...news.values()].reduce((sum, count) => sum + count, 0);
  const isEmpty = staged.rows === 0;
  return {
    kind: 'added',
    added,
    known: staged.rows - added,
    fromMs: isEmpty ? null : staged.fromMs,
    toMs: isEmpty ? null : staged.toMs,
  };
}

async function stageRows<Row>(
  database: Database,
  shape: TableShape<Row>,
  rows: RowParts<Row>,
): Promise<StagedRows> {
  const staging = await StagingTable.create(database, shape);
  for await (const part of rows) staging.add(part);
  staging.finish();
  return staging;
}

/** Throws `DATA_UNUSABLE` for candles on another grid: two in a folder look like gaps and extra bars. */
function refuseOther<Row>(manifest: Manifest, { root, key, anchors }: AppendOptions<Row>): void {
  if (key.kind !== 'candles' || anchors === undefined || manifest.partitions.length === 0) return;
  const { timeframe } = key;
  const [there, given] = [anchorIn(anchorsOf(manifest, timeframe), timeframe), anchorIn(anchors, timeframe)];
  const grid = gridAt(timeframe, given);
  if (isSameGrid(gridAt(timeframe, there), grid)) return;
  // Existing candles may not have shown their time zone yet.
  const ends = manifest.partitions.flatMap(({ fromMs, toMs }) => [fromMs, toMs]);
  if (ends.every((timeMs) => grid.isStart(timeMs))) return;
  throw dataUnusable(
    `expected candles of ${folderTitle(key)} that begin as those in ${root} do, at ${anchorText(there)}, found some that begin at ${anchorText(given)}: take another --catalogue for them, or move that folder away`,
  );
}

function noted<Row>(
  manifest: Manifest,
  { covered, gaps = [], segment, anchors }: AppendOptions<Row>,
): Manifest {
  return {
    ...manifest,
    ...(anchors === undefined ? {} : { anchors: { ...manifest.anchors, ...anchors } }),
    covered: covered === undefined ? manifest.covered : withRange(manifest.covered, covered),
    gaps: [...manifest.gaps, ...gaps].slice(-MOST_GAPS),
    sealed: [...manifest.sealed, ...(segment === undefined ? [] : [segment])].slice(-MOST_FINALIZED),
  };
}

async function writePartitions<Row>(
  database: Database,
  manifest: Manifest,
  options: AppendOptions<Row>,
  decimals: ReadonlyMap<string, RowDecimals>,
  news: ReadonlyMap<string, number>,
  isInOrder: boolean,
): Promise<Partition[]> {
  const { root, key, shape, source } = options;
  const byName = new Map(manifest.partitions.map((partition) => [partition.name, partition]));
  for (const name of news.keys()) {
    const found = decimals.get(name);
    if (found === undefined)
      throw new SarrafError('INVARIANT', `expected rows for the partition ${name}, found none`);
    const written = await writePartition(database, {
      shape,
      folder: folderPath(root, key),
      name,
      generation: manifest.generation + 1,
      before: byName.get(name) ?? null,
      source,
      decimals: found,
      isInOrder,
    });
    byName.set(name, written);
  }
  return [...byName.values()].toSorted((left, right) => left.fromMs - right.fromMs);
}

/** Largest number that is counted exactly, in steps of the last decimal. */
const MOST_STEPS = BigInt(Number.MAX_SAFE_INTEGER);

/**
 * Throws `TOO_LARGE` if the prices in the table `added` and the existing ones do not fit together. Candles
 * are read into columns of whole numbers that share the decimals of the most precise one, so one row with
 * many decimals could make a folder unreadable. Volumes are rounded when they are read.
 */
async function checkFit(
  database: Database,
  root: string,
  key: FolderKey,
  manifest: Manifest,
  decimals: Iterable<RowDecimals>,
): Promise<void> {
  const before = Math.max(0, ...manifest.partitions.map(({ priceDecimals }) => priceDecimals));
  const after = Math.max(before, ...[...decimals].map(({ price }) => price));
  const files =
    after > before ? manifest.partitions.map(({ file }) => join(folderPath(root, key), file)) : [];
  const sources = ['added', ...(files.length === 0 ? [] : [`read_parquet(${sqlFiles(files)})`])];
  for (const source of sources) {
    const sql = `SELECT coalesce(max(high), 0)::VARCHAR FROM ${source}`;
    const [row] = await queryRows(database, sql, 'look for the largest price');
    const price = parseUnits(typeof row?.[0] === 'string' ? row[0] : '0');
    if (price / columnScale(after) <= MOST_STEPS) continue;
    // The advice names the decimals for which the largest price leaves room.
    throw tooLarge(
      `expected candles of ${folderTitle(key)} that fit columns of 15 digits, found a price of ${formatUnits(price)} and one with ${after} decimals: round them with --round-prices ${Math.max(0, SURE_DIGITS - String(price / UNITS_PER_ONE).length)}`,
      { details: { openTimeMs: await misfitMs(database, { source, price, after, before }) } },
    );
  }
}

/**
 * Returns the open time of the new bar that does not fit: the first with the finest price, or that with the
 * largest price. Null if both are existing bars.
 */
async function misfitMs(
  database: Database,
  of: { readonly source: string; readonly price: Units; readonly after: number; readonly before: number },
): Promise<number | null> {
  const { source, price, after, before } = of;
  const step = formatUnits(columnScale(after) * 10n);
  const isFinest = ['open', 'high', 'low', 'close'].map((name) => `${name} % ${step} <> 0`).join(' OR ');
  const condition = after > before ? isFinest : `high = ${formatUnits(price)}`;
  const from = after > before ? 'added' : source;
  const sql = `SELECT min(at_ms) FROM ${from} WHERE ${condition}`;
  const [row] = from === 'added' ? await queryRows(database, sql, 'look for the bar that does not fit') : [];
  return row?.[0] === undefined || row[0] === null ? null : Number(row[0]);
}

/** Rows of one group inside a file; a reader unpacks a group as a whole. */
const GROUP_ROWS = 61_440;

interface WritePartitionOptions<Row> {
  readonly shape: TableShape<Row>;
  readonly folder: string;
  readonly name: string;
  readonly generation: number;
  /** Current partition; null if there is none. */
  readonly before: Partition | null;
  readonly source: string;
  readonly decimals: RowDecimals;
  /** True if the rows of `added` are in order of time. */
  readonly isInOrder: boolean;
}

/**
 * Writes the rows of the table `added` that belong to a partition, together with its existing rows, to a new
 * file: first under a temporary name, flushed to the disk, then renamed. The old file stays until the
 * manifest names the new one.
 */
async function writePartition<Row>(
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

/** Maximum number of sources that a partition names; older ones are dropped. */
const MOST_SOURCES = 50;
