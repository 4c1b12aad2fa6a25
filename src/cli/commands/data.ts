import { Command, Option, InvalidArgumentError } from 'commander';
import { importCommand, conflictLines, outcomeText } from '../data/import-command.ts';
import { openCatalogue } from '../../daemon/open-catalogue.ts';
import { exportFile } from '../../recording/export-file.ts';
import { folderTitle, folderName, type FolderKey, type RecordKind } from '../../recording/records.ts';
import { integerOption, marketOption } from '../option-readers.ts';
import { asCommand, failed, wrongInput } from '../command-error.ts';
import {
  dataCommand,
  rangeOption,
  timeframeOption,
  timeOption,
  folderOf,
  RECORD_KINDS,
  type DataOptions,
  type FolderOptions,
  ANCHOR_HELP,
  anchorOption,
} from '../data/data-options.ts';
import { ProgressLine } from '../data/progress-line.ts';
import type { BarAnchor, Timeframe } from '../../domain/candle.ts';
import { listText, SarrafError } from '../../domain/errors.ts';
import type { Catalogue } from '../../recording/catalogue.ts';
import { coverageOf, type RecordingCoverage } from '../../recording/manifest.ts';
import { noneThere, timeText } from '../../recording/read-rows.ts';
import { verifyFolder, type VerifyReport } from '../../recording/verify-folder.ts';
import { countText, parseUnits, type Units } from '../../domain/money.ts';
import { print, rowLines } from '../table.ts';
import type { DownloadCommandOptions } from '../data/download-from-exchange.ts';
import { join } from 'node:path';
import type { MarketSymbol } from '../../domain/market-symbol.ts';
import { resample } from '../../recording/resample.ts';

const EXAMPLES = `
Examples:
  sarraf data import candles.csv.gz --market BTCUSDT
  sarraf data list
  sarraf data verify

Exit codes: 0 all went well, 1 it failed, or verify found something, 2 an option or a file is wrong.`;

export function dataCommands(): Command {
  const command = new Command('data')
    .description('Imports, downloads, checks and exports recorded market data.')
    .addHelpText('after', EXAMPLES);
  for (const create of [
    importCommand,
    downloadCommand,
    listCommand,
    verifyCommand,
    exportCommand,
    resampleCommand,
  ]) {
    command.addCommand(create().exitOverride());
  }
  return command;
}

interface Options extends DataOptions, FolderOptions {
  readonly from?: number;
  readonly to?: number;
  readonly force?: true;
}

const EXPORT_EXAMPLES = `  sarraf data export candles.csv --market BTCIRT --timeframe 1h
  sarraf data export trades.parquet --market BTCIRT --kind trades --from 2024-08-08 --to 2024-08-09`;

function exportCommand(): Command {
  return dataCommand('export', {
    description:
      'Writes recordings to a file. Its name chooses the format: .csv, .csv.gz, .jsonl, .jsonl.gz or .parquet.',
    examples: EXPORT_EXAMPLES,
  })
    .argument('<file>', 'file to write')
    .requiredOption('--market <market>', 'market of the data', marketOption)
    .addOption(new Option('--kind <kind>', 'what').choices(RECORD_KINDS).default('candles'))
    .option('--timeframe <timeframe>', 'of the candles', timeframeOption)
    .option('--from <time>', 'from this time on', timeOption)
    .option('--to <time>', 'up to this time, which is not included', timeOption)
    .option('--force', 'replaces an existing file')
    .action(asCommand(run));
}

async function run(path: string, options: Options): Promise<void> {
  const key = folderOf(options);
  const line = new ProgressLine(options.json !== true);
  const onProgress = (done: number): void => line.show({ what: path, done, share: null });
  const mayReplace = options.force === true;
  const rows = await exportFile(openCatalogue(options.catalogue), {
    key,
    range: rangeOption(options),
    path,
    mayReplace,
    onProgress,
  });
  line.end();
  print(options, { file: path, rows }, () => `${path}: ${countText(rows, 'row')} of ${folderTitle(key)}`);
}

const LIST_EXAMPLES = `  sarraf data list
  sarraf data list --catalogue data/catalogue --json`;

/** Maximum number of sources that the table names. */
const MOST_SOURCES = 3;

function listCommand(): Command {
  return dataCommand('list', {
    description: 'Lists the recordings in the catalogue.',
    examples: LIST_EXAMPLES,
  }).action(asCommand(list));
}

function list(options: DataOptions): void {
  // A folder whose first import was refused exists and is empty.
  const catalogue = openCatalogue(options.catalogue);
  const damaged: string[] = [];
  const summaries = catalogue
    .keys()
    .flatMap((key) => readSummary(catalogue, key, damaged) ?? [])
    .filter(({ rows }) => rows > 0);
  print(options, { catalogue: options.catalogue, recordings: summaries }, () =>
    summaries.length === 0 ? `No recordings in ${options.catalogue}.` : summaryLines(summaries),
  );
  if (damaged.length > 0) throw failed(damaged.join('\n'));
}

/** Returns the summary of a folder; null if it cannot be read, so that it does not hide the others. */
function readSummary(catalogue: Catalogue, key: FolderKey, damaged: string[]): RecordingCoverage | null {
  try {
    const manifest = catalogue.manifest(key);
    return manifest === null ? null : coverageOf(key, manifest);
  } catch (error) {
    if (!(error instanceof SarrafError) || error.code !== 'DATA_UNUSABLE') throw error;
    damaged.push(error.message);
    return null;
  }
}

const summaryLines = (summaries: readonly RecordingCoverage[]): readonly string[] =>
  rowLines(summaries, {
    market: ({ market }) => market,
    what: ({ folder, anchor }) => (anchor === null || anchor === 'UTC' ? folder : `${folder} (${anchor})`),
    '>rows': ({ rows }) => rows.toLocaleString('en'),
    'from (UTC)': ({ fromMs }) => (fromMs === null ? '' : timeText(fromMs)),
    'to (UTC)': ({ toMs }) => (toMs === null ? '' : timeText(toMs)),
    '>files': ({ files }) => String(files),
    '>MB': ({ bytes }) => (bytes / 1e6).toFixed(1),
    source: ({ sources }) => listText(sources, MOST_SOURCES),
  });

const DOWNLOAD_EXAMPLES = `  sarraf data download --market BTCIRT --timeframe 1m --from 2024-01-01 --to 2024-02-01 --config bot.yaml
  sarraf data download --market BTCIRT --timeframe 1h --from 2024-01-01 --address http://127.0.0.1:8900`;

function downloadCommand(): Command {
  return dataCommand('download', {
    description:
      'Downloads candles from an exchange, under the limits that all processes of this machine share. If you end it, run it again: it goes on from there.',
    examples: DOWNLOAD_EXAMPLES,
  })
    .requiredOption('--market <market>', 'market of the candles', marketOption)
    .requiredOption('--timeframe <timeframe>', 'timeframe of the candles', timeframeOption)
    .requiredOption('--from <time>', 'first candle to download', timeOption)
    .option('--to <time>', 'end, which is not included (default: now)', timeOption)
    .option('--address <url>', 'address of the exchange')
    .option('--config <file>', 'configuration of a bot, whose exchange is used')
    .action(asCommand(download));
}

/** Loads the code that connects to an exchange only when needed: other data commands share this start. */
async function download(options: DownloadCommandOptions): Promise<void> {
  const { downloadFromExchange } = await import('../data/download-from-exchange.ts');
  await downloadFromExchange(options);
}

interface ResampleOptions extends DataOptions {
  readonly market: MarketSymbol;
  readonly of?: Timeframe | 'trades';
  readonly timeframe: Timeframe;
  readonly anchor?: BarAnchor;
  readonly from?: number;
  readonly to?: number;
}

const RESAMPLE_EXAMPLES = `  sarraf data resample --market BTCIRT --timeframe 1h
  sarraf data resample --market BTCIRT --of trades --timeframe 1m`;

function resampleCommand(): Command {
  return dataCommand('resample', {
    description: 'Makes coarser candles from finer ones, or from trades, and adds them to the catalogue.',
    examples: RESAMPLE_EXAMPLES,
  })
    .requiredOption('--market <market>', 'market of the data', marketOption)
    .requiredOption('--timeframe <timeframe>', 'timeframe of the new candles', timeframeOption)
    .option('--anchor <zone>', ANCHOR_HELP, anchorOption)
    .option('--of <what>', 'a timeframe, or trades (default: the coarsest candles that fit)', sourceOption)
    .option('--from <time>', 'from this time on', timeOption)
    .option('--to <time>', 'up to this time, which is not included', timeOption)
    .action(asCommand(resampleCandles));
}

function sourceOption(text: string): Timeframe | 'trades' {
  if (text === 'trades') return text;
  try {
    return timeframeOption(text);
  } catch {
    throw new InvalidArgumentError('expected a timeframe, or trades.');
  }
}

async function resampleCandles(options: ResampleOptions): Promise<void> {
  const { market, timeframe } = options;
  const { from, outcome } = await resample(openCatalogue(options.catalogue), {
    market,
    from: options.of ?? null,
    to: timeframe,
    anchor: options.anchor ?? null,
    range: rangeOption(options),
  });
  print(options, { market, of: from, timeframe, outcome }, () => [
    `${market} candles-${timeframe} of ${from}: ${outcomeText(outcome)}`,
    ...conflictLines(outcome),
  ]);
  if (outcome.kind === 'conflict')
    throw wrongInput(
      `expected the candles of ${timeframe} in the catalogue to agree with those of ${from}; nothing was changed. Move ${join(options.catalogue, market, `candles-${timeframe}`)} away to make them again`,
    );
}

interface VerifyOptions extends DataOptions {
  readonly market?: MarketSymbol;
  readonly kind?: RecordKind;
  readonly timeframe?: Timeframe;
  readonly from?: number;
  readonly to?: number;
  readonly priceStep?: Units;
  readonly bookGap: number;
  readonly all?: true;
}

const VERIFY_EXAMPLES = `  sarraf data verify
  sarraf data verify --market BTCIRT --kind candles --price-step 10`;

/** Maximum number of findings of a folder that are shown without `--all`. */
const MOST_SHOWN = 50;

function verifyCommand(): Command {
  return dataCommand('verify', {
    description:
      'Looks for damaged files, gaps, duplicates, wrong order, impossible prices, and shifts of the time zone. Ends with 1 if it finds something.',
    examples: VERIFY_EXAMPLES,
  })
    .option('--market <market>', 'only this market', marketOption)
    .addOption(new Option('--kind <kind>', 'only this kind').choices(RECORD_KINDS))
    .option('--timeframe <timeframe>', 'only candles of this timeframe', timeframeOption)
    .option('--from <time>', 'from this time on', timeOption)
    .option('--to <time>', 'up to this time', timeOption)
    .option('--price-step <step>', 'price step (default: found by the decimals of prices)', stepOption)
    .option('--book-gap <seconds>', 'longest time without a book', integerOption(1, 86_400), 60)
    .option('--all', 'shows all findings, not only the first of each folder')
    .action(asCommand(verify));
}

function stepOption(text: string): Units {
  try {
    const step = parseUnits(text);
    if (step > 0n) return step;
  } catch {
    // Reported below.
  }
  throw new InvalidArgumentError('expected a positive decimal with at most ten decimals.');
}

async function verify(options: VerifyOptions): Promise<void> {
  const catalogue = openCatalogue(options.catalogue);
  const keys = catalogue.keys().filter((key) => isWanted(key, options));
  if (keys.length === 0)
    throw wrongInput(
      `expected recordings to verify in ${options.catalogue}, found none; see "sarraf data list"`,
    );
  const range = rangeOption(options);
  const reports: VerifyReport[] = [];
  for (const key of keys) {
    const report = await verifyFolder(catalogue, key, {
      range,
      priceStep: options.priceStep ?? null,
      gapMs: options.bookGap * 1_000,
    });
    reports.push(report);
    if (report.rows === 0 && report.findings.count === 0) continue;
    if (options.json !== true)
      for (const line of reportLines(report, options.all === true)) console.log(line);
  }
  if (reports.every(({ rows, findings }) => rows === 0 && findings.count === 0)) {
    const [first] = keys;
    if (first !== undefined) throw noneThere(options.catalogue, first, range);
  }
  const count = reports.reduce((sum, { findings }) => sum + findings.count, 0);
  print(options, { findings: count, folders: reports.map(reportJson) }, () => null);
  if (count > 0) throw failed(`${countText(count, 'finding')} in ${options.catalogue}`);
}

function isWanted(key: FolderKey, { market, kind, timeframe }: VerifyOptions): boolean {
  return (
    (market === undefined || key.market === market) &&
    (kind === undefined || key.kind === kind) &&
    (timeframe === undefined || (key.kind === 'candles' && key.timeframe === timeframe))
  );
}

function reportJson({ key, rows, findings, leftOvers }: VerifyReport): object {
  const { market } = key;
  return {
    market,
    folder: folderName(key),
    rows,
    counts: findings.byKind(),
    findings: findings.listed,
    leftOvers,
  };
}

function reportLines({ key, rows, findings, leftOvers }: VerifyReport, isAll: boolean): string[] {
  const title = `${folderTitle(key)}: ${countText(rows, 'row')}`;
  const left =
    leftOvers.length === 0
      ? ''
      : `, ${countText(leftOvers.length, 'file')} left by a killed writer, removed by the next one`;
  if (findings.count === 0) return [`${title}, nothing found${left}`];
  const kinds = Object.entries(findings.byKind()).map(([kind, count]) => `${kind} ${count}`);
  const shown = isAll ? findings.listed : findings.listed.slice(0, MOST_SHOWN);
  const lines = [
    `${title}, found: ${kinds.join(', ')}${left}`,
    ...shown.map(({ kind, text }) => `  ${kind}: ${text}`),
  ];
  const more = findings.count - shown.length;
  if (more > 0) lines.push(`  and ${more} more${isAll ? '' : '; --all shows them'}`);
  return lines;
}
