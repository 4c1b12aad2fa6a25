import { Command } from 'commander';
import { z } from 'zod';
import { type PreparedStudy, prepareStudy } from '../../study/prepare-study.ts';
import { StudyFolder, nameOfFile, type TrialsOnData } from '../../study/study-place.ts';
import { runWalkForward, windowsOf } from '../../study/run-walk-forward.ts';
import { studyJson, studyVoice } from '../../study/study-voice.ts';
import { asCommand, wrongInput, failed } from '../command-error.ts';
import { readWalkForward, readBegunPlan, readWritten, readStudyResult } from './read-study-result.ts';
import { remoteOptions, type RemoteFlags } from './remote-options.ts';
import {
  readShortStudy,
  refuseShortFlags,
  sessionOptions,
  SHORT_FLAGS,
  shortName,
  withStudy,
  type SessionFlags,
} from './run-command.ts';
import { StudyProgress, type TrialCounts } from './study-lines.ts';
import { countText } from '../../domain/money.ts';
import type { WalkForwardResult } from '../../study/walk-forward-result.ts';
import { accountTexts, driftTexts, textRows, windowTexts, type WalkColumn } from '../../study/study-texts.ts';
import { print, tableLines } from '../table.ts';
import { parseDuration } from '../../daemon/duration-text.ts';
import {
  readStudyFile,
  readWrittenStudy,
  type ReadStudy,
  budgetShape,
  studyShape,
} from '../../study/study-settings.ts';
import { isSamePlan, planText, walkQuestion, writtenPlan, type WalkQuestion } from '../../study/walk-plan.ts';
import { RunFlags } from '../run-flags.ts';
import { present } from '../../domain/errors.ts';
import { withoutYear } from '../../backtest/finish-run.ts';
import { minuteText } from '../../domain/time-text.ts';
import { readHoldoutReport, type HoldoutReport, seenNote } from '../../study/study-result.ts';
import { openHoldout, type HoldoutOpening } from '../../study/open-holdout.ts';
import { MOST_TRIALS } from '../../search/trial-record.ts';
import { dataOption, integerOption, type DataFolderOptions } from '../option-readers.ts';

/** Options for the plan of a walk-forward, the trials of each window, and the time of the session. */
const PLAN_FLAGS = new RunFlags({
  validation: studyShape.validation,
  budget: z.strictObject({ time: budgetShape.time }),
});

const EXAMPLES = `
Each train window is searched with the sampler and the trials of the study. One account then trades
every test window with what was chosen before it. The plan is that of the options, or
validation.walkForward of the study. Run again, it goes on where it was, or shows what it found.
Instead of a study, give a strategy with the options of "sarraf study run": it needs no file, and
belongs to the study that these options make.

Examples:
  sarraf study walk-forward study.yaml
  sarraf study walk-forward study --train 180d --test 30d --workers 4 --json
  sarraf study walk-forward mean-reversion --csv hours.csv --market BTCUSDT --cash 10000 --fee 0.1% \\
    --holdout 20% --train 180d --test 30d --trials 60
  sarraf study walk-forward study --redis redis://10.0.0.2 --serve 10.0.0.2:7300`;

async function walkForward(what: string, options: WalkFlags): Promise<void> {
  const folder = new StudyFolder(options.data);
  const { read, nameOf } = wantedWalk(what, options, folder);
  await withStudy(read, options, async (study, { report, session }) => {
    const name = nameOf(study);
    const { objectives } = study.settings;
    const { windows, trials } = windowsOf(study);
    const whole: TrialCounts = { wanted: trials * windows.length, before: 0, ran: 0 };
    let progress: StudyProgress | null = null;
    report.begin('trials');
    const end = await runWalkForward(study, {
      ...session,
      name,
      onWindow(window) {
        if (window === null) {
          report.begin('the account');
          return;
        }
        const part = { name: `window ${window.number} of ${windows.length}`, whole };
        progress = new StudyProgress(report, { objectives, seen: window.train, wanted: trials, part });
      },
      onTrial(_window, trial, isNew) {
        progress?.add(trial, isNew);
      },
    });
    report.end();
    if (end === 'stopped') {
      const advice = `it ended before all of its trials: "sarraf study walk-forward ${name}" goes on`;
      print(options, { end, ranNow: whole.ran, study: name }, () => advice);
      return;
    }
    const result = readWalkForward(study, folder, name);
    console.log(
      options.json === true
        ? studyJson({ end, ranNow: whole.ran, ...result })
        : walkForwardLines(result).join('\n'),
    );
  });
}

export function studyWalkForwardCommand(): Command {
  const command = new Command('walk-forward')
    .description('Chooses params again and again as time goes on, and trades each choice on what follows.')
    .argument('<study>', 'its name, or its file; or a strategy with the options of "sarraf study run"')
    .addHelpText('after', EXAMPLES);
  return SHORT_FLAGS.addTo(remoteOptions(sessionOptions(PLAN_FLAGS.addTo(command))))
    .option('--name <name>', 'name of the study (default: that of its file)')
    .action(asCommand(walkForward));
}

export function walkForwardLines(result: WalkForwardResult): readonly string[] {
  const { study, plan, windows, trialsAWindow, notes, hash, file } = result;
  return [
    `${study}: ${windows.length} ${plan.kind} windows, ${countText(trialsAWindow, 'trial')} each; what was chosen (${plan.choose}) trades in one account`,
    '',
    ...linesOf(windowTexts(result)),
    '',
    ...linesOf(driftTexts(result)),
    '',
    ...tableLines(['the account, out of sample', '>'], accountTexts(result)),
    '',
    ...notes.map(studyVoice('en').format),
    `hash ${hash}`,
    file,
  ];
}

const linesOf = (columns: readonly WalkColumn[]): readonly string[] =>
  tableLines(
    columns.map(({ title, isWord }) => (isWord ? { title } : { title, align: 'right' as const })),
    textRows(columns),
  );

/** Plan of a walk-forward given by options, in the form of `validation.walkForward` of a study. */
interface GivenPlan {
  readonly validation?: { readonly walkForward: { readonly trials?: number } };
  readonly budget?: { readonly time: string };
}

type WalkFlags = SessionFlags & RemoteFlags;

interface WantedWalk {
  readonly read: ReadStudy;
  readonly nameOf: (study: PreparedStudy) => string;
}

/**
 * Returns the study for a walk-forward, with its plan: from a file, by the name of a study, or from a
 * strategy with the options of the short form. Throws `INVALID_FILE`, `INVALID_OPTIONS` and `CommandError`.
 */
function wantedWalk(what: string, options: WalkFlags, folder: StudyFolder): WantedWalk {
  const given = options.name;
  if (/\.ya?ml$/.test(what)) {
    refuseShortFlags(options, what);
    const name = given ?? nameOfFile(what);
    return {
      read: planned(readStudyFile(what), options, {
        folder,
        name,
        source: what,
        advice: 'leave one of them out',
      }),
      nameOf: () => name,
    };
  }
  if (SHORT_FLAGS.given(options) === null) {
    const found = folder.find(what);
    const name = given ?? found;
    const stored = readWrittenStudy(readWritten(folder, found));
    // A study under another name may have another plan.
    const read = name === found ? stored : readWrittenStudy({ ...stored.written, validation: undefined });
    return {
      read: planned(read, options, {
        folder,
        name,
        source: `the study ${found}`,
        advice: 'leave these out, or run it under another name with --name',
      }),
      nameOf: () => name,
    };
  }
  // The number of trials is for each window here, not for the study.
  const { trials: _trials, time: _time, ...asked } = options;
  return {
    read: planned(readShortStudy(what, asked), options, {
      folder,
      name: given ?? null,
      source: 'the study',
      advice: 'leave one of them out',
    }),
    nameOf: (study) => given ?? shortName(study),
  };
}

function planned(
  read: ReadStudy,
  options: WalkFlags,
  of: {
    readonly folder: StudyFolder;
    readonly name: string | null;
    readonly source: string;
    readonly advice: string;
  },
): ReadStudy {
  const { folder, name, ...rest } = of;
  const begun = name === null ? null : readBegunPlan(folder, name);
  const { validation, budget } = PLAN_FLAGS.written(options) as GivenPlan;
  const { trials, ...flags } = validation?.walkForward ?? {};
  const { settings, written } = withPlan(read, { flags, trials, begun, ...rest });
  const time = parseDuration(budget?.time ?? '');
  // Not written: it is the time of this session, and not that of the study.
  return time === null
    ? { settings, written }
    : { settings: { ...settings, budget: { ...settings.budget, time } }, written };
}

/**
 * Returns a study with the plan of the options, else its own, else the one with which its walk-forward was
 * begun; `trials` of each window overrides that of the plan. Throws for an incomplete plan, and for one that
 * differs from the study's own.
 */
export function withPlan(
  read: ReadStudy,
  of: {
    readonly flags: Readonly<Record<string, unknown>>;
    readonly trials: number | undefined;
    readonly begun: WalkQuestion | null;
    /** Description of where the study's own plan is; below, advice if the options give another plan. */
    readonly source: string;
    readonly advice: string;
  },
): ReadStudy {
  const { begun, source, advice } = of;
  const given = givenPlan(of.flags);
  const own = read.settings.validation.walkForward;
  const trials = of.trials === undefined ? {} : { trials: of.trials };
  if (own === undefined) {
    const plan = given ?? (begun === null ? null : writtenPlan(begun));
    return plan === null ? read : readWith(read, { ...plan, ...trials });
  }
  const found = readWith(read, { ...(given ?? writtenPlan(own)), trials: own.trials, ...trials });
  const { walkForward: asked = own } = found.settings.validation;
  if (isSamePlan(walkQuestion(own), walkQuestion(asked))) return found;
  throw wrongInput(
    `expected the plan of ${source} (${planText(own)}), found another one in the options (${planText(asked)}): ${advice}`,
  );
}

const readWith = ({ written }: ReadStudy, walkForward: object): ReadStudy =>
  readWrittenStudy({ ...written, validation: { walkForward } });

/** Returns the given values; null if none was given. */
function givenPlan(flags: Readonly<Record<string, unknown>>): object | null {
  const given = Object.keys(flags);
  if (given.length === 0) return null;
  if (given.includes('train') && given.includes('test')) return flags;
  const found = given.map((name) => `--${name}`).join(', ');
  throw wrongInput(`expected --train and --test, such as --train 180d --test 30d, found ${found} alone`);
}

interface Options extends DataFolderOptions {
  readonly trial?: number;
}

/** Figures that are shown beside the objectives. */
const FIGURES = ['totalReturn', 'sharpe', 'maxDrawdown', 'trades', 'profitFactor', 'buyAndHoldReturn'];

async function open(wanted: string, options: Options): Promise<void> {
  const folder = new StudyFolder(options.data);
  const name = folder.find(wanted);
  const study = await prepareStudy(readWrittenStudy(readWritten(folder, name)));
  const { trial: chosen, ...opening } = await openHoldout(study, {
    folder,
    name,
    trial: options.trial ?? null,
    atMs: Date.now(),
  });
  const { opened, isFirst } = opening;
  const { fromMs, splitMs } = study.data.range;
  const metrics = chosen.metrics === null ? null : withoutYear(chosen.metrics, { fromMs, toMs: splitMs });
  const trial = { ...chosen, metrics };
  const report = present(
    readHoldoutReport(opened.report, study.data.range),
    'the figures of a hold-out that was run',
  );
  const { trialsOnData } = readStudyResult(folder, name);
  const { number, params } = trial;
  const inSample = { trial: number, metrics };
  const objectives = study.settings.objectives.map(({ metric }) => metric);
  print(options, { study: name, isFirst, ...opened, report, params, inSample, trialsOnData }, () =>
    lines({ ...opening, trial }, { name, report, objectives, trialsOnData }),
  );
  if (report.kind === 'failed') throw failed(`the run of the hold-out failed: ${report.reason}`);
}

function lines(
  { opened, trial, isFirst }: HoldoutOpening,
  of: {
    readonly name: string;
    readonly report: HoldoutReport;
    readonly objectives: readonly string[];
    readonly trialsOnData: TrialsOnData;
  },
): readonly string[] {
  const { name, report, objectives, trialsOnData } = of;
  const voice = studyVoice('en');
  const names = [...new Set([...objectives, ...FIGURES])];
  const found = report.kind === 'failed' ? null : report.metrics;
  const rows = names.map((figure) => [
    figure,
    voice.figure(figure, trial.metrics),
    voice.figure(figure, found),
  ]);
  const when = `${minuteText(opened.openedAtMs)} UTC, after ${countText(opened.afterTrials, 'trial')}`;
  return [
    `${name}: trial ${trial.number}, ${JSON.stringify(trial.params)}`,
    isFirst
      ? `The hold-out is opened now, after ${countText(opened.afterTrials, 'trial')}.`
      : `The hold-out was opened on ${when}.`,
    '',
    ...tableLines(['', '>in the trials', '>in the hold-out'], rows),
    '',
    ...(trialsOnData.inHoldout === 0 ? [] : [voice.format(seenNote(trialsOnData))]),
    'It is spent: what you choose after looking at it was not tested on new data.',
  ];
}

export function openHoldoutCommand(): Command {
  return new Command('open-holdout')
    .description('Runs the best params once on the hold-out, and records for ever that it was opened.')
    .argument('<study>', 'its name, or its file')
    .option('--trial <number>', 'params of this trial (default: the best one)', integerOption(0, MOST_TRIALS))
    .addOption(dataOption('data folder with the studies'))
    .option('--json', 'prints JSON')
    .addHelpText(
      'after',
      '\nExamples:\n  sarraf study open-holdout study\n  sarraf study open-holdout study --trial 17',
    )
    .action(asCommand(open));
}
