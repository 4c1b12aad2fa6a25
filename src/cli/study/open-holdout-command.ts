import { Command } from 'commander';
import { present } from '../../domain/errors.ts';
import { withoutYear } from '../../backtest/finish-run.ts';
import { minuteText } from '../../domain/time-text.ts';
import { readWrittenStudy } from '../../study/study-settings.ts';
import { readHoldoutReport, type HoldoutReport, seenNote } from '../../study/study-result.ts';
import { openHoldout, type HoldoutOpening } from '../../study/open-holdout.ts';
import { prepareStudy } from '../../study/prepare-study.ts';
import { MOST_TRIALS } from '../../search/trial-record.ts';
import { StudyFolder, type TrialsOnData } from '../../study/study-place.ts';
import { studyVoice } from '../../study/study-voice.ts';
import { failed } from '../command-error.ts';
import { asCommand } from '../as-command.ts';
import { dataOption, integerOption } from '../option-readers.ts';
import { tableLines } from '../table.ts';
import { readStudyResult, readWritten } from './read-study-result.ts';

interface Options {
  readonly trial?: number;
  readonly data: string;
  readonly json?: true;
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
  if (options.json === true) {
    const { number, params } = trial;
    console.log(
      JSON.stringify({
        study: name,
        isFirst,
        ...opened,
        report,
        params,
        inSample: { trial: number, metrics },
        trialsOnData,
      }),
    );
  } else {
    const objectives = study.settings.objectives.map(({ metric }) => metric);
    console.log(lines({ ...opening, trial }, { name, report, objectives, trialsOnData }).join('\n'));
  }
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
  const when = `${minuteText(opened.openedAtMs)} UTC, after ${opened.afterTrials} trials`;
  return [
    `${name}: trial ${trial.number}, ${JSON.stringify(trial.params)}`,
    isFirst
      ? `The hold-out is opened now, after ${opened.afterTrials} trials.`
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
    .action(async (wanted: string, options: Options) => asCommand(async () => open(wanted, options)));
}
