import { availableParallelism } from 'node:os';
import { Command } from 'commander';
import { readStudyFile, readWrittenStudy } from '../../study/read-study.ts';
import { prepareStudy } from '../../study/prepare-study.ts';
import { nameOfFile, StudyFolder } from '../../study/study-place.ts';
import { MOST_DRAWS, runStress, USUAL_DRAWS } from '../../study/run-stress.ts';
import { MOST_WORKERS } from '../../study/thread-runner.ts';
import { studyJson } from '../../study/study-json.ts';
import { asCommand } from '../as-command.ts';
import { endSignal } from '../end-signal.ts';
import { dataOption, integerOption } from '../option-readers.ts';
import { reportOnStderr } from '../progress-report.ts';
import { keepHeapTight } from '../tight-heap.ts';
import { readWritten, readValidatedStudy } from './read-study-result.ts';
import { remoteOptions, remoteRunner, type RemoteFlags } from './remote-options.ts';
import { stressLines } from './stress-lines.ts';
import { verdictLines } from './validation-lines.ts';

interface Options extends RemoteFlags {
  readonly draws: number;
  readonly workers: number;
  readonly name?: string;
  readonly data: string;
  readonly json?: true;
}

const EXAMPLES = `
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

async function stress(what: string, options: Options): Promise<void> {
  const isFile = /\.ya?ml$/.test(what);
  const folder = new StudyFolder(options.data);
  const name = folder.find(options.name ?? (isFile ? nameOfFile(what) : what));
  const read = isFile ? readStudyFile(what) : readWrittenStudy(readWritten(folder, name));
  keepHeapTight();
  const report = reportOnStderr({ isSilent: options.json === true });
  const { signal, release } = endSignal();
  try {
    report.begin('loading candles');
    const study = await prepareStudy(read);
    for (const problem of study.problems) console.error(problem);
    report.begin('runs under stress');
    const { draws, workers } = options;
    const remote = remoteRunner(options, { signal, report });
    const { end, trial, ranNow } = await runStress(study, {
      folder,
      name,
      draws,
      workers,
      signal,
      ...remote,
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
  } finally {
    report.end();
    release();
  }
}

/** `sarraf study stress`. */
export function studyStressCommand(): Command {
  const command = new Command('stress')
    .description('Runs the best trial with doubled costs, other orders, redrawn candles and random entries.')
    .argument('<study>', 'its name, or its file');
  return remoteOptions(command)
    .option(
      '--draws <number>',
      'redrawn histories, and random entries; more go on from those there',
      integerOption(1, MOST_DRAWS),
      USUAL_DRAWS,
    )
    .option(
      '--workers <number>',
      'runs at once, one a core (default: as many as there are cores)',
      integerOption(1, MOST_WORKERS),
      Math.min(MOST_WORKERS, availableParallelism()),
    )
    .option('--name <name>', 'name of the study (default: that of its file)')
    .addOption(dataOption('data folder with the studies'))
    .option('--json', 'prints JSON')
    .addHelpText('after', EXAMPLES)
    .action(async (what: string, options: Options) => asCommand(async () => stress(what, options)));
}
