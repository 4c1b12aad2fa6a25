import { Command } from 'commander';
import { readStudyFile, readWrittenStudy } from '../../study/read-study.ts';
import { nameOfFile, StudyFolder } from '../../study/study-place.ts';
import { MOST_DRAWS, runStress, USUAL_DRAWS } from '../../study/run-stress.ts';
import { studyJson } from '../../study/study-voice.ts';
import { asCommand } from '../as-command.ts';
import { integerOption } from '../option-readers.ts';
import { readWritten, readValidatedStudy } from './read-study-result.ts';
import { remoteOptions, type RemoteFlags } from './remote-options.ts';
import { sessionOptions, withStudy, type SessionFlags } from './run-command.ts';
import { stressLines, verdictLines } from './study-lines.ts';

interface Options extends SessionFlags, RemoteFlags {
  readonly draws: number;
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

export function studyStressCommand(): Command {
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
    .addHelpText('after', EXAMPLES)
    .action(async (what: string, options: Options) => asCommand(async () => stress(what, options)));
}
