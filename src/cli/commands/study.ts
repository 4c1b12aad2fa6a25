import { Command, Option } from 'commander';
import { asWholeFile } from '../../recording/durable-file.ts';
import { openHoldoutCommand, studyWalkForwardCommand } from '../study/walk-forward-command.ts';
import {
  studyResumeCommand,
  studyRunCommand,
  sessionOptions,
  withStudy,
  type SessionFlags,
} from '../study/run-command.ts';
import { writeFileSync, mkdirSync } from 'node:fs';
import { dirname, relative, resolve, join } from 'node:path';
import { ownFile } from '../../plugins/own-files.ts';
import { wrongInput, asCommand } from '../command-error.ts';
import { StudyFolder, nameOfFile } from '../../study/study-place.ts';
import { studyJson } from '../../study/study-voice.ts';
import { dataOption, integerOption, type DataFolderOptions } from '../option-readers.ts';
import {
  readValidatedStudy,
  readReportedStudy,
  readStudyResult,
  readWritten,
} from '../study/read-study-result.ts';
import { studyLines, stressLines, verdictLines } from '../study/study-lines.ts';
import { countText, groupedText } from '../../domain/money.ts';
import { LANGUAGES, type Language } from '../../language/locale.ts';
import { StudyStore } from '../../study/study-store.ts';
import { numberText } from '../../backtest/value-text.ts';
import { isProcessLockHeld } from '../../daemon/process-locks.ts';
import { SarrafError } from '../../domain/errors.ts';
import type { StudyResult } from '../../study/study-result.ts';
import { print, rowLines } from '../table.ts';
import { readStudyFile, readWrittenStudy } from '../../study/study-settings.ts';
import { MOST_DRAWS, runStress, USUAL_DRAWS } from '../../study/run-stress.ts';
import { remoteOptions, type RemoteFlags } from '../study/remote-options.ts';

/**
 * Returns the text of a study that runs unchanged, on the recording that ships, with other possible settings
 * as comments. `places`: those of the schema for editors and of the recording.
 */
export const studyTemplate = (places: { readonly schema: string; readonly catalogue: string }): string =>
  `# yaml-language-server: $schema=${places.schema}
# A study: "sarraf study run" runs it. docs/studies.md explains every key.

# A bundled strategy, or the path of a file: paths count from the folder of this one.
strategy: ma-cross
markets: BTCUSDT
timeframe: 5m
# Candles come from the catalogue, or from a file: csv: hours.csv.gz
catalogue: ${places.catalogue}
# What the strategy is told from outside, if it listens: docs/signals.md.
# signals: alerts.csv
# from: 2024-01-01
# to: 2024-07-01
# The last part of the range is kept for "sarraf study open-holdout". No trial sees it.
holdout: 20%

balances: { usdt: 10000 }
fee: 0.1%

# What is not searched.
params: { share: 0.5 }

# What is searched; without it what the strategy declares by search().
space:
  fast: { kind: integer, min: 2, max: 30 }
  slow: { kind: integer, min: 20, max: 120, step: 5 }

# Figures of a result, see docs/metrics.md.
objectives: [sharpe]
constraints:
  - { metric: trades, least: 5 }
  - { metric: maxDrawdown, most: 0.3 }

# grid, random, sobol, tpe, nsga2 or cmaes: see docs/samplers.md.
sampler: { kind: tpe, seed: 1 }
budget: { trials: 40 }

# "sarraf study walk-forward" searches each train window, and trades the choice in the test window after it.
validation:
  walkForward: { kind: rolling, train: 1d, test: 8h, choose: best }
`;

const EXAMPLES = `
A study tries params of a strategy on recorded data, and keeps every trial. docs/studies.md
explains it.

Examples:
  sarraf study new study.yaml
  sarraf study run study.yaml
  sarraf study show study
  sarraf study report study
  sarraf study walk-forward study
  sarraf study stress study
  sarraf study open-holdout study
  sarraf study run ma-cross --csv hours.csv --market BTCUSDT --cash 10000 --fee 0.1% --trials 60
  sarraf study run study.yaml --redis redis://10.0.0.2 --serve 10.0.0.2:7300

Exit codes: 0 the study ended, or was asked to; 1 no trial has values, or a file or Redis can not be
used; 2 an option or a file is wrong.`;

export function studyCommand(): Command {
  const command = new Command('study')
    .description('Searches the params of a strategy, on all cores, and counts every trial.')
    .addHelpText('after', EXAMPLES);
  for (const create of [
    studyNewCommand,
    studyRunCommand,
    studyStatusCommand,
    studyShowCommand,
    studyReportCommand,
    studyResumeCommand,
    studyWalkForwardCommand,
    studyStressCommand,
    openHoldoutCommand,
  ]) {
    command.addCommand(create().exitOverride());
  }
  return command;
}

function create(file: string): void {
  if (!/\.ya?ml$/.test(file))
    throw wrongInput(`expected the name of a file such as study.yaml, found ${file}`);
  try {
    const from = dirname(resolve(file));
    const places = {
      schema: relative(from, ownFile('config/study.schema.json')),
      catalogue: relative(from, ownFile('data/example')),
    };
    writeFileSync(file, studyTemplate(places), { flag: 'wx' });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    throw wrongInput(`expected no file at ${file}, found one: it was left as it is`);
  }
  console.log(`${file}: edit it, and run it with "sarraf study run ${file}"`);
}

function studyNewCommand(): Command {
  return new Command('new')
    .description('Writes the file of a study that runs as it is, with a word on every key.')
    .argument('<file>', 'where, such as study.yaml')
    .addHelpText('after', '\nExamples:\n  sarraf study new study.yaml')
    .action(asCommand(create));
}

interface Options extends DataFolderOptions {
  readonly best: number;
}

const USUAL_TRIALS = 20;
const MOST_TRIALS = 100_000;
/** Maximum number of reasons of failed trials that are shown. */
const MOST_REASONS = 10;

function show(wanted: string, options: Options): void {
  const folder = new StudyFolder(options.data);
  const result = readValidatedStudy(folder, folder.find(wanted));
  if (options.json === true) {
    console.log(studyJson(result));
    return;
  }
  const reasons = new Map<string, number>();
  for (const { reason } of result.trials)
    if (reason !== null) reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
  const failed = [...reasons].slice(0, MOST_REASONS).map(([reason, count]) => `  ${count} failed: ${reason}`);
  console.log([...studyLines(result, options.best), ...failed].join('\n'));
}

function studyShowCommand(): Command {
  return new Command('show')
    .description('Shows how much of a study is luck, its best trials, and why others failed.')
    .argument('<study>', 'its name, or its file')
    .option('--best <number>', 'so many trials, the best first', integerOption(1, MOST_TRIALS), USUAL_TRIALS)
    .addOption(dataOption('data folder with the studies'))
    .option('--json', 'prints everything as JSON, with all trials')
    .addHelpText('after', '\nExamples:\n  sarraf study show study\n  sarraf study show study --json')
    .action(asCommand(show));
}

interface ReportOptions extends DataFolderOptions {
  readonly out?: string;
  readonly language: Language;
}

async function report(wanted: string, options: ReportOptions): Promise<void> {
  const { writeTrialsParquet } = await import('../../query/write-tables.ts');
  const { studyHtml } = await import('../../study/study-html.ts');
  const folder = new StudyFolder(options.data);
  const name = folder.find(wanted);
  const reported = await readReportedStudy(folder, name, Date.now());
  const out = options.out ?? folder.reportOf(name);
  makeFolder(out);
  const page = join(resolve(out), 'report.html');
  await asWholeFile(page, (draft) => writeFileSync(draft, studyHtml(reported, options.language)));
  const parquet = join(resolve(out), 'trials.parquet');
  const store = StudyStore.openToRead(folder.pathOf(name));
  const trials = await writeTrialsParquet(store, parquet).finally(() => store.close());
  const value = { study: name, page, parquet, trials };
  print(options, value, () => [`${name}: ${countText(trials, 'trial')}`, page, parquet]);
}

function makeFolder(path: string): void {
  try {
    mkdirSync(path, { recursive: true });
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (code !== 'EEXIST' && code !== 'ENOTDIR') throw error;
    throw wrongInput(`expected a folder at ${path}, found a file: name another with --out`);
  }
}

function studyReportCommand(): Command {
  return new Command('report')
    .description('Writes a page with the verdict, charts and tables, and all trials as Parquet beside it.')
    .argument('<study>', 'its name, or its file')
    .option('--out <folder>', 'where to write (default: a folder beside the study)')
    .addOption(dataOption('data folder with the studies'))
    .addOption(new Option('--language <language>', 'language of the page').choices(LANGUAGES).default('en'))
    .option('--json', 'prints JSON')
    .addHelpText(
      'after',
      '\nExamples:\n  sarraf study report study\n  sarraf study report study --out shared/study\n  sarraf study report study --language fa',
    )
    .action(asCommand(report));
}

interface StatusOptions extends DataFolderOptions {}

interface Status extends Pick<
  StudyResult,
  'study' | 'wanted' | 'counts' | 'objectives' | 'best' | 'holdout' | 'trialsOnData'
> {
  readonly isRunning: boolean;
  readonly hasHoldout: boolean;
}

function status(wanted: string | undefined, options: StatusOptions): void {
  const folder = new StudyFolder(options.data);
  const names = wanted === undefined ? folder.names() : [folder.find(wanted)];
  const studies: Status[] = [];
  const unreadable: string[] = [];
  for (const name of names) {
    try {
      studies.push(statusOf(folder, name));
    } catch (error) {
      // An unreadable study must not hide the others.
      if (!(error instanceof SarrafError) || wanted !== undefined) throw error;
      unreadable.push(error.message);
    }
  }
  for (const sentence of unreadable) console.error(sentence);
  print(options, { studies, unreadable }, () =>
    studies.length === 0 ? 'No studies; "sarraf study run" makes one.' : statusLines(studies),
  );
}

function statusOf(folder: StudyFolder, name: string): Status {
  const result = readStudyResult(folder, name);
  const { study, wanted, counts, objectives, best, holdout, range, trialsOnData } = result;
  return {
    study,
    isRunning: isProcessLockHeld(`${folder.pathOf(name)}.lock`),
    wanted,
    counts,
    objectives,
    best,
    hasHoldout: range.splitMs < range.toMs,
    holdout,
    trialsOnData,
  };
}

const statusLines = (studies: readonly Status[]): readonly string[] =>
  rowLines(studies, {
    study: ({ study }) => study,
    '>trials': ({ counts, wanted }) => `${counts.done} of ${wanted}`,
    '>on this data': ({ trialsOnData }) => groupedText(String(trialsOnData.trials)),
    '>failed': ({ counts }) => String(counts.done - counts.complete),
    objective: ({ objectives }) => objectives.map(({ metric }) => metric).join(', '),
    '>best': ({ objectives, best }) =>
      best === null
        ? 'n/a'
        : objectives.map(({ metric }) => numberText(best.metrics?.[metric] ?? null)).join(', '),
    'hold-out': ({ hasHoldout, holdout }) => (hasHoldout ? (holdout === null ? 'closed' : 'opened') : 'none'),
    '': ({ isRunning }) => (isRunning ? 'running' : ''),
  });

function studyStatusCommand(): Command {
  return new Command('status')
    .description('Lists the studies: how far each is, and its best trial.')
    .argument('[study]', 'only this one: its name, or its file')
    .addOption(dataOption('data folder with the studies'))
    .option('--json', 'prints JSON')
    .addHelpText('after', '\nExamples:\n  sarraf study status\n  sarraf study status study --json')
    .action(asCommand(status));
}

interface StressOptions extends SessionFlags, RemoteFlags {
  readonly draws: number;
}

const STRESS_EXAMPLES = `
The best trial runs again on the range that the trials saw, each time with something changed: its
costs doubled, its trades in other orders, candles redrawn in blocks, and random entries with the same
exposure in its place. The result is kept in the study, and "sarraf study show" shows it. Run again,
it goes on where it was, or shows what it found.

Examples:
  sarraf study stress study
  sarraf study stress study.yaml --draws 200 --workers 4 --json
  sarraf study stress study --redis redis://10.0.0.2 --serve 10.0.0.2:7300

Exit codes: 0 it ended, or was asked to; 1 a file, Redis or the workers can not be used, or the trial
does not do the same again; 2 an option is wrong, or no trial has values.`;

async function stress(what: string, options: StressOptions): Promise<void> {
  const isFile = /\.ya?ml$/.test(what);
  const folder = new StudyFolder(options.data);
  const name = folder.find(options.name ?? (isFile ? nameOfFile(what) : what));
  const read = isFile ? readStudyFile(what) : readWrittenStudy(readWritten(folder, name));
  await withStudy(read, options, async (study, { report, session }) => {
    report.begin('runs under stress');
    const { end, trial, ranNow } = await runStress(study, {
      ...session,
      name,
      draws: options.draws,
      onRun: (done, all) => report.show({ done, share: done / all, note: `${done} of ${all}` }),
    });
    report.begin('statistics');
    const { validation } = readValidatedStudy(folder, name);
    report.end();
    const found = validation?.stress ?? null;
    if (options.json === true)
      console.log(
        studyJson({ end, ranNow, study: name, trial, stress: found, verdict: validation?.verdict }),
      );
    else if (end === 'complete' && validation !== null && found !== null)
      console.log([name, ...verdictLines(validation), '', ...stressLines(found)].join('\n'));
    else console.log(`it ended before all of its runs: "sarraf study stress ${name}" goes on`);
  });
}

function studyStressCommand(): Command {
  const command = new Command('stress')
    .description('Runs the best trial with doubled costs, other orders, redrawn candles and random entries.')
    .argument('<study>', 'its name, or its file');
  return remoteOptions(sessionOptions(command))
    .option(
      '--draws <number>',
      'redrawn histories, and random entries; more go on from those there',
      integerOption(1, MOST_DRAWS),
      USUAL_DRAWS,
    )
    .option('--name <name>', 'name of the study (default: that of its file)')
    .addHelpText('after', STRESS_EXAMPLES)
    .action(asCommand(stress));
}
