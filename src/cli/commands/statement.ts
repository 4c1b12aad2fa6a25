import { chmodSync, rmSync, closeSync, openSync, writeSync } from 'node:fs';
import { disposable } from '../../domain/closing.ts';
import { extname, resolve } from 'node:path';
import { Command, Option } from 'commander';
import { isoText } from '../../domain/time-text.ts';
import { readStatementRows, type StatementRows } from '../../mirror/read-statement-rows.ts';
import { makeStatement, type Statement } from '../../portfolio/make-statement.ts';
import { COST_METHODS, type CostMethod } from '../../portfolio/profit-books.ts';
import {
  type StatementLine,
  MOVEMENT_KINDS,
  type StatementTotals,
  type BalanceTotals,
  type RealisedTotals,
} from '../../portfolio/statement-line.ts';
import { copyParquet } from '../../query/write-tables.ts';
import { asWholeFile } from '../../recording/durable-file.ts';
import { asCommand, failed, wrongInput } from '../command-error.ts';
import { mirrorPathOf } from '../../mirror/mirror-path.ts';
import { refuseExisting, dataOption, type DataFolderOptions } from '../option-readers.ts';
import {
  statementColumns,
  unitOf,
  type StatementColumn,
  statementNotes,
  type StatementNote,
} from '../statement/statement-notes.ts';
import {
  CALENDARS,
  monthReader,
  readPeriod,
  type ReadPeriod,
  type WantedPeriod,
  sourceOf,
} from '../statement/statement-period.ts';
import { countText, formatUnits, groupedText, UNITS_PER_ONE } from '../../domain/money.ts';
import { openDatabase, sqlText } from '../../recording/duckdb.ts';
import { SQL_TYPES } from '../../recording/table-shape.ts';
import { sqlName } from '../../query/views.ts';
import { csvLine } from '../../domain/csv.ts';
import { print, tableLines, type TableColumn } from '../table.ts';

interface Options extends WantedPeriod, DataFolderOptions {
  readonly method?: CostMethod;
  readonly mirror?: string;
  readonly out?: string;
}

const HELP = `
It reads the mirror alone, also while the bot runs, and asks the exchange for nothing. Days are those of
Tehran. Without a year it is the Jalali year of today. docs/statement.md says what it can not know.
Exit codes: 0 well; 1 it does not balance, is not whole, or no mirror can be read; 2 an option is wrong,
or the mirror has nothing of that time.

Examples:
  sarraf statement --year 1405
  sarraf statement --year 1405 --out 1405.csv
  sarraf statement --from 2026-03-21 --to 2026-09-22 --method fifo --out half.parquet --json`;

async function statement(options: Options, isDataWritten: boolean): Promise<void> {
  const { out } = options;
  if (options.mirror !== undefined && isDataWritten)
    throw wrongInput('expected --mirror or --data, were both: the one is a file, the other its folder');
  const period = readPeriod(options, Date.now());
  const shown = out === undefined ? read(options, period, () => {}) : await write(options, period, out);
  const json = { ...statementJson(shown), out: out ?? null };
  print(options, json, () => [...statementText(shown), ...(out === undefined ? [] : ['', out])]);
  const grave = shown.notes.filter(({ isGrave }) => isGrave).length;
  if (grave > 0)
    throw failed(
      `the statement does not balance or is not whole: ${countText(grave, 'of its notes says', 'of its notes say')} why`,
    );
}

/** Writes the statement to a file line by line, so that memory does not grow with it. */
async function write(options: Options, period: ReadPeriod, out: string): Promise<ShownStatement> {
  const format = extname(out).toLowerCase();
  if (format !== '.csv' && format !== '.parquet')
    throw wrongInput(`expected a file that ends in .csv or .parquet for --out, was ${out}`);
  refuseExisting(out);
  const columns = statementColumns(period.calendar, methodsOf(options));
  const writeCsv = (path: string): ShownStatement => {
    const file = new StatementCsv(path, columns, format === '.csv' ? 'decimals' : 'units');
    using _end = disposable(file, () => file.end());
    return read(options, period, file.add);
  };
  if (format === '.csv') return asWholeFile(out, writeCsv, () => refuseExisting(out));
  const csv = `${out}.${process.pid}.csv`;
  using _csv = disposable(csv, () => rmSync(csv, { force: true }));
  const shown = writeCsv(csv);
  await csvToParquet(csv, out, columns);
  chmodSync(out, 0o600);
  return shown;
}

const methodsOf = ({ method }: Options): readonly CostMethod[] =>
  method === undefined ? COST_METHODS : [method];

function read(options: Options, period: ReadPeriod, onLine: (line: StatementLine) => void): ShownStatement {
  const path = resolve(options.mirror ?? mirrorPathOf(options.data));
  return readStatementRows(path, (rows) => shownOf(rows, { options, period, path }, onLine));
}

function shownOf(
  rows: StatementRows,
  of: { readonly options: Options; readonly period: ReadPeriod; readonly path: string },
  onLine: (line: StatementLine) => void,
): ShownStatement {
  const { options, period, path } = of;
  const source = sourceOf(rows);
  if (source === null)
    throw wrongInput(`expected movements in ${path}, found none: the bot has written nothing yet`);
  const { beganAtMs } = source.source;
  const untilMs = rows.aliveUntilMs ?? beganAtMs;
  if (period.toMs <= beganAtMs || period.fromMs > untilMs)
    throw wrongInput(
      `expected a time of which ${path} has something, ${isoText(beganAtMs)} to ${isoText(untilMs)}, was ${period.title}`,
    );
  const beginsAtMs = Math.max(period.fromMs, beganAtMs);
  const made = makeStatement(
    source.source,
    { fromMs: beginsAtMs, toMs: period.toMs, monthOf: monthReader(period.calendar) },
    onLine,
  );
  const notes = statementNotes({ statement: made, source, rows, period, beginsAtMs });
  return { statement: made, period, methods: methodsOf(options), notes };
}

export function statementCommand(): Command {
  return new Command('statement')
    .description(
      'Shows what happened to the account in a year: balances, every movement, and realised profit.',
    )
    .option('--year <year>', 'a Jalali or Gregorian year, such as 1405 or 2026')
    .option('--from <day>', 'the first day, such as 1405/01/01 or 2026-03-21')
    .option('--to <day>', 'the last day, which is in it (default: today)')
    .addOption(
      new Option('--calendar <calendar>', 'of months and days (default: that of the year)').choices(
        CALENDARS,
      ),
    )
    .addOption(
      new Option('--method <method>', 'how what is sold gets its cost (default: both)').choices(COST_METHODS),
    )
    .option('--out <file>', 'writes every movement to a .csv or .parquet file that is not there yet')
    .addOption(dataOption('folder of the mirror'))
    .option('--mirror <file>', 'the mirror itself, such as a backup')
    .option('--json', 'prints one JSON object')
    .addHelpText('after', HELP)
    .action(
      asCommand(async (options: Options, command: Command) =>
        statement(options, command.getOptionValueSource('data') === 'cli'),
      ),
    );
}

/** Returns a statement for programs: money is decimal text with every digit. */
function statementJson({ statement, period, methods, notes }: ShownStatement): object {
  return {
    calendar: period.calendar,
    from: isoText(period.fromMs),
    to: isoText(period.toMs),
    isBalanced:
      statement.unexplained.length === 0 && statement.below.size === 0 && statement.unknownTrades === 0,
    notes,
    ...totalsJson(statement.totals, methods),
    months: [...statement.months].map(([month, totals]) => ({ month, ...totalsJson(totals, methods) })),
  };
}

function totalsJson(totals: StatementTotals, methods: readonly CostMethod[]): object {
  return {
    movements: totals.lines,
    balances: totals.balances().map(({ currency, opening, closing, movements }) => ({
      currency,
      unit: unitOf(currency),
      opening: formatUnits(opening),
      ...texts(movements),
      closing: formatUnits(closing),
    })),
    realised: totals.realised().map(({ coin, in: currency, amount, proceeds, parts, unrated }) => ({
      coin,
      in: currency,
      unit: unitOf(currency),
      amount: formatUnits(amount),
      proceeds: formatUnits(proceeds),
      ...Object.fromEntries(methods.map((method) => [method, texts({ ...parts[method] })])),
      unrated: formatUnits(unrated),
    })),
  };
}

const texts = (units: Readonly<Record<string, bigint>>): Record<string, string> =>
  Object.fromEntries(Object.entries(units).map(([name, value]) => [name, formatUnits(value)]));

/** Characters that are written at once. */
const PIECE_CHARACTERS = 262_144;

/** Writes lines as CSV by RFC 4180, the titles first; an unknown value is an empty field. */
class StatementCsv {
  private readonly file: number;
  private readonly cells: readonly ((line: StatementLine) => string | null)[];
  private piece = '';

  /** `money`: as decimals, or, for `csvToParquet`, as whole numbers of units. */
  constructor(path: string, columns: readonly StatementColumn[], money: 'decimals' | 'units') {
    this.file = openSync(path, 'wx', 0o600);
    this.cells = columns.map(({ value, units }) =>
      units === null || money === 'decimals' ? value : (line) => units(line)?.toString() ?? null,
    );
    this.piece = csvLine(columns.map(({ name }) => name));
  }

  readonly add = (line: StatementLine): void => {
    this.piece += csvLine(this.cells.map((cell) => cell(line)));
    if (this.piece.length >= PIECE_CHARACTERS) this.flush();
  };

  end(): void {
    this.flush();
    closeSync(this.file);
  }

  private flush(): void {
    const bytes = Buffer.from(this.piece);
    for (let at = 0; at < bytes.length; at += writeSync(this.file, bytes, at));
    this.piece = '';
  }
}

/** Converts a CSV file of these columns, with money in units, to Parquet, completely or not at all. */
async function csvToParquet(csv: string, path: string, columns: readonly StatementColumn[]): Promise<void> {
  using database = await openDatabase({ threads: 1 });
  const stored = columns.map(
    ({ name, sqlType, units }) => `${sqlName(name)}: '${units === null ? sqlType : 'HUGEINT'}'`,
  );
  const shown = columns.map(({ name, units }) => (units === null ? sqlName(name) : moneySql(sqlName(name))));
  const query = `SELECT ${shown.join(', ')} FROM read_csv([${sqlText(csv)}], header = true, auto_detect = false,
      delim = ',', quote = '"', escape = '"', nullstr = '', columns = {${stored.join(', ')}})`;
  await copyParquet(database, query, path);
}

/** Returns SQL for units as money, since DuckDB reads a decimal of 38 digits twenty times slower. */
function moneySql(name: string): string {
  const [whole, rest] = [`${name} // ${UNITS_PER_ONE}`, `${name} % ${UNITS_PER_ONE}`];
  const { money } = SQL_TYPES;
  return `((${whole})::${money} + (${rest})::DECIMAL(11,0) * 0.0000000001)::${money} AS ${name}`;
}

interface ShownStatement {
  readonly statement: Statement;
  readonly period: ReadPeriod;
  readonly methods: readonly CostMethod[];
  readonly notes: readonly StatementNote[];
}

const CALENDAR_NAMES = { jalali: 'Jalali', gregorian: 'Gregorian' } as const;
const METHOD_NAMES = { average: 'average cost', fifo: 'first in, first out' } as const;

const right = (title: string): TableColumn => ({ title, align: 'right' });
/** Writes money; zero is an empty text, since a column that is empty in every row is not shown. */
const money = (units: bigint): string => (units === 0n ? '' : groupedText(formatUnits(units)));
const amount = (units: bigint): string => groupedText(formatUnits(units));

/** Describes a statement for people: balances, profit, and both by month. */
function statementText({ statement, period, methods, notes }: ShownStatement): readonly string[] {
  const months = [...statement.months];
  return [
    `Statement of the account, ${period.title} (days of Tehran, ${CALENDAR_NAMES[period.calendar]} calendar)`,
    'Every digit is shown. rls is rial, not toman.',
    ...notes.map(({ isGrave, text }) => `${isGrave ? 'ATTENTION: ' : ''}${text}`),
    '',
    'Balances',
    ...tableLines(balanceColumns([]), statement.totals.balances().map(balanceRow)),
    ...profitLines(statement.totals, methods),
    '',
    ...(months.length === 0 ? ['Nothing moved.'] : ['By month']),
    ...(months.length === 0 ? [] : monthLines(months)),
    ...monthProfitLines(months, methods),
  ];
}

function balanceColumns(before: readonly TableColumn[]): readonly TableColumn[] {
  const kinds = MOVEMENT_KINDS.map((kind) => right(kind === 'trade' ? 'trades' : kind));
  return [...before, 'currency', right('opening'), ...kinds, right('closing')];
}

function balanceRow({ currency, opening, closing, movements }: BalanceTotals): readonly string[] {
  const moved = MOVEMENT_KINDS.map((kind) => money(movements[kind]));
  return [nameOf(currency), amount(opening), ...moved, amount(closing)];
}

function nameOf(currency: string): string {
  const unit = unitOf(currency);
  return unit === currency ? currency : `${currency} (${unit})`;
}

function monthLines(months: readonly (readonly [string, StatementTotals])[]): readonly string[] {
  const rows = months.flatMap(([month, totals]) =>
    totals.balances().map((one, place) => [place === 0 ? month : '', ...balanceRow(one)]),
  );
  return tableLines(balanceColumns(['month']), rows);
}

function profitLines(totals: StatementTotals, methods: readonly CostMethod[]): readonly string[] {
  const realised = totals.realised();
  if (realised.length === 0) return ['', 'No coin was sold.'];
  return methods.flatMap((method) => [
    '',
    `Realised profit by ${METHOD_NAMES[method]}`,
    ...tableLines(
      [
        'coin',
        'in',
        right('sold'),
        right('proceeds'),
        right('cost'),
        right('profit'),
        right('proceeds without a cost'),
      ],
      realised.map((one) => profitRow(one, method)),
    ),
  ]);
}

function profitRow(
  { coin, in: currency, amount: sold, proceeds, parts }: RealisedTotals,
  method: CostMethod,
): string[] {
  const { cost, profit, uncosted } = parts[method];
  return [
    coin,
    nameOf(currency),
    amount(sold),
    amount(proceeds),
    amount(cost),
    amount(profit),
    money(uncosted),
  ];
}

function monthProfitLines(
  months: readonly (readonly [string, StatementTotals])[],
  methods: readonly CostMethod[],
): readonly string[] {
  const rows = months.flatMap(([month, totals]) => {
    const byCurrency = Map.groupBy(totals.realised(), (one) => one.in);
    return [...byCurrency].map(([currency, all]) => [
      month,
      nameOf(currency),
      ...methods.map((method) => amount(all.reduce((sum, { parts }) => sum + parts[method].profit, 0n))),
    ]);
  });
  if (rows.length === 0) return [];
  const columns = COST_METHODS.filter((method) => methods.includes(method));
  return [
    '',
    'Realised profit by month',
    ...tableLines(['month', 'in', ...columns.map((method) => right(METHOD_NAMES[method]))], rows),
  ];
}
