import { availableParallelism } from 'node:os';
import { Command, InvalidArgumentError, Option } from 'commander';
import { baseName } from '../../daemon/strategy-settings.ts';
import { parseDuration } from '../../daemon/duration-text.ts';
import { readStudyFile, readWrittenStudy, type ReadStudy } from '../../study/read-study.ts';
import type { Constraint } from '../../study/objectives.ts';
import { prepareStudy, type PreparedStudy } from '../../study/prepare-study.ts';
import type { StudyEnd } from '../../study/run-study.ts';
import { SAMPLER_KINDS } from '../../search/sampler-settings.ts';
import { MOST_TRIALS } from '../../search/trial-record.ts';
import { nameOfFile, StudyFolder } from '../../study/study-place.ts';
import { runSession } from '../../study/study-session.ts';
import type { ValidatedStudy } from '../../study/validated-study.ts';
import { MOST_WORKERS } from '../../study/thread-runner.ts';
import { backtestFlags } from '../backtest/backtest-flags.ts';
import { failed, wrongInput } from '../command-error.ts';
import { studyJson } from '../../study/study-json.ts';
import { asCommand } from '../as-command.ts';
import { endSignal } from '../end-signal.ts';
import { dataOption, integerOption } from '../option-readers.ts';
import { reportOnStderr } from '../progress-report.ts';
import { keepHeapTight } from '../tight-heap.ts';
import { readWritten, readValidatedStudy } from './read-study-result.ts';
import { remoteOptions, remoteRunner } from './remote-options.ts';
import {
  refuseShortFlags,
  writtenStudy,
  type RemoteFlags,
  type SessionFlags,
  type ShortFlags,
} from './run-options.ts';
import { studyLines } from './study-lines.ts';
import { StudyProgress } from './study-progress.ts';

const LARGEST_SEED = Number.MAX_SAFE_INTEGER;

const RUN_EXAMPLES = `
Without a file a study takes the data options of "sarraf backtest". It searches what the strategy
declares by search(), and maximizes the Sharpe ratio. A study that is there already goes on.
A metric is a figure of the result: sharpe, calmar, totalReturn, maxDrawdown, trades and others
(docs/metrics.md).

Examples:
  sarraf study run study.yaml
  sarraf study run study.yaml --trials 200 --time 10m --workers 4
  sarraf study run strategies/ma-cross.ts --csv hours.csv --market BTCUSDT --resolution 1h \\
    --cash 10000 --fee 0.1% --trials 60 --sampler tpe --seed 7 --workers 2 --json
  sarraf study run breakout --market BTCUSDT --timeframe 5m --catalogue data/example --cash 10000 \\
    --objective calmar --least trades=10 --most maxDrawdown=0.2 --holdout 20%
  sarraf study run study.yaml --redis redis://10.0.0.2 --serve 10.0.0.2:7300

With --redis this process computes nothing: any number of "sarraf worker" do
(docs/distributed-studies.md). Exit codes: 0 it ended, or was asked to; 1 no trial has values, or
files, Redis or the workers can not be used; 2 an option or a file is wrong.`;

async function run(what: string, options: ShortFlags & SessionFlags & RemoteFlags): Promise<void> {
  const isFile = /\.ya?ml$/.test(what);
  if (isFile) refuseShortFlags({ ...options }, what);
  const read = isFile
    ? withBudget(readStudyFile(what), options)
    : readWrittenStudy(writtenStudy(what, options));
  await runRead(read, options, (study) => options.name ?? (isFile ? nameOfFile(what) : shortName(study)));
}

async function resume(wanted: string, options: SessionFlags & RemoteFlags): Promise<void> {
  const folder = new StudyFolder(options.data);
  const name = folder.find(wanted);
  await runRead(withBudget(readWrittenStudy(readWritten(folder, name)), options), options, () => name);
}

/** A study without a name of its own has one that says what it is: another question is another study. */
export function shortName({ settings, identity }: PreparedStudy): string {
  const { strategy, markets, universe, timeframe } = settings;
  const places = universe === undefined ? markets : [universe.quote, universe.rankBy];
  return [baseName(strategy), ...places, timeframe, identity.id.slice(0, 8)].join('-');
}

/** The options' budget over that of the file. */
function withBudget(read: ReadStudy, { trials, time }: SessionFlags): ReadStudy {
  if (trials === undefined && time === undefined) return read;
  const { trials: usual, time: usualMs } = read.settings.budget;
  const budget = {
    trials: trials ?? usual,
    ...(time === undefined ? (usualMs === undefined ? {} : { time: `${usualMs}ms` }) : { time }),
  };
  return readWrittenStudy({ ...read.written, budget });
}

async function runRead(
  read: ReadStudy,
  options: SessionFlags & RemoteFlags,
  nameOf: (study: PreparedStudy) => string,
): Promise<void> {
  keepHeapTight();
  const report = reportOnStderr({ isSilent: options.json === true });
  const { signal, release } = endSignal();
  try {
    report.begin('loading candles');
    const study = await prepareStudy(read);
    for (const problem of study.problems) console.error(problem);
    const { objectives, budget } = study.settings;
    const { fromMs, splitMs: toMs } = study.data.range;
    const seen = { fromMs, toMs };
    const progress = new StudyProgress(report, { objectives, seen, wanted: budget.trials });
    const folder = new StudyFolder(options.data);
    const name = nameOf(study);
    const remote = remoteRunner(options, { signal, report });
    report.begin('trials');
    const end = await runSession(study, {
      folder,
      name,
      workers: options.workers,
      signal,
      ...remote,
      onTrial: (trial, isNew) => progress.take(trial, isNew),
    });
    report.begin('statistics');
    const result = readValidatedStudy(folder, name);
    report.end();
    conclude(result, { end, ranNow: progress.ranNow, options });
  } finally {
    report.end();
    release();
  }
}

function conclude(
  result: ValidatedStudy,
  of: { readonly end: StudyEnd; readonly ranNow: number; readonly options: SessionFlags },
): void {
  const { end, ranNow, options } = of;
  if (options.json === true) console.log(studyJson({ end, ranNow, ...result }));
  else {
    const words = { complete: '', exhausted: END_OF_SPACE, stopped: stoppedText(result) };
    console.log([...studyLines(result), ...(words[end] === '' ? [] : [words[end]])].join('\n'));
  }
  if (result.best === null) throw failed('no trial has values: "sarraf study show" lists why each failed');
}

const END_OF_SPACE = 'every point of the space was tried';

const stoppedText = ({ study }: ValidatedStudy): string =>
  `it ended before all of its trials: "sarraf study resume ${study}" goes on`;

/** `sarraf study run`. */
export function studyRunCommand(): Command {
  const command = new Command('run')
    .description('Runs a study, or goes on with one: by its file, or by a strategy and options.')
    .argument('<study>', 'a study file (.yaml), or a strategy: the path of its file or a bundled name')
    .addHelpText('after', RUN_EXAMPLES);
  return remoteOptions(sessionOptions(shortOptions(command)))
    .option('--name <name>', 'name of the study (default: that of its file)')
    .action(async (what: string, options: ShortFlags & SessionFlags & RemoteFlags) =>
      asCommand(async () => run(what, options)),
    );
}

/** `sarraf study resume`. */
export function studyResumeCommand(): Command {
  const command = new Command('resume')
    .description('Goes on with a study where it was, with the file and the data that it began with.')
    .argument('<study>', 'its name, or its file')
    .addHelpText(
      'after',
      '\nExamples:\n  sarraf study resume study\n  sarraf study resume study --trials 500\n' +
        '  sarraf study resume study --redis redis://10.0.0.2 --serve 10.0.0.2:7300',
    );
  return remoteOptions(sessionOptions(command)).action(
    async (wanted: string, options: SessionFlags & RemoteFlags) =>
      asCommand(async () => resume(wanted, options)),
  );
}

/** Options of every command that runs trials. */
export function sessionOptions(command: Command, trials: string = 'trials in all (default: 100)'): Command {
  return command
    .option('--trials <number>', trials, integerOption(1, MOST_TRIALS))
    .option('--time <length>', 'after this time, such as 10m, no trial begins', timeOptionText)
    .option(
      '--workers <number>',
      'trials at once, one a core (default: as many as there are cores)',
      integerOption(1, MOST_WORKERS),
      Math.min(MOST_WORKERS, availableParallelism()),
    )
    .addOption(dataOption('data folder; studies are stored below it'))
    .option('--json', 'prints the result as JSON');
}

/** Options of the short form, which stand for a file. */
export function shortOptions(command: Command): Command {
  return backtestFlags(command)
    .option('--holdout <percent>', 'the last part of the range, such as 20%, which no trial sees')
    .option(
      '--objective <metric>',
      'figure to make the best of, such as sharpe or fees:minimize; repeatable (default: sharpe)',
      (text: string, before: readonly string[]) => [...before, text],
      [],
    )
    .option('--least <metric=value>', 'a figure that must not be below; repeatable', boundOption('least'), [])
    .option('--most <metric=value>', 'a figure that must not be above; repeatable', boundOption('most'), [])
    .addOption(
      new Option(
        '--sampler <kind>',
        'how points are chosen (default: tpe, or nsga2 for several objectives)',
      ).choices(SAMPLER_KINDS),
    )
    .option('--seed <number>', 'the same seed tries the same (default: 1)', integerOption(0, LARGEST_SEED))
    .option(
      '--generation <number>',
      'trials that are chosen before any is learned from',
      integerOption(1, 1_000),
    );
}

function boundOption(bound: 'least' | 'most') {
  return (text: string, before: readonly Constraint[]): readonly Constraint[] => {
    const [, metric, number] = /^([A-Za-z]{1,40})=(-?\d{1,15}(?:\.\d{1,10})?)$/.exec(text) ?? [];
    if (metric === undefined || number === undefined)
      throw new InvalidArgumentError(`expected metric=number, such as --${bound} trades=30.`);
    return [...before, { metric, [bound]: Number(number) }];
  };
}

function timeOptionText(text: string): string {
  if ((parseDuration(text) ?? 0) > 0) return text;
  throw wrongInput(`expected a length of time such as --time 10m, found ${text}`);
}
