import { countText } from '../../domain/money.ts';
import { Command, Option } from 'commander';
import { closing } from '../../domain/closing.ts';
import { asWholeFile } from '../../recording/durable-file.ts';
import {
  openQuery,
  type OpenQuery,
  resultRows,
  type ResultColumn,
  type ResultRow,
  type ResultRows,
} from '../../query/open-query.ts';
import { VIEW_NAMES, VIEWS } from '../../query/views.ts';
import { usualCatalogue } from '../../daemon/open-catalogue.ts';
import { isOutputGone } from '../../daemon/standard-output.ts';
import { failed, wrongInput, asCommand } from '../command-error.ts';
import { endSignal } from '../end-signal.ts';
import { dataOption, integerOption, refuseExisting, type DataFolderOptions } from '../option-readers.ts';
import { csvLine } from '../../domain/csv.ts';
import { print, tableLines } from '../table.ts';
import { once } from 'node:events';

const FORMATS = ['table', 'csv', 'json', 'parquet'] as const;

type Format = (typeof FORMATS)[number];

interface Options extends DataFolderOptions {
  readonly catalogue: string;
  readonly format?: Format;
  readonly out?: string;
  readonly rows: number;
}

interface Question {
  readonly sql: string;
  readonly options: Options;
  /** File that is written; null if the result is printed. */
  readonly draft: string | null;
  readonly signal: AbortSignal;
}

interface Printed {
  readonly sql: string;
  readonly format: Format;
  readonly rows: number;
}

const USUAL_ROWS = 50;
const MOST_ROWS = 10_000;

const EXAMPLES = `
Without a query it lists the views and their columns. Only one SELECT is run, and it reads nothing
but the views. Money is DECIMAL(38,10), times are UTC. docs/sql.md explains it.
Exit codes: 0 well, 1 some data could not be read, 2 the query or an option is wrong.

Examples:
  sarraf sql
  sarraf sql "select market, timeframe, count(*) from candles group by all"
  sarraf sql "select run, profit, sharpe, max_drawdown from runs order by sharpe desc"
  sarraf sql "select params->>'fast' as fast, avg(sharpe) from trials group by all order by 1"
  sarraf sql "select * from fills where run like '%ma-cross%'" --format csv
  sarraf sql "from trials" --out trials.parquet`;

export function sqlCommand(): Command {
  return new Command('sql')
    .description('Runs a SQL query on recordings, stored backtests and studies, by DuckDB, read only.')
    .argument('[query]', 'one SELECT')
    .option('--catalogue <folder>', 'folder of the recordings', usualCatalogue())
    .addOption(dataOption('data folder, with the runs and the studies'))
    .addOption(new Option('--format <format>', 'how the result is written (default: table)').choices(FORMATS))
    .option('--out <file>', 'writes the result to a Parquet file that is not there yet')
    .option('--rows <number>', 'rows that a table shows at most', integerOption(1, MOST_ROWS), USUAL_ROWS)
    .option('--json', 'prints JSON, as --format json')
    .addHelpText('after', EXAMPLES)
    .action(
      asCommand(async (query: string | undefined, options: Options) =>
        query === undefined ? listViews(options) : ask(query, options),
      ),
    );
}

function listViews(options: Options): void {
  if (options.out !== undefined) throw wrongInput('expected a query with --out, was none');
  const views = VIEW_NAMES.map((name) => ({ name, ...VIEWS[name] }));
  print(options.format === 'json' ? { json: true } : options, { views }, () =>
    views.flatMap(({ name, about, columns }) => [
      `${name}: ${about}`,
      ...columns.map((column) => `  ${column.name.padEnd(26)}${column.sqlType}`),
    ]),
  );
}

function formatOf({ format, out, json }: Options): Format {
  if (json === true && format !== undefined && format !== 'json')
    throw wrongInput(`expected --json or --format ${format}, were both`);
  if (out !== undefined) {
    if (json === true || (format !== undefined && format !== 'parquet'))
      throw wrongInput('expected --format parquet with --out: redirect other formats with ">"');
    return 'parquet';
  }
  if (format === 'parquet')
    throw wrongInput('expected --out with --format parquet, such as --out result.parquet');
  return json === true ? 'json' : (format ?? 'table');
}

async function ask(sql: string, options: Options): Promise<void> {
  const format = formatOf(options);
  const { out } = options;
  if (out !== undefined) refuseExisting(out);
  using end = endSignal();
  let isUnread = false;
  const onOutputError = (error: Error): void => {
    isUnread ||= isOutputGone(error);
  };
  process.stdout.on('error', onOutputError);
  const question = { sql, options, signal: end.signal };
  try {
    if (out === undefined)
      await withQuery({ ...question, draft: null }, (query) =>
        printQuery(query, { sql, format, rows: options.rows }),
      );
    else {
      const write = (draft: string): Promise<number> =>
        withQuery({ ...question, draft }, (query) => query.writeParquet());
      const written = await asWholeFile(out, write, () => refuseExisting(out));
      console.log(`${out}: ${countText(written, 'row')}`);
    }
  } catch (error) {
    if (!end.signal.aborted) throw error;
    // The output has no reader any more, as after `| head`.
    if (isUnread) return;
    throw failed('stopped by a signal before the end of the query');
  } finally {
    process.stdout.off('error', onOutputError);
  }
}

async function printQuery(query: OpenQuery, { sql, format, rows }: Printed): Promise<void> {
  const result = await resultRows(query, sql);
  if (format === 'csv') await writeCsvRows(result);
  else if (format === 'json') await writeJsonRows(result);
  else await printTable(result, rows);
}

/** Runs a query. Missing parts are reported after the result and make the command fail. */
async function withQuery<Value>(
  { sql, options, draft, signal }: Question,
  run: (query: OpenQuery) => Promise<Value>,
): Promise<Value> {
  const { catalogue, data } = options;
  using query = closing(await openQuery({ sql, places: { catalogue, data }, draft, signal }));
  const value = await run(query);
  for (const note of query.notes) console.error(note);
  if (query.unreadable.length > 0) throw failed(query.unreadable.join('\n'));
  return value;
}

/** Widest cell of a table, in characters; a longer one is cut. */
const WIDEST_CELL = 80;
// Control characters, which could steer a terminal.
const UNPRINTABLE = /\p{C}/gu;

/** Writes all rows as CSV by RFC 4180, the titles first. NULL is an empty field. */
async function writeCsvRows({ columns, parts }: ResultRows): Promise<void> {
  const out = new OutputWriter();
  await out.write(csvLine(columns.map(({ name }) => name)));
  // The first rows are shown at once.
  await out.flush();
  for await (const rows of parts) {
    await out.write(csvLines(columns, rows));
    await out.flush();
    if (out.isGone) return;
  }
}

function csvLines(columns: readonly ResultColumn[], rows: Iterable<ResultRow>): string {
  const cell = (row: ResultRow, index: number): string | null => {
    const value = row[index] ?? null;
    return value === null ? null : (columns[index]?.text(value) ?? null);
  };
  let lines = '';
  for (const row of rows) lines += csvLine(columns.map((_, index) => cell(row, index)));
  return lines;
}

/** Writes all rows as one JSON array, one row on a line. */
async function writeJsonRows({ columns, parts }: ResultRows): Promise<void> {
  const out = new OutputWriter();
  const names = columns.map(({ name }) => JSON.stringify(name));
  let before = '[\n';
  for await (const rows of parts) {
    let text = '';
    for (const row of rows) {
      const entries = columns.map(({ json }, index) => `${names[index] ?? ''}:${json(row[index] ?? null)}`);
      text += `${before}{${entries.join(',')}}`;
      before = ',\n';
    }
    await out.write(text);
    await out.flush();
    if (out.isGone) return;
  }
  await out.write(before === '[\n' ? '[]\n' : '\n]\n');
  await out.flush();
}

/** Prints the first rows as a table, and whether there are more. */
async function printTable({ columns, parts }: ResultRows, most: number): Promise<void> {
  const shown: ResultRow[] = [];
  for await (const rows of parts) {
    for (const row of rows) {
      shown.push(row);
      if (shown.length > most) break;
    }
    if (shown.length > most) break;
  }
  const hasMore = shown.length > most;
  const rows = shown
    .slice(0, most)
    .map((row) =>
      columns.map(({ text }, index) => tableCell(row[index] === null ? 'null' : text(row[index] ?? null))),
    );
  const titles = columns.map(({ name, isNumber }: ResultColumn) => ({
    title: tableCell(name),
    ...(isNumber ? { align: 'right' as const } : {}),
  }));
  const count = countText(rows.length, 'row');
  const end = hasMore ? `the first ${count}: --rows shows more, --format csv all` : count;
  console.log([...tableLines(titles, rows), '', end].join('\n'));
}

function tableCell(text: string): string {
  const plain = text.replaceAll(UNPRINTABLE, ' ');
  return plain.length <= WIDEST_CELL ? plain : `${plain.slice(0, WIDEST_CELL - 1)}…`;
}

/** Characters of text that are written at once. */
const PIECE_CHARACTERS = 65_536;

/** Writes a long text to the standard output, no faster than its reader reads it. */
class OutputWriter {
  #pending = '';
  #isGone = false;

  /** True if the output has lost its reader, as after `| head`: there is nobody to continue for. */
  get isGone(): boolean {
    return this.#isGone;
  }

  async write(text: string): Promise<void> {
    this.#pending += text;
    if (this.#pending.length >= PIECE_CHARACTERS) await this.flush();
  }

  async flush(): Promise<void> {
    const piece = this.#pending;
    this.#pending = '';
    if (piece === '' || this.#isGone) return;
    process.stdout.write(piece);
    if (!process.stdout.writableNeedDrain) return;
    try {
      await once(process.stdout, 'drain');
    } catch (error) {
      if (!isOutputGone(error)) throw error;
      this.#isGone = true;
    }
  }
}
