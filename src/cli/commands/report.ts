import { statSync } from 'node:fs';
import { join } from 'node:path';
import { Command } from 'commander';
import { comparisonRows, differentGrounds, figureDifferences } from '../../backtest/compare-lines.ts';
import { resultLines } from '../../backtest/summary-lines.ts';
import { shownMoney, numberText, percentText } from '../../backtest/value-text.ts';
import { findRun, listRuns, type KeptRun } from '../../backtest/read-run-folder.ts';
import { SarrafError } from '../../domain/errors.ts';
import { asCommand } from '../as-command.ts';
import { wrongInput } from '../command-error.ts';
import { dataOption, integerOption } from '../option-readers.ts';
import { liveReportCommand } from '../report/live-command.ts';
import { tableLines, type TableColumn } from '../table.ts';
import { minuteText } from '../../domain/time-text.ts';

interface Options {
  readonly data: string;
  readonly json?: true;
}

interface ListOptions extends Options {
  readonly last: number;
}

interface ParquetOptions extends Options {
  readonly out?: string;
}

/** Runs of a list at the most: each is a file to read. */
const MOST_RUNS = 1_000;

const EXAMPLES = `
RUN is \`last\`, the name of a run's folder or a part of it that no other has, or a path to one.
Exit codes: 0 well, 1 a run can not be read, 2 there is no such run or more than one.

Examples:
  sarraf report list
  sarraf report show last
  sarraf report compare 20240131T1 20240201T1 --json
  sarraf report parquet last
  sarraf report live --config config/bot.yaml`;

const LIST_COLUMNS: readonly TableColumn[] = [
  { title: 'run' },
  { title: 'from' },
  { title: 'to' },
  { title: 'final equity', align: 'right' },
  { title: 'return', align: 'right' },
  { title: 'drawdown', align: 'right' },
  { title: 'Sharpe', align: 'right' },
  { title: 'trades', align: 'right' },
];

const folderOf = ({ data }: Options): string => join(data, 'backtests');

function listRow({ run, result }: KeptRun): string[] {
  const { summary, fromMs, toMs } = result;
  return [
    run,
    minuteText(fromMs),
    minuteText(toMs),
    shownMoney(summary.finalEquity, summary.quote),
    percentText(summary.totalReturn),
    percentText(summary.maxDrawdown),
    numberText(summary.sharpe),
    String(summary.trades),
  ];
}

function list(options: ListOptions): void {
  const { runs, unreadable } = listRuns(folderOf(options), options.last);
  for (const sentence of unreadable) console.error(sentence);
  if (options.json === true) console.log(JSON.stringify({ runs, unreadable }));
  else if (runs.length === 0)
    console.log(`No runs under ${folderOf(options)}; \`sarraf backtest\` makes one.`);
  else console.log(tableLines(LIST_COLUMNS, runs.map(listRow)).join('\n'));
}

function show(wanted: string, options: Options): void {
  const kept = runOf(wanted, options);
  if (options.json === true) {
    console.log(JSON.stringify(kept));
    return;
  }
  const { result, path } = kept;
  const rules = result.fidelity.rules.map(({ rule, setting }) => `  ${rule}: ${setting}`);
  const caveats = result.fidelity.caveats.map((caveat) => `  ${caveat}`);
  console.log([...resultLines(result), '', 'Fidelity', ...rules, ...caveats].join('\n'));
  console.log(`\n${join(path, 'report.html')}`);
}

function compare(wanted: readonly [first: string, second: string], options: Options): void {
  const [first, second] = [runOf(wanted[0], options), runOf(wanted[1], options)];
  const grounds = differentGrounds(first.result, second.result);
  if (options.json === true) {
    const figures = figureDifferences(first.result.summary, second.result.summary);
    console.log(JSON.stringify({ first: first.run, second: second.run, figures, differentGrounds: grounds }));
    return;
  }
  const columns: readonly TableColumn[] = [
    { title: '' },
    { title: 'first', align: 'right' },
    { title: 'second', align: 'right' },
    { title: 'difference', align: 'right' },
  ];
  console.log([`first   ${first.run}`, `second  ${second.run}`, ''].join('\n'));
  console.log(tableLines(columns, comparisonRows(first, second)).join('\n'));
  if (grounds.length > 0) console.log(['', ...grounds].join('\n'));
}

async function parquet(wanted: string, options: ParquetOptions): Promise<void> {
  const { path, run } = runOf(wanted, options);
  const { out: folder = path } = options;
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true)
    throw wrongInput(`expected a folder at ${folder}, found none: make it, or name another with --out`);
  const { writeRunParquet } = await import('../../query/write-run-parquet.ts');
  const files = await writeRunParquet(path, folder);
  console.log(options.json === true ? JSON.stringify({ run, files }) : files.join('\n'));
}

/** A run by what the user called it. One that is not there is a mistake of the user. */
function runOf(wanted: string, options: Options): KeptRun {
  try {
    return findRun(folderOf(options), wanted);
  } catch (error) {
    throw error instanceof SarrafError && error.code === 'INVALID_OPTIONS'
      ? wrongInput(error.message)
      : error;
  }
}

function subcommand(name: string, description: string): Command {
  return new Command(name)
    .description(description)
    .addOption(dataOption('the data folder, with the runs under backtests/'))
    .option('--json', 'prints one JSON object')
    .exitOverride();
}

/** `sarraf report`: backtests that were kept. */
export function reportCommand(): Command {
  return new Command('report')
    .description('Lists, shows, compares and exports stored backtests; writes the page of a live session.')
    .addHelpText('after', EXAMPLES)
    .addCommand(
      subcommand('list', 'Lists runs, newest last.')
        .option('--last <number>', 'at most so many runs', integerOption(1, MOST_RUNS), 20)
        .action(list),
    )
    .addCommand(
      subcommand('show', 'Shows the figures of a run, and where its report is.')
        .argument('<run>', 'which run')
        .action((run: string, options: Options) => show(run, options)),
    )
    .addCommand(
      subcommand('compare', 'Shows the figures of two runs side by side.')
        .argument('<first>', 'a run')
        .argument('<second>', 'another run')
        .action((first: string, second: string, options: Options) => compare([first, second], options)),
    )
    .addCommand(
      subcommand('parquet', 'Writes the trades, orders, fills and equity of a run as Parquet.')
        .argument('<run>', 'which run')
        .option('--out <folder>', 'where to write (default: beside the run)')
        .action(async (run: string, options: ParquetOptions) => asCommand(async () => parquet(run, options))),
    )
    .addCommand(liveReportCommand());
}
