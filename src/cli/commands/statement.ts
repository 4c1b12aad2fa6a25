import { chmodSync, rmSync } from 'node:fs';
import { extname, resolve } from 'node:path';
import { Command, Option } from 'commander';
import { isoText } from '../../domain/time-text.ts';
import { readStatementRows, type StatementRows } from '../../mirror/read-statement-rows.ts';
import { makeStatement } from '../../portfolio/statement/make-statement.ts';
import { COST_METHODS, type CostMethod } from '../../portfolio/statement/profit-books.ts';
import type { StatementLine } from '../../portfolio/statement/statement-line.ts';
import { asWholeFile } from '../../query/as-whole-file.ts';
import { asCommand } from '../as-command.ts';
import { failed, wrongInput } from '../command-error.ts';
import { mirrorPathOf } from '../../mirror/mirror-path.ts';
import { print } from '../read-mirror.ts';
import { refuseTaken } from '../sql/refuse-taken.ts';
import { statementColumns } from '../statement/statement-columns.ts';
import { statementJson } from '../statement/statement-json.ts';
import { statementNotes } from '../statement/statement-notes.ts';
import {
  CALENDARS,
  monthReader,
  readPeriod,
  type Calendar,
  type ReadPeriod,
} from '../statement/statement-period.ts';
import { sourceOf } from '../statement/statement-source.ts';
import { statementText, type ShownStatement } from '../statement/statement-summary.ts';
import { StatementCsv, csvToParquet } from '../statement/write-statement.ts';
import { dataOption } from '../option-readers.ts';

interface Options {
  readonly year?: string;
  readonly from?: string;
  readonly to?: string;
  readonly calendar?: Calendar;
  readonly method?: CostMethod;
  readonly data: string;
  readonly mirror?: string;
  readonly out?: string;
  readonly json?: true;
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
  print(options, {
    json,
    lines: () => [...statementText(shown), ...(out === undefined ? [] : ['', out])],
  });
  const grave = shown.notes.filter(({ isGrave }) => isGrave).length;
  if (grave > 0)
    throw failed(`the statement does not balance or is not whole: ${grave} of its notes say why`);
}

/** The lines go to the file as they are made, so memory does not grow with them. */
async function write(options: Options, period: ReadPeriod, out: string): Promise<ShownStatement> {
  const format = extname(out).toLowerCase();
  if (format !== '.csv' && format !== '.parquet')
    throw wrongInput(`expected a file that ends in .csv or .parquet for --out, was ${out}`);
  refuseTaken(out);
  const columns = statementColumns(period.calendar, methodsOf(options));
  const writeCsv = (path: string): ShownStatement => {
    const file = new StatementCsv(path, columns, format === '.csv' ? 'decimals' : 'units');
    try {
      return read(options, period, file.take);
    } finally {
      file.end();
    }
  };
  if (format === '.csv') return asWholeFile(out, writeCsv, () => refuseTaken(out));
  const csv = `${out}.${process.pid}.csv`;
  try {
    const shown = writeCsv(csv);
    await csvToParquet(csv, out, columns);
    chmodSync(out, 0o600);
    return shown;
  } finally {
    rmSync(csv, { force: true });
  }
}

function methodsOf({ method }: Options): readonly CostMethod[] {
  return method === undefined ? COST_METHODS : [method];
}

function read(options: Options, period: ReadPeriod, take: (line: StatementLine) => void): ShownStatement {
  const path = resolve(options.mirror ?? mirrorPathOf(options.data));
  return readStatementRows(path, (rows) => shownOf(rows, { options, period, path }, take));
}

function shownOf(
  rows: StatementRows,
  of: { readonly options: Options; readonly period: ReadPeriod; readonly path: string },
  take: (line: StatementLine) => void,
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
    take,
  );
  const notes = statementNotes({ statement: made, source, rows, period, beginsAtMs });
  return { statement: made, period, methods: methodsOf(options), notes };
}

/** `sarraf statement`: what happened to the account in a year. */
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
    .action(async (options: Options, command: Command) =>
      asCommand(async () => statement(options, command.getOptionValueSource('data') === 'cli')),
    );
}
