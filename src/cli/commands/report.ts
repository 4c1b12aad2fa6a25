import { statSync, existsSync } from 'node:fs';
import { join, dirname, resolve } from 'node:path';
import { Command, Option } from 'commander';
import { comparisonRows, differentGrounds, figureDifferences } from '../../backtest/difference.ts';
import { resultLines } from '../../backtest/summary-lines.ts';
import { shownMoney, numberText, percentText } from '../../backtest/value-text.ts';
import { findRun, listRuns, type StoredRun } from '../../backtest/read-run-folder.ts';
import { asCommand, asWrongInput, wrongInput } from '../command-error.ts';
import {
  dataOption,
  integerOption,
  withoutDataOfEnvironment,
  type DataFolderOptions,
} from '../option-readers.ts';
import { print, rowLines, tableLines } from '../table.ts';
import { minuteText, durationText, secondText } from '../../domain/time-text.ts';
import { liveRun } from '../../backtest/live-run.ts';
import { finishRun, type FinishedRun } from '../../backtest/finish-run.ts';
import { writeRunFolder } from '../../backtest/write-run-folder.ts';
import { botTerms } from '../../backtest/candle-backtest.ts';
import type { RUN_EXPORTS } from '../../query/write-tables.ts';
import type { BotConfig } from '../../daemon/create-bot-config.ts';
import { LANGUAGES, type Language } from '../../language/locale.ts';
import type { Currency } from '../../domain/market-symbol.ts';
import { MARKET_NAMES } from '../../exchange/market-names.ts';
import { readSessionRows, type SessionRows } from '../../mirror/read-session-rows.ts';
import { rangeOption, timeOption } from '../data/data-options.ts';
import { readConfig } from '../read-config.ts';
import { mirrorPathOf } from '../../mirror/mirror-path.ts';
import { countText } from '../../domain/money.ts';
import { unprotectedText } from '../../daemon/left-text.ts';
import type { LiveSession, ResultHead } from '../../backtest/result-schema.ts';

interface ListOptions extends DataFolderOptions {
  readonly last: number;
}

interface ExportOptions extends DataFolderOptions {
  readonly out?: string;
}

/** Maximum number of runs in a list: each is a file to read. */
const MOST_RUNS = 1_000;

const EXAMPLES = `
RUN is \`last\`, the name of a run's folder or a part of it that no other has, or a path to one.
Exit codes: 0 well, 1 a run can not be read, 2 there is no such run or more than one.

Examples:
  sarraf report list
  sarraf report show last
  sarraf report compare 20240131T1 20240201T1 --json
  sarraf report csv last
  sarraf report parquet last --out tables
  sarraf report live --config config/bot.yaml`;

const folderOf = ({ data }: DataFolderOptions): string => join(data, 'backtests');

function list(options: ListOptions): void {
  const { runs, unreadable } = listRuns(folderOf(options), options.last);
  for (const sentence of unreadable) console.error(sentence);
  print(options, { runs, unreadable }, () =>
    runs.length === 0
      ? `No runs under ${folderOf(options)}; \`sarraf backtest\` makes one.`
      : rowLines(runs, {
          run: ({ run }) => run,
          from: ({ result }) => minuteText(result.fromMs),
          to: ({ result }) => minuteText(result.toMs),
          '>final equity': ({ result: { summary } }) => shownMoney(summary.finalEquity, summary.quote),
          '>return': ({ result }) => percentText(result.summary.totalReturn),
          '>drawdown': ({ result }) => percentText(result.summary.maxDrawdown),
          '>Sharpe': ({ result }) => numberText(result.summary.sharpe),
          '>trades': ({ result }) => String(result.summary.trades),
        }),
  );
}

function show(wanted: string, options: DataFolderOptions): void {
  const run = runOf(wanted, options);
  const { result, path } = run;
  const rules = result.fidelity.rules.map(({ rule, setting }) => `  ${rule}: ${setting}`);
  const caveats = result.fidelity.caveats.map((caveat) => `  ${caveat}`);
  const page = join(path, 'report.html');
  print(options, run, () => [...resultLines(result), '', 'Fidelity', ...rules, ...caveats, '', page]);
}

function compare(wanted: readonly [first: string, second: string], options: DataFolderOptions): void {
  const [first, second] = [runOf(wanted[0], options), runOf(wanted[1], options)];
  const grounds = differentGrounds(first.result, second.result);
  const figures = figureDifferences(first.result.summary, second.result.summary);
  print(options, { first: first.run, second: second.run, figures, differentGrounds: grounds }, () => [
    `first   ${first.run}`,
    `second  ${second.run}`,
    '',
    ...tableLines(['', '>first', '>second', '>difference'], comparisonRows(first, second)),
    ...(grounds.length > 0 ? ['', ...grounds] : []),
  ]);
}

type RunFormat = keyof typeof RUN_EXPORTS;

async function writeAs(format: RunFormat, wanted: string, options: ExportOptions): Promise<void> {
  const { path, run } = runOf(wanted, options);
  const { out: folder = path } = options;
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true)
    throw wrongInput(`expected a folder at ${folder}, found none: make it, or name another with --out`);
  const { RUN_EXPORTS: exports } = await import('../../query/write-tables.ts');
  const files = await exports[format](path, folder);
  print(options, { run, files }, () => files);
}

/** Finds a run by the name that the user typed. Throws a wrong input if there is none. */
function runOf(wanted: string, options: DataFolderOptions): StoredRun {
  try {
    return findRun(folderOf(options), wanted);
  } catch (error) {
    throw asWrongInput(error);
  }
}

function subcommand(name: string, description: string): Command {
  return new Command(name)
    .description(description)
    .addOption(dataOption('the data folder, with the runs under backtests/'))
    .option('--json', 'prints one JSON object')
    .exitOverride();
}

function exportCommand(format: RunFormat, description: string): Command {
  return subcommand(format, description)
    .argument('<run>', 'which run')
    .option('--out <folder>', 'where to write (default: beside the run)')
    .action(asCommand(async (run: string, options: ExportOptions) => writeAs(format, run, options)));
}

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
        .action((run: string, options: DataFolderOptions) => show(run, options)),
    )
    .addCommand(
      subcommand('compare', 'Shows the figures of two runs side by side.')
        .argument('<first>', 'a run')
        .argument('<second>', 'another run')
        .action((first: string, second: string, options: DataFolderOptions) =>
          compare([first, second], options),
        ),
    )
    .addCommand(exportCommand('csv', 'Writes the tables of a run as CSV: trades, orders, equity and others.'))
    .addCommand(exportCommand('json', 'Writes the result of a run as JSON, with all tables but the equity.'))
    .addCommand(exportCommand('parquet', 'Writes the trades, orders, fills and equity of a run as Parquet.'))
    .addCommand(liveReportCommand());
}

interface LiveOptions {
  readonly config?: string;
  readonly mirror?: string;
  readonly data?: string;
  readonly from?: number;
  readonly to?: number;
  readonly currency?: Currency;
  readonly language?: Language;
  readonly out?: string;
  readonly save: boolean;
  readonly json?: true;
}

const LIVE_EXAMPLES = `
It reads the mirror alone, also while the bot runs, and asks the exchange for nothing.
Exit codes: 0 well, 1 there is no mirror or it can not be read, 2 an option is wrong.

Examples:
  sarraf report live
  sarraf report live --config config/bot.yaml --from 2024-01-01
  sarraf report live --mirror backup/mirror.sqlite --no-save --json`;

function report(options: LiveOptions): void {
  const range = rangeOption(options);
  const config = options.config === undefined ? null : readConfig(options.config, [], { isOffline: true });
  const path = mirrorOf(options, config);
  const startedMs = performance.now();
  const rows = readSessionRows(path, range);
  if (config !== null) refuseOtherBot(rows, config);
  const { run, live } = liveRun(rows, {
    toMs: range.toMs,
    currency: options.currency ?? null,
    params: new Map((config?.strategies ?? []).map(({ name, params }) => [name, params])),
    config: config === null ? null : botTerms(config),
    clock: () => performance.now(),
    loadMs: performance.now() - startedMs,
  });
  printReport(finishRun(run, Date.now(), live), options, {
    root: options.out ?? join(dirname(path), 'live-reports'),
    language: options.language ?? config?.language ?? 'en',
  });
}

function printReport(
  finished: FinishedRun,
  options: LiveOptions,
  { root, language }: { readonly root: string; readonly language: Language },
): void {
  const { head } = finished;
  const folder = options.save ? writeRunFolder(resolve(root), finished, language) : null;
  const page = folder === null ? null : join(folder, 'report.html');
  print(options, { ...head, folder, page }, () => [
    ...resultLines(head),
    ...sessionLines(head),
    ...(page === null ? [] : ['', `Report: ${page}`]),
  ]);
}

function mirrorOf({ mirror, data }: LiveOptions, config: BotConfig | null): string {
  if (mirror !== undefined && data !== undefined)
    throw wrongInput('expected --mirror or --data, were both: the one is a file, the other its folder');
  if (mirror !== undefined) return resolve(mirror);
  if (config === null) return resolve(mirrorPathOf(data ?? 'data'));
  const folder = data === undefined ? config.data.folder : resolve(data);
  const found = mirrorPathOf(folder);
  // Read without credentials, a configuration for real money looks like one of paper.
  const isEmbedded = config.mode === 'embedded';
  const names = isEmbedded ? ['embedded.sqlite'] : ['mirror.sqlite', 'paper.sqlite'];
  const paths = names.map((name) => join(folder, name));
  const path = paths.find((one) => existsSync(one)) ?? join(folder, names[0] ?? '');
  if (existsSync(path) || !existsSync(found)) return path;
  const mode = isEmbedded ? 'embedded' : 'live or paper';
  throw wrongInput(
    `expected ${path}, the mirror of a bot of the mode ${mode}, found ${found} of another one: name the configuration of that bot, or the file with --mirror`,
  );
}

/** Throws if a mirror has orders and none of them is of the instance that a configuration names. */
function refuseOtherBot({ path, orders, unfinished }: SessionRows, { instance }: BotConfig): void {
  const [first, ...others] = [...orders, ...unfinished];
  const isOwn = ({ key }: { readonly key: string }): boolean => key.startsWith(`${instance}-`);
  if (first === undefined || isOwn(first) || others.some(isOwn)) return;
  throw wrongInput(
    `expected orders of the instance ${instance} in ${path}, found ${first.key}: it is the mirror of another bot; name its configuration, or leave --config out`,
  );
}

function liveReportCommand(): Command {
  const currencies = MARKET_NAMES.quotes.map(({ currency }) => currency);
  return new Command('live')
    .description(
      'Writes the page of a bot that ran, or runs, from its mirror: figures, trades, what is open.',
    )
    .option('--config <file>', 'configuration of the bot: names its mirror, and shows its params')
    .option('--mirror <file>', 'the mirror itself, such as a backup')
    .addOption(dataOption('folder of the mirror (default: that of the configuration, else "data")', null))
    .option('--from <time>', 'from this time on (default: all that the mirror has)', timeOption)
    .option('--to <time>', 'up to this time', timeOption)
    .addOption(
      new Option(
        '--currency <currency>',
        'currency of all figures (default: rls if any market is priced in it)',
      ).choices(currencies),
    )
    .addOption(
      new Option(
        '--language <language>',
        'language of the page (default: that of the configuration, else en)',
      ).choices(LANGUAGES),
    )
    .option('--out <folder>', 'where the folder of the report goes (default: live-reports beside the mirror)')
    .option('--no-save', 'prints the figures alone')
    .option('--json', 'prints one JSON object')
    .addHelpText('after', LIVE_EXAMPLES)
    .exitOverride()
    .action(
      asCommand((options: LiveOptions, command: Command) =>
        report(options.mirror === undefined ? options : withoutDataOfEnvironment(options, command)),
      ),
    );
}

/** Most lines about what the mirror does not know; the page has all of them. */
const MOST_CAVEATS = 20;

/** Lists data of a live session besides its figures: strategies, pauses, open items, unknown items. */
function sessionLines({ session, summary, fidelity }: ResultHead): readonly string[] {
  if (session === null) return [];
  const money = (text: string): string => shownMoney(text, summary.quote);
  return [
    '',
    ...rowLines(session.strategies, {
      strategy: ({ name }) => name,
      status: ({ status }) => status,
      '>profit': ({ profit }) => money(profit),
      '>of closed trades': ({ tradesProfit }) => money(tradesProfit),
      '>fees': ({ fees }) => money(fees),
      '>trades': ({ trades }) => String(trades),
      '>fills': ({ fills }) => String(fills),
    }),
    '',
    `Last sign of life ${secondText(session.aliveUntilMs)} UTC. ${pausesText(session)}`,
    ...openLines(session),
    '',
    'What the mirror does not know',
    ...fidelity.caveats.slice(0, MOST_CAVEATS).map((caveat) => `  ${caveat}`),
  ];
}

function pausesText({ pauses }: LiveSession): string {
  if (pauses.length === 0) return 'No pause between lives is known.';
  const allMs = pauses.reduce((sum, { fromMs, toMs }) => sum + toMs - fromMs, 0);
  return `It did not run ${countText(pauses.length, 'time', 'times')}, ${durationText(allMs)} in total.`;
}

function openLines({ openOrders, positions }: LiveSession): readonly string[] {
  const unprotected = positions.filter((position) => position.unprotected !== '0');
  return [
    `${countText(openOrders.length, 'open order')}, ${countText(positions.length, 'position')}.`,
    ...unprotected.map(unprotectedText),
  ];
}
