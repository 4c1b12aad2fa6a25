import { SarrafError } from '../../domain/errors.ts';
import type { Timeframe } from '../../domain/timeframe.ts';
import type { StageRows, StagedRows } from '../append-outcome.ts';
import { runSql, sqlText, type Database } from '../duckdb.ts';
import { isSlipped } from './bar-checks.ts';
import { widthOf, NO_COLUMN, type ColumnPlaces } from './column-places.ts';
import type { BarPlan } from './detect-timeframe.ts';
import type { ImportTableOptions } from './import-table-options.ts';
import { isCsv } from './open-table.ts';
import type { FileRow, RowFile, ReadProgress } from './open-text.ts';
import { countPlainLines, moneyDigits, timeForm, type TimeForm } from './plain-line.ts';
import { orderOfRows, PLAIN_ROWS, summaryOfRows } from './plain-rows.ts';
import type { TableReader } from './table-reader.ts';

/** The fast way to take in the bars of a CSV file, where they are taken as they are. */
export function stageOf(
  { path, priceFactor = 1, roundsPricesTo = null, onProgress }: ImportTableOptions,
  of: {
    readonly reader: TableReader;
    readonly first: {
      readonly file: RowFile;
      readonly places: ColumnPlaces;
      readonly rows: readonly FileRow[];
    };
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
      timeframe: plan.timeframe,
      totalBytes: file.progress().totalBytes,
      onProgress,
    });
    reader.count = staged?.rows ?? 0;
    return staged;
  };
}

/** A CSV file of candles whose columns and timeframe are known. */
export interface PlainCsv {
  readonly path: string;
  readonly separator: string;
  readonly hasHeader: boolean;
  /** The fields of its first row. */
  readonly firstRow: readonly string[];
  /** Fields that every row has. */
  readonly width: number;
  readonly places: ColumnPlaces;
  readonly timeframe: Timeframe;
  readonly totalBytes: number;
  readonly onProgress: ((rows: number, progress: ReadProgress) => void) | undefined;
}

/** How often the progress is told, of the wall's time. */
const PROGRESS_EVERY_MS = 200;

/** A line of DuckDB at most, and what it reads at a time: by itself it takes 32 MB for each thread. */
const LINE_BYTES = 200_000;
const READ_BYTES = 4_000_000;

/** DuckDB takes a path with one of these for a pattern. */
const PATTERN = /[*?[\]{}]/;

/**
 * Reads a CSV file of candles into the table `given` with DuckDB, about ten times as fast as row by row. Its
 * casts take more than is meant, so each line is held against an expression, too. Answers null where any row
 * is not plain: an unusual number, a time of another form, a bar off its place, a missing field. Such a file
 * has to be read row by row, which knows what to make of each row and names those that are wrong. Files that
 * both can read come out the same.
 */
async function stageCsv(database: Database, csv: PlainCsv): Promise<StagedRows | null> {
  const time = timeForm(csv.firstRow[csv.places.get('time') ?? NO_COLUMN] ?? '');
  if (time === null || PATTERN.test(csv.path)) return null;
  const telling = tellProgress(database, csv);
  try {
    const lines = await readTable(database, csv, time);
    const order = await orderOfRows(database, csv.timeframe);
    if (order.rows === lines && order.wrong === 0 && !isSlipped(order)) {
      await runSql(database, GIVEN, 'number the rows');
      return { ...(await summaryOfRows(database)), isInOrder: order.forward === lines - 1 };
    }
  } catch {
    // Reading row by row meets the same thing again, and says what it is and where.
  } finally {
    clearInterval(telling);
  }
  await runSql(database, `DROP VIEW IF EXISTS given; DROP TABLE IF EXISTS ${PLAIN_ROWS}`, 'begin anew');
  return null;
}

/**
 * Makes the table while each line is looked at, and stops where one is not plain. Answers how many rows the
 * table must have. Throws where it is not whole.
 */
async function readTable(database: Database, csv: PlainCsv, time: TimeForm): Promise<number> {
  const [counted, made] = await Promise.allSettled([
    countPlainLines(csv).then((lines) => {
      if (lines === null) database.connection.interrupt();
      return lines;
    }),
    runSql(database, tableSql(csv, time), `read ${csv.path}`),
  ]);
  if (made.status === 'rejected') throw made.reason;
  if (counted.status === 'fulfilled' && counted.value !== null) return counted.value;
  throw new SarrafError('INVALID_FILE', `expected plain lines in ${csv.path}, found others`);
}

function tellProgress(database: Database, { onProgress, totalBytes }: PlainCsv): NodeJS.Timeout {
  return setInterval(() => {
    const { percentage, rows_processed: rows } = database.connection.progress;
    if (percentage > 0)
      onProgress?.(Number(rows), { readBytes: (totalBytes * percentage) / 100, totalBytes });
  }, PROGRESS_EVERY_MS);
}

const MONEY_FIELDS = ['open', 'high', 'low', 'close', 'volume'] as const;

/** As in a staging table. Rows of a table are numbered as they came. */
const GIVEN = `CREATE VIEW given AS
  SELECT time_ms, ${MONEY_FIELDS.map((name) => `${name}::DECIMAL(38,10) AS ${name}`).join(', ')}, rowid AS seq
  FROM ${PLAIN_ROWS}`;

function tableSql({ path, separator, hasHeader, firstRow, places }: PlainCsv, time: TimeForm): string {
  const types = firstRow.map(() => 'VARCHAR');
  const selected = MONEY_FIELDS.map((field) => {
    const place = places.get(field) ?? NO_COLUMN;
    if (place === NO_COLUMN) return `0::DECIMAL(18,10) AS ${field}`;
    const { whole, decimals } = moneyDigits(firstRow[place] ?? '');
    types[place] = `DECIMAL(${whole + decimals},${decimals})`;
    return `c${place} AS ${field}`;
  });
  const timePlace = places.get('time') ?? NO_COLUMN;
  types[timePlace] = time.type;
  const columns = types.map((type, place) => `c${place}: '${type}'`).join(', ');
  return `
    CREATE TABLE ${PLAIN_ROWS} AS
    SELECT ${time.toMsSql(`c${timePlace}`)} AS time_ms, ${selected.join(', ')}
    FROM read_csv(${sqlText(path)}, auto_detect = false, columns = {${columns}}, header = ${hasHeader},
      delim = ${sqlText(separator)}, quote = '"', escape = '"',
      max_line_size = ${LINE_BYTES}, buffer_size = ${READ_BYTES})`;
}
