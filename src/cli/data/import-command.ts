import { countText } from '../../domain/money.ts';
import { mkdirSync, writeFileSync } from 'node:fs';
import { openCatalogue } from '../../daemon/open-catalogue.ts';
import { basename, join } from 'node:path';
import { InvalidArgumentError, Option, type Command } from 'commander';
import { runShape } from '../../backtest/run-schema.ts';
import type { BarAnchor, Timeframe } from '../../domain/candle.ts';
import type { MarketSymbol } from '../../domain/market-symbol.ts';
import type { Catalogue } from '../../recording/catalogue.ts';
import { FIELDS, PRESET_NAMES, type Field, type Preset } from '../../recording/column-places.ts';
import { isFeed } from '../../recording/feed-message.ts';
import { importFeed } from '../../recording/import-feed.ts';
import { isoText } from '../../domain/time-text.ts';
import type { AppendOutcome } from '../../recording/staging-table.ts';
import type { ImportPart, ImportReport } from '../../recording/import-report.ts';
import { importTable } from '../../recording/import-table.ts';
import type { FileForm } from '../../recording/written-form.ts';
import { wrongInput, asCommand } from '../command-error.ts';
import { integerOption, marketOption } from '../option-readers.ts';
import { RunFlags } from '../run-flags.ts';
import { limitHeap } from '../end-signal.ts';
import { ANCHOR_HELP, anchorOption, dataCommand, timeframeOption, type DataOptions } from './data-options.ts';
import { ProgressLine } from './progress-line.ts';
import { print } from '../table.ts';

/** Maximum number of rejects that are shown; all are in their file. */
const MOST_SHOWN = 5;

/** Options for the format of the files, the same as those of a run. */
const FORM_FLAGS = new RunFlags({ csvForm: runShape.csvForm });

interface Options extends DataOptions, FileForm {
  readonly market: MarketSymbol;
  readonly kind?: 'candles' | 'trades' | 'depth';
  readonly timeframe?: Timeframe;
  readonly anchor?: BarAnchor;
  readonly resample?: true;
  readonly preset?: Preset;
  readonly columns: ReadonlyMap<Field, string>;
  readonly bookEvery: number;
  readonly roundAmounts?: true;
  readonly priceFactor: number;
  readonly skipBad?: true;
}

const EXAMPLES = `  sarraf data import candles.csv.gz --market BTCUSDT
  sarraf data import trades.csv --market BTCIRT --columns time=when,amount=size
  sarraf data import feed.jsonl.gz --market BTCUSDT --kind depth`;

export function importCommand(): Command {
  const command = dataCommand('import', {
    description:
      'Imports candles, trades and depth feeds into the catalogue: each file whole, or not at all.',
    examples: EXAMPLES,
  })
    .argument('<files...>', 'CSV, Parquet or JSON lines; CSV and JSON lines may be packed as .gz')
    .requiredOption('--market <market>', 'market of the data', marketOption)
    .addOption(
      new Option('--kind <kind>', 'kind of data (default: found by the columns)').choices([
        'candles',
        'trades',
        'depth',
      ]),
    )
    .option(
      '--timeframe <timeframe>',
      'timeframe of the candles (default: found by their times)',
      timeframeOption,
    )
    .option('--anchor <zone>', ANCHOR_HELP, anchorOption)
    .option('--resample', 'combines finer candles into those of --timeframe')
    .addOption(new Option('--preset <name>', 'the columns of a well-known file').choices(PRESET_NAMES))
    .option(
      '--columns <map>',
      'columns of the file: time=NAME or its number,open=…; volume=- for none',
      columnsOption,
      new Map(),
    )
    .option(
      '--book-every <ms>',
      'for a depth feed: at most one book in so many ms',
      integerOption(1, 3_600_000),
      100,
    )
    .option(
      '--price-factor <number>',
      'multiplies prices, such as 10 for toman',
      integerOption(1, 1_000_000),
      1,
    )
    .option(
      '--round-amounts',
      'rounds amounts of trades with more than ten decimals, as volumes of candles always are',
    );
  return FORM_FLAGS.addTo(command)
    .option('--skip-bad', 'skips bad rows and imports the rest of the file')
    .action(asCommand(run));
}

function columnsOption(text: string): ReadonlyMap<Field, string> {
  return new Map(
    text.split(',').map((pair) => {
      const [name = '', ...rest] = pair.split('=');
      const field = FIELDS.find((known) => known === name.trim());
      const column = rest.join('=').trim();
      if (field !== undefined && column !== '') return [field, column] as const;
      throw new InvalidArgumentError(`expected pairs such as time=when, of ${FIELDS.join(', ')}.`);
    }),
  );
}

/** Imports file after file; a refused file ends the import, and those before it stay. */
async function run(files: readonly string[], options: Options): Promise<void> {
  const catalogue = openCatalogue(options.catalogue);
  for (const file of files) {
    const report = await importOne(catalogue, file, options);
    const reportFile = writeReport(catalogue, report);
    print(options, { ...reportJson(report), ...reportFile }, () =>
      importLines(report, reportFile.rejectsFile),
    );
    if (report.result !== 'imported') throw refusal(report, reportFile.rejectsFile);
  }
}

async function importOne(catalogue: Catalogue, path: string, options: Options): Promise<ImportReport> {
  limitHeap();
  using line = new ProgressLine(options.json !== true);
  const { market, kind, skipBad, bookEvery } = options;
  const asked = {
    catalogue,
    path,
    market,
    source: basename(path),
    skipBadRows: skipBad === true,
    onProgress(
      rows: number,
      { readBytes, totalBytes }: { readonly readBytes: number; readonly totalBytes: number },
    ) {
      line.show({
        what: basename(path),
        done: rows,
        share: totalBytes === 0 ? null : readBytes / totalBytes,
      });
    },
  };
  if (kind === 'depth' || (kind === undefined && isFeed(path)))
    return await importFeed({ ...asked, everyMs: bookEvery });
  return await importTable({
    ...asked,
    kind: kind === 'candles' || kind === 'trades' ? kind : null,
    timeframe: options.timeframe ?? null,
    anchor: options.anchor ?? null,
    mayResample: options.resample === true,
    preset: options.preset ?? null,
    columns: options.columns,
    roundsAmounts: options.roundAmounts === true,
    priceFactor: options.priceFactor,
    form: options,
  });
}

interface ReportFiles {
  readonly reportFile: string;
  readonly rejectsFile: string | null;
}

/** Maximum number of characters of a file name: it has at most 255 bytes, and a character up to four. */
const MOST_NAME_CHARACTERS = 50;

/** Writes the result of an import below the catalogue, with the refused rows beside it. */
function writeReport(catalogue: Catalogue, report: ImportReport): ReportFiles {
  const folder = join(catalogue.root, 'imports');
  mkdirSync(folder, { recursive: true });
  const name = `${new Date().toISOString().replaceAll(/[:.]/g, '-')}-${basename(report.file).slice(-MOST_NAME_CHARACTERS)}`;
  const reportFile = join(folder, `${name}.report.json`);
  writeFileSync(reportFile, `${JSON.stringify(reportJson(report), null, 1)}\n`);
  if (report.rejects.count === 0) return { reportFile, rejectsFile: null };
  const rejectsFile = join(folder, `${name}.rejects.csv`);
  writeFileSync(rejectsFile, report.rejects.csv());
  return { reportFile, rejectsFile };
}

function refusal(report: ImportReport, rejectsFile: string | null): Error {
  const { file, rejects, firstBad: first } = report;
  const isConflict = report.result === 'conflict';
  if (first === null)
    return wrongInput(`${file}: contradicts the catalogue, as listed above; nothing of it was imported`);
  const todo = isConflict
    ? 'Take out those that are wrong, or import into another --catalogue'
    : 'Correct them, or import the rest with --skip-bad';
  return wrongInput(
    `${file}:${first.line}: ${first.problem}; nothing of the file was imported. All ${rejects.count} such rows: ${rejectsFile}. ${todo}`,
  );
}

/** Returns the result of an import, for programs. */
function reportJson({ rejects, ...report }: ImportReport): object {
  return { ...report, rejected: rejects.count, firstRejects: rejects.rows.slice(0, MOST_SHOWN) };
}

/** Returns the result of an import, for people. */
function importLines(report: ImportReport, rejectsFile: string | null): string[] {
  const { rejects, file } = report;
  const lines = [`${file}: ${countText(report.rows, 'row')}`];
  lines.push(
    ...report.parts.flatMap((part) => partLines(part, report.market)),
    ...report.notes.map((note) => `  ${note}`),
  );
  if (report.result !== 'imported' || rejects.count === 0) return lines;
  lines.push(`  ${countText(rejects.count, 'row was', 'rows were')} not taken: ${rejectsFile}`);
  lines.push(
    ...rejects.rows.slice(0, MOST_SHOWN).map(({ line, problem }) => `    ${file}:${line}: ${problem}`),
  );
  return lines;
}

function partLines({ kind, timeframe, outcome }: ImportPart, market: string): string[] {
  const name = `${market} ${kind}${timeframe === null ? '' : `-${timeframe}`}`;
  return [`  ${name}: ${outcomeText(outcome)}`, ...conflictLines(outcome)];
}

/** Describes the result of an append. */
export function outcomeText(outcome: AppendOutcome): string {
  if (outcome.kind === 'abandoned') return 'nothing was changed';
  if (outcome.kind === 'conflict') {
    const what = outcome.conflicts.some(({ isWithin }) => isWithin) ? 'one another' : 'what is there';
    return `${outcome.count} contradict ${what}; nothing was changed`;
  }
  const { added, known, fromMs, toMs } = outcome;
  const from = fromMs === null || toMs === null ? '' : `, ${isoText(fromMs)} to ${isoText(toMs)}`;
  const there = known === 0 ? '' : `, ${known.toLocaleString('en')} were there or came twice`;
  return `${added.toLocaleString('en')} added${there}${from}`;
}

/** Lists the records that contradict others, one on a line. */
export function conflictLines(outcome: AppendOutcome): string[] {
  if (outcome.kind !== 'conflict') return [];
  return outcome.conflicts.map(
    ({ timeMs, isWithin, there, given }) =>
      `    ${isoText(timeMs)}: ${isWithin ? `both ${there} and ${given} came` : `there is ${there}, ${given} came`}`,
  );
}
