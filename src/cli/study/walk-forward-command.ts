import { Command } from 'commander';
import { readStudyFile, readWrittenStudy } from '../../study/file/read-study.ts';
import { prepareStudy } from '../../study/prepare-study.ts';
import { nameOfFile, StudyFolder } from '../../study/store/study-place.ts';
import { runWalkForward, windowsOf } from '../../study/walk-forward/run-walk-forward.ts';
import { asCommand } from '../as-command.ts';
import { endSignal } from '../end-signal.ts';
import { reportOnStderr } from '../progress-report.ts';
import { keepHeapTight } from '../tight-heap.ts';
import { readWritten, readWalkForward } from './read-study-result.ts';
import { sessionOptions, withBudget } from './run-command.ts';
import { remoteOptions, remoteRunner } from './remote-options.ts';
import type { RemoteFlags, SessionFlags } from './run-options.ts';
import { StudyProgress } from './study-progress.ts';
import { walkForwardLines } from './walk-forward-lines.ts';

const EXAMPLES = `
Its plan is validation.walkForward of the study. Each train window is searched with the sampler and
the trials of the study. One account then trades every test window with what was chosen before it.
Run again, it goes on where it was, or shows what it found.

Examples:
  sarraf study walk-forward study.yaml
  sarraf study walk-forward study --workers 4 --json
  sarraf study walk-forward study --redis redis://10.0.0.2 --serve 10.0.0.2:7300`;

async function walkForward(what: string, options: SessionFlags & RemoteFlags): Promise<void> {
  const isFile = /\.ya?ml$/.test(what);
  const folder = new StudyFolder(options.data);
  const name = options.name ?? (isFile ? nameOfFile(what) : folder.find(what));
  const read = isFile ? readStudyFile(what) : readWrittenStudy(readWritten(folder, name));
  keepHeapTight();
  const report = reportOnStderr({ isSilent: options.json === true });
  const { signal, release } = endSignal();
  try {
    report.begin('loading candles');
    const study = await prepareStudy(withBudget(read, options));
    for (const problem of study.problems) console.error(problem);
    const { objectives, budget } = study.settings;
    const { windows } = windowsOf(study);
    const remote = remoteRunner(options, { signal, report });
    let progress: StudyProgress | null = null;
    let ranNow = 0;
    const end = await runWalkForward(study, {
      folder,
      name,
      workers: options.workers,
      signal,
      ...remote,
      onWindow(window) {
        report.begin(window === null ? 'the account' : `window ${window.number} of ${windows.length}`);
        progress = new StudyProgress(report, { objectives, wanted: budget.trials });
      },
      onTrial(_window, trial, isNew) {
        if (isNew) ranNow += 1;
        progress?.take(trial, isNew);
      },
    });
    report.end();
    if (end === 'stopped') {
      const advice = `it ended before all of its trials: "sarraf study walk-forward ${name}" goes on`;
      console.log(options.json === true ? JSON.stringify({ end, ranNow, study: name }) : advice);
      return;
    }
    const result = readWalkForward(study, folder, name);
    console.log(
      options.json === true
        ? JSON.stringify({ end, ranNow, ...result })
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
    .argument('<study>', 'its name, or its file')
    .addHelpText('after', EXAMPLES);
  return remoteOptions(sessionOptions(command, 'trials of each window (default: 100)'))
    .option('--name <name>', 'name of the study (default: that of its file)')
    .action(async (what: string, options: SessionFlags & RemoteFlags) =>
      asCommand(async () => walkForward(what, options)),
    );
}
