import { Command } from 'commander';
import { prepareStudy } from '../../study/prepare-study.ts';
import { StudyFolder } from '../../study/store/study-place.ts';
import { runWalkForward, windowsOf } from '../../study/walk-forward/run-walk-forward.ts';
import { studyJson } from '../../study/texts/study-json.ts';
import { asCommand } from '../as-command.ts';
import { endSignal } from '../end-signal.ts';
import { reportOnStderr } from '../progress-report.ts';
import { keepHeapTight } from '../tight-heap.ts';
import { planOptions } from './plan-options.ts';
import { readWalkForward } from './read-study-result.ts';
import { remoteOptions, remoteRunner } from './remote-options.ts';
import { sessionOptions, shortOptions } from './run-command.ts';
import { StudyProgress, type TrialCounts } from './study-progress.ts';
import { walkForwardLines } from './walk-forward-lines.ts';
import { wantedWalk, type WalkFlags } from './wanted-walk.ts';

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
  keepHeapTight();
  const report = reportOnStderr({ isSilent: options.json === true });
  const { signal, release } = endSignal();
  try {
    report.begin('loading candles');
    const study = await prepareStudy(read);
    const name = nameOf(study);
    for (const problem of study.problems) console.error(problem);
    const { objectives } = study.settings;
    const { windows, trials } = windowsOf(study);
    const remote = remoteRunner(options, { signal, report });
    const whole: TrialCounts = { wanted: trials * windows.length, before: 0, ran: 0 };
    let progress: StudyProgress | null = null;
    report.begin('trials');
    const end = await runWalkForward(study, {
      folder,
      name,
      workers: options.workers,
      signal,
      ...remote,
      onWindow(window) {
        if (window === null) {
          report.begin('the account');
          return;
        }
        const part = { name: `window ${window.number} of ${windows.length}`, whole };
        progress = new StudyProgress(report, { objectives, seen: window.train, wanted: trials, part });
      },
      onTrial(_window, trial, isNew) {
        progress?.take(trial, isNew);
      },
    });
    report.end();
    if (end === 'stopped') {
      const advice = `it ended before all of its trials: "sarraf study walk-forward ${name}" goes on`;
      console.log(options.json === true ? JSON.stringify({ end, ranNow: whole.ran, study: name }) : advice);
      return;
    }
    const result = readWalkForward(study, folder, name);
    console.log(
      options.json === true
        ? studyJson({ end, ranNow: whole.ran, ...result })
        : walkForwardLines(result).join('\n'),
    );
  } finally {
    report.end();
    release();
  }
}

/** `sarraf study walk-forward`. */
export function studyWalkForwardCommand(): Command {
  const command = new Command('walk-forward')
    .description('Chooses params again and again as time goes on, and trades each choice on what follows.')
    .argument('<study>', 'its name, or its file; or a strategy with the options of "sarraf study run"')
    .addHelpText('after', EXAMPLES);
  const trials = 'trials of each window (default: as many as the study has)';
  return shortOptions(remoteOptions(planOptions(sessionOptions(command, trials))))
    .option('--name <name>', 'name of the study (default: that of its file)')
    .action(async (what: string, options: WalkFlags) => asCommand(async () => walkForward(what, options)));
}
