import { barStartMs, type Candle, type Resolution } from '../../domain/candle.ts';
import { SarrafError } from '../../domain/errors.ts';
import type { MarketSymbol } from '../../domain/market-symbol.ts';
import type { AppendOutcome } from '../append-outcome.ts';
import type { Catalogue } from '../catalogue.ts';
import type { RecordedTrade } from '../records.ts';
import type { StageRows } from '../staged-rows.ts';
import { BackwardSteps } from './backward-steps.ts';
import { findPlaces, missingColumns, type ColumnPlaces, type Field, type Preset } from './column-places.ts';
import { planBars, type BarPlan } from './detect-resolution.ts';
import type { FileRow, ReadProgress, RowFile } from './file-row.ts';
import type { ImportReport } from './import-report.ts';
import { KnownBars } from './known-bars.ts';
import { openCsv, type CsvFile } from './open-csv.ts';
import { openParquet } from './open-parquet.ts';
import { Rejects } from './rejects.ts';
import { resampledBars, wayToWhole } from './resampled-bars.ts';
import { RowReader, type ReadRow } from './row-reader.ts';
import { stageCsv } from './stage-csv.ts';

/** Rows that the columns and the resolution are found from, and often some more. */
const FIRST_ROWS = 1_000;

export interface ImportTableOptions {
  /** What takes in the rows: all of them, or none. */
  readonly catalogue: Pick<Catalogue, 'appendCandles'> & Partial<Pick<Catalogue, 'appendTrades'>>;
  readonly path: string;
  readonly market: MarketSymbol;
  /** Null: what its columns say. */
  readonly kind: 'candles' | 'trades' | null;
  readonly resolution: Resolution | null;
  /** Whether bars may be put together to the resolution. */
  readonly mayResample: boolean;
  readonly preset: Preset | null;
  readonly columns: ReadonlyMap<Field, string>;
  /** Whether rows that can not be read are left out; else one of them keeps the whole file out. */
  readonly skipBadRows: boolean;
  /** Whether amounts of trades with more than ten decimals are rounded, as volumes are; else they are bad rows. */
  readonly roundsAmounts?: boolean;
  /** The decimals that prices with more are rounded to; null, as without it, leaves them. */
  readonly roundsPricesTo?: number | null;
  /** What prices are multiplied by, such as 10 for rial of toman. */
  readonly priceFactor?: number;
  readonly source: string;
  readonly onProgress?: (rows: number, progress: ReadProgress) => void;
}

/** Stops an append because of rows that can not be read. */
class BadRows extends Error {}

/**
 * Imports a CSV or Parquet file of candles or trades: all of it, or nothing. Throws `INVALID_FILE` where it is none, lacks a column, or can not give what is asked.
 */
export async function importTable(options: ImportTableOptions): Promise<ImportReport> {
  const { path } = options;
  const file = await openTable(path);
  const first = await firstRows(file);
  const places = placesOf(options, file, first.rows);
  const kind = options.kind ?? kindOf(places);
  const missing = missingColumns(places, kind);
  if (missing !== null) throw lacking(options, { kind, missing, file });
  const reader = new TableReader(options, {
    places,
    width: widthOf(file, first.rows),
    parts: joined(first),
    progress: () => file.progress(),
  });
  if (kind === 'trades') return importTrades(options, reader);
  try {
    return await importCandles(options, reader, { file, places, rows: first.rows });
  } finally {
    // Where DuckDB has read the file, nobody has read the rest of it here.
    await first.rest.return?.();
  }
}

async function importCandles(
  options: ImportTableOptions,
  reader: TableReader,
  first: { readonly file: RowFile; readonly places: ColumnPlaces; readonly rows: readonly FileRow[] },
): Promise<ImportReport> {
  const plan = planBars({
    path: options.path,
    timesMs: reader.timesOf(first.rows, options.path),
    wanted: options.resolution,
    mayResample: options.mayResample,
  });
  const { partMs, resolution } = plan;
  const isResampled = partMs !== null;
  const ends = { leftOut: 0 };
  const slips = new BackwardSteps();
  const once = onceEach(plan);
  const rows = reader.rows((each, row) => once(slips.look(aligned(each.candle(row), plan), row.line)));
  const { catalogue, market, source } = options;
  const outcome = await naming(options, reader, () =>
    catalogue.appendCandles({
      market,
      source,
      resolution,
      stage: stageOf(options, { reader, first, plan }),
      candles: partMs === null ? rows : resampledBars(rows, { path: options.path, resolution, partMs, ends }),
    }),
  );
  if (outcome?.kind === 'conflict' && !isResampled) await rejectConflicts(outcome, options, reader);
  const notes = slips.notes();
  if (isResampled) notes.push(`finer bars were put together to bars of ${resolution}`);
  if (partMs !== null && ends.leftOut > 0) {
    notes.push(
      `bars at the ends that the file does not reach over whole were left out (${ends.leftOut}): ${wayToWhole(partMs)}`,
    );
  }
  return report(options, { reader, outcome, kind: 'candles', resolution, notes });
}

/** The fast way to take in the bars of a CSV file, where they are taken as they are. */
function stageOf(
  { path, priceFactor = 1, roundsPricesTo = null, onProgress }: ImportTableOptions,
  of: {
    readonly reader: TableReader;
    readonly first: { readonly file: RowFile; readonly places: ColumnPlaces; readonly rows: readonly FileRow[] };
    readonly plan: BarPlan;
  },
): StageRows {
  const { reader, first, plan } = of;
  const { file, places } = first;
  return async (database) => {
    if (!isCsv(file) || plan.partMs !== null || priceFactor !== 1 || roundsPricesTo !== null) return null;
    const staged = await stageCsv(database, {
      path,
      separator: file.separator,
      hasHeader: file.header !== null,
      firstRow: first.rows[0]?.fields ?? [],
      width: widthOf(file, first.rows),
      places,
      resolution: plan.resolution,
      totalBytes: file.progress().totalBytes,
      onProgress,
    });
    reader.count = staged?.rows ?? 0;
    return staged;
  };
}

async function importTrades(options: ImportTableOptions, reader: TableReader): Promise<ImportReport> {
  const { catalogue, market, source } = options;
  const trades = reader.rows<RecordedTrade>((each, row) => each.trade(row));
  const append = catalogue.appendTrades?.bind(catalogue);
  if (append === undefined) throw new RangeError('expected candles, since nothing takes in trades');
  const outcome = await unlessBad(() => append({ market, source, trades }));
  return report(options, { reader, outcome, kind: 'trades', resolution: null, notes: [] });
}

/** Reads the file once more for the rows that contradict others: which those are is known only when all rows are. */
async function rejectConflicts(
  { count, conflicts }: Extract<AppendOutcome, { readonly kind: 'conflict' }>,
  { path }: ImportTableOptions,
  reader: TableReader,
): Promise<void> {
  const problems = new Map(
    conflicts.map(({ timeMs, isWithin, there }) => [
      timeMs,
      `expected the bar of ${new Date(timeMs).toISOString()} ${isWithin ? 'once, found others for it' : `as it is there, ${there}`}`,
    ]),
  );
  const file = await openTable(path);
  await reader.rejectAt(file.parts, problems);
  reader.rejects.addUntold(count - conflicts.length);
}

const openTable = (path: string): ReturnType<typeof openParquet> =>
  path.endsWith('.parquet') ? openParquet(path) : openCsv(path);

const isCsv = (file: RowFile): file is CsvFile => 'separator' in file;

/** Names the row of a bar that does not fit those of the others, once more read for its time. */
async function naming(
  { path }: ImportTableOptions,
  reader: TableReader,
  append: () => Promise<AppendOutcome>,
): Promise<AppendOutcome | null> {
  try {
    return await unlessBad(append);
  } catch (error) {
    const openTimeMs = error instanceof SarrafError && error.code === 'TOO_LARGE' ? error.details['openTimeMs'] : null;
    if (!(error instanceof SarrafError) || typeof openTimeMs !== 'number') throw error;
    const line = await reader.lineAt((await openTable(path)).parts, openTimeMs);
    const at = line === null ? path : `${path}:${line}`;
    throw new SarrafError('TOO_LARGE', `${at}: ${error.message}`, { cause: error });
  }
}

async function unlessBad(append: () => Promise<AppendOutcome>): Promise<AppendOutcome | null> {
  try {
    return await append();
  } catch (error) {
    if (error instanceof BadRows) return null;
    throw error;
  }
}

function report(
  { path, market }: ImportTableOptions,
  of: {
    readonly reader: TableReader;
    readonly outcome: AppendOutcome | null;
    readonly kind: 'candles' | 'trades';
    readonly resolution: string | null;
    readonly notes: readonly string[];
  },
): ImportReport {
  const { reader, outcome, kind, resolution, notes } = of;
  const result = outcome === null ? 'bad-rows' : outcome.kind === 'conflict' ? 'conflict' : 'imported';
  return {
    file: path,
    market,
    result,
    rows: reader.count,
    parts: outcome === null ? [] : [{ kind, resolution, outcome }],
    rejects: reader.rejects,
    firstBad: result === 'imported' ? null : (reader.rejects.kept.at(result === 'conflict' ? reader.bad : 0) ?? null),
    notes: [
      ...notes,
      ...(reader.rounded === 0 ? [] : [`${reader.rounded} volumes or amounts were rounded to ten decimals`]),
      ...(reader.roundedPrices === 0 ? [] : [`${reader.roundedPrices} prices were rounded`]),
    ],
  };
}

/** Reads rows in parts, sets the bad ones aside, and ends with `BadRows` where they are not to be left out. */
class TableReader {
  count = 0;
  /** Rows that can not be read, which come before those that contradict others among the rejects. */
  bad = 0;
  rounded = 0;
  roundedPrices = 0;
  readonly rejects = new Rejects();
  private readonly options: ImportTableOptions;
  private readonly from: {
    readonly places: ColumnPlaces;
    readonly width: number;
    readonly parts: AsyncIterable<readonly FileRow[]>;
    readonly progress: () => ReadProgress;
  };

  constructor(options: ImportTableOptions, from: TableReader['from']) {
    this.options = options;
    this.from = from;
  }

  private rowReader(): RowReader {
    const { path, roundsAmounts = false, roundsPricesTo = null, priceFactor = 1 } = this.options;
    const { places, width } = this.from;
    return new RowReader({ path, places, width, roundsAmounts, roundsPricesTo, priceFactor });
  }

  /** The times of some rows, as far as they can be read. Throws `INVALID_FILE` where that is none. */
  timesOf(rows: readonly FileRow[], path: string): number[] {
    const reader = this.rowReader();
    const read = rows.map((row) => ({ line: row.line, time: reader.timeOf(row) }));
    const times = read.flatMap(({ time }) => ('row' in time ? [time.row] : []));
    const [first] = read.flatMap(({ line, time }) => ('problem' in time ? [{ line, problem: time.problem }] : []));
    if (times.length > 0 || first === undefined) return times;
    throw new SarrafError(
      'INVALID_FILE',
      `${path}:${first.line}: ${first.problem}, and no other row has one either: say which column it is with --columns time=NAME, or write times that can be read`,
    );
  }

  /** Rejects the rows that have one of these times. */
  async rejectAt(parts: AsyncIterable<readonly FileRow[]>, problems: ReadonlyMap<number, string>): Promise<void> {
    const reader = this.rowReader();
    for await (const part of parts) {
      for (const row of part) {
        const time = reader.timeOf(row);
        const problem = 'row' in time ? problems.get(time.row) : undefined;
        if (problem !== undefined) this.rejects.add({ line: row.line, problem, text: row.fields.join(',') });
      }
    }
  }

  /** The line of the row with a time; null where none has it. */
  async lineAt(parts: AsyncIterable<readonly FileRow[]>, timeMs: number): Promise<number | null> {
    const reader = this.rowReader();
    for await (const part of parts) {
      for (const row of part) {
        const time = reader.timeOf(row);
        if ('row' in time && time.row === timeMs) return row.line;
      }
    }
    return null;
  }

  /** What `read` makes of each row; null for one that is to be left out without a word. */
  async *rows<Row>(read: (reader: RowReader, row: FileRow) => ReadRow<Row> | null): AsyncGenerator<readonly Row[]> {
    const { skipBadRows, onProgress } = this.options;
    const reader = this.rowReader();
    for await (const part of this.from.parts) {
      const good: Row[] = [];
      for (const row of part) {
        const result = read(reader, row);
        if (result === null) continue;
        if ('row' in result) good.push(result.row);
        else {
          this.bad += 1;
          this.rejects.add({ line: row.line, problem: result.problem, text: row.fields.join(',') });
        }
      }
      this.count += part.length;
      onProgress?.(this.count, this.from.progress());
      if (good.length > 0) yield good;
    }
    this.rounded = reader.rounded;
    this.roundedPrices = reader.roundedPrices;
    if (this.rejects.count > 0 && !skipBadRows) throw new BadRows();
  }
}

/** A bar that does not begin where bars of its resolution do is one of another time zone, or none. */
function aligned(read: ReadRow<Candle>, { resolution, partMs }: BarPlan): ReadRow<Candle> {
  if ('problem' in read || partMs !== null || barStartMs(read.row.openTimeMs, resolution) === read.row.openTimeMs)
    return read;
  const found = new Date(read.row.openTimeMs).toISOString();
  return { problem: `expected a bar that begins where bars of ${resolution} do in UTC, found ${found}` };
}

/** Bars that are put together count once each: the same one again is left out (null), and another for its time is a bad row. Those that are not are looked at where they go. */
function onceEach({ partMs }: BarPlan): (read: ReadRow<Candle>) => ReadRow<Candle> | null {
  if (partMs === null) return (read) => read;
  const known = new KnownBars(partMs);
  return (read) => {
    const found = 'row' in read ? known.take(read.row) : 'new';
    if (found === 'new' || 'problem' in read) return read;
    if (found === 'same') return null;
    return {
      problem: `expected the bar of ${new Date(read.row.openTimeMs).toISOString()} once, found another for it before`,
    };
  };
}

interface FirstRows {
  readonly rows: readonly FileRow[];
  readonly rest: AsyncIterator<readonly FileRow[]>;
}

async function firstRows(file: RowFile): Promise<FirstRows> {
  const rest = file.parts[Symbol.asyncIterator]();
  const rows: FileRow[] = [];
  while (rows.length < FIRST_ROWS) {
    const { done, value } = await rest.next();
    if (done === true) break;
    rows.push(...value);
  }
  return { rows, rest };
}

async function* joined({ rows, rest }: FirstRows): AsyncGenerator<readonly FileRow[]> {
  yield rows;
  for (;;) {
    const { done, value } = await rest.next();
    if (done === true) return;
    yield value;
  }
}

function placesOf(options: ImportTableOptions, file: RowFile, rows: readonly FileRow[]): ColumnPlaces {
  const [first] = rows;
  if (first === undefined) {
    throw new SarrafError('INVALID_FILE', `expected rows in ${options.path}, found none`);
  }
  const { path, preset, columns } = options;
  return findPlaces({ path, header: file.header, firstRow: first.fields, preset, columns });
}

/** Titles that a line ends in with nothing, as some programs write, are none. */
function widthOf({ header }: RowFile, rows: readonly FileRow[]): number {
  const fields = header ?? rows[0]?.fields ?? [];
  return fields.findLastIndex((field) => field !== '') + 1;
}

/** What a file holds by its columns: where it lacks some for both, that of which it has more. */
function kindOf(places: ColumnPlaces): 'candles' | 'trades' {
  const [candles, trades] = (['candles', 'trades'] as const).map(
    (kind) => missingColumns(places, kind)?.split(',').length ?? 0,
  );
  if (candles === 0 || trades === 0) return candles === 0 ? 'candles' : 'trades';
  const hasBarPrice = (['open', 'high', 'low', 'close'] as const).some((field) => places.has(field));
  return hasBarPrice && !places.has('price') ? 'candles' : 'trades';
}

function lacking(
  { path }: ImportTableOptions,
  what: { readonly kind: string; readonly missing: string; readonly file: RowFile },
): SarrafError {
  const { kind, missing, file } = what;
  const found = file.header === null ? 'columns without titles' : `the columns ${file.header.join(', ')}`;
  return new SarrafError(
    'INVALID_FILE',
    `expected a column for ${missing} of ${kind} in ${path}, found ${found}: say which it is, such as --columns ${missing.split(',')[0]}=NAME`,
  );
}
