import { availableParallelism } from 'node:os';
import { Command } from 'commander';
import { z } from 'zod';
import { baseName } from '../../daemon/strategy-settings.ts';
import {
  readStudyFile,
  readWrittenStudy,
  withWholePaths,
  type ReadStudy,
  studyIn,
  studyShape,
} from '../../study/study-settings.ts';
import { prepareStudy, type PreparedStudy } from '../../study/prepare-study.ts';
import { type StudyEnd, runSession } from '../../study/study-session.ts';
import { nameOfFile, StudyFolder } from '../../study/study-place.ts';
import type { ValidatedStudy } from '../../study/validated-study.ts';
import { MOST_WORKERS } from '../../study/thread-runner.ts';
import { RUN_FLAGS } from '../../backtest/run-schema.ts';
import { failed, wrongInput, asCommand } from '../command-error.ts';
import { studyJson } from '../../study/study-voice.ts';
import { endSignal, limitHeap } from '../end-signal.ts';
import { dataOption, integerOption, type DataFolderOptions } from '../option-readers.ts';
import { reportOnStderr, type ProgressReport } from '../progress-report.ts';
import { readWritten, readValidatedStudy } from './read-study-result.ts';
import { remoteOptions, remoteRunner, type RemoteFlags } from './remote-options.ts';
import { RunFlags, type FlagValues } from '../run-flags.ts';
import { studyLines, StudyProgress } from './study-lines.ts';

/** Options that any study has, with or without a file. */
export interface SessionFlags extends FlagValues, DataFolderOptions {
  readonly workers: number;
  readonly name?: string;
}

const { budget, validation: _validation, ...shortShape } = studyShape;

/** Field for bounds of figures that the trials must meet, as options name them. */
const bound = (about: string) =>
  z
    .record(z.string(), z.number({ error: 'expected a number' }))
    .optional()
    .describe(about)
    .register(RUN_FLAGS, { value: '<metric=value>', form: 'params', hint: 'such as trades=30' });

/** Options of the short form, which replaces a file: a run, and how its params are searched. */
export const SHORT_FLAGS = new RunFlags({
  ...shortShape,
  least: bound('A figure that must not be below.'),
  most: bound('A figure that must not be above.'),
});

/** Options that limit the trials of a study and its time. */
const BUDGET_FLAGS = new RunFlags({ budget });

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

/** Reads the study that a strategy and options describe. Throws with every problem at once. */
export function readShortStudy(strategy: string, options: FlagValues): ReadStudy {
  const { least = {}, most = {}, ...given } = SHORT_FLAGS.written(options);
  const constraints = Object.entries({ least, most }).flatMap(([side, bounds]) =>
    Object.entries(bounds as object).map(([metric, value]) => ({ metric, [side]: value as number })),
  );
  const written = { strategy, ...given, constraints, ...BUDGET_FLAGS.written(options) };
  const read = studyIn(SHORT_FLAGS.name).safeParse(written);
  if (read.success) return withWholePaths(read.data, written, process.cwd());
  throw wrongInput(SHORT_FLAGS.problems(read.error));
}

/** Throws if options of the short form stand beside a file, which sets the same. */
export function refuseShortFlags(options: FlagValues, file: string): void {
  const flag = SHORT_FLAGS.given(options);
  if (flag !== null) throw wrongInput(`expected what ${flag} says in ${file}, found it beside the file`);
}

async function run(what: string, options: SessionFlags & RemoteFlags): Promise<void> {
  const isFile = /\.ya?ml$/.test(what);
  if (isFile) refuseShortFlags(options, what);
  const read = isFile ? withBudget(readStudyFile(what), options) : readShortStudy(what, options);
  await runRead(read, options, (study) => options.name ?? (isFile ? nameOfFile(what) : shortName(study)));
}

async function resume(wanted: string, options: SessionFlags & RemoteFlags): Promise<void> {
  const folder = new StudyFolder(options.data);
  const name = folder.find(wanted);
  await runRead(withBudget(readWrittenStudy(readWritten(folder, name)), options), options, () => name);
}

/** Returns a name that identifies the content of a study without one: another question is another study. */
export function shortName({ settings, identity }: PreparedStudy): string {
  const { strategy, markets, universe, timeframe } = settings;
  const places = universe === undefined ? markets : [universe.quote, universe.rankBy];
  return [baseName(strategy), ...places, timeframe, identity.id.slice(0, 8)].join('-');
}

function withBudget(read: ReadStudy, options: SessionFlags): ReadStudy {
  const { budget: given } = BUDGET_FLAGS.written(options);
  if (given === undefined) return read;
  const { trials, time } = read.settings.budget;
  const own = { trials, ...(time === undefined ? {} : { time: `${time}ms` }) };
  return readWrittenStudy({ ...read.written, budget: { ...own, ...Object(given) } });
}

async function runRead(
  read: ReadStudy,
  options: SessionFlags & RemoteFlags,
  nameOf: (study: PreparedStudy) => string,
): Promise<void> {
  await withStudy(read, options, async (study, { report, session }) => {
    const { objectives, budget } = study.settings;
    const { fromMs, splitMs: toMs } = study.data.range;
    const seen = { fromMs, toMs };
    const progress = new StudyProgress(report, { objectives, seen, wanted: budget.trials });
    const name = nameOf(study);
    report.begin('trials');
    const end = await runSession(study, {
      ...session,
      name,
      onTrial: (trial, isNew) => progress.add(trial, isNew),
    });
    report.begin('statistics');
    const result = readValidatedStudy(session.folder, name);
    report.end();
    conclude(result, { end, ranNow: progress.ranNow, options });
  });
}

/** Machines and settings with which a command runs the trials of a study. */
interface CommandSession {
  readonly report: ProgressReport;
  readonly session: {
    readonly folder: StudyFolder;
    readonly workers: number;
    readonly signal: AbortSignal;
  } & ReturnType<typeof remoteRunner>;
}

/** Prepares a study and runs work on it until that ends or a signal requests the end. */
export async function withStudy(
  read: ReadStudy,
  options: SessionFlags & RemoteFlags,
  run: (study: PreparedStudy, of: CommandSession) => Promise<void>,
): Promise<void> {
  limitHeap();
  using report = reportOnStderr({ isSilent: options.json === true });
  using ended = endSignal();
  const { signal } = ended;
  report.begin('loading candles');
  const study = await prepareStudy(read);
  for (const problem of study.problems) console.error(problem);
  const remote = remoteRunner(options, { signal, report });
  const { data, workers } = options;
  await run(study, { report, session: { folder: new StudyFolder(data), workers, signal, ...remote } });
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

export function studyRunCommand(): Command {
  const command = new Command('run')
    .description('Runs a study, or goes on with one: by its file, or by a strategy and options.')
    .argument('<study>', 'a study file (.yaml), or a strategy: the path of its file or a bundled name')
    .addHelpText('after', RUN_EXAMPLES);
  return remoteOptions(sessionOptions(BUDGET_FLAGS.addTo(SHORT_FLAGS.addTo(command))))
    .option('--name <name>', 'name of the study (default: that of its file)')
    .action(asCommand(run));
}

export function studyResumeCommand(): Command {
  const command = new Command('resume')
    .description('Goes on with a study where it was, with the file and the data that it began with.')
    .argument('<study>', 'its name, or its file')
    .addHelpText(
      'after',
      '\nExamples:\n  sarraf study resume study\n  sarraf study resume study --trials 500\n' +
        '  sarraf study resume study --redis redis://10.0.0.2 --serve 10.0.0.2:7300',
    );
  return remoteOptions(sessionOptions(BUDGET_FLAGS.addTo(command))).action(asCommand(resume));
}

/** Adds the options of every command that runs trials. */
export function sessionOptions(command: Command): Command {
  return command
    .option(
      '--workers <number>',
      'trials at once, one a core',
      integerOption(1, MOST_WORKERS),
      Math.min(MOST_WORKERS, availableParallelism()),
    )
    .addOption(dataOption('data folder; studies are stored below it'))
    .option('--json', 'prints the result as JSON');
}
