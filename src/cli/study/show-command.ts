import { Command } from 'commander';
import { StudyFolder } from '../../study/store/study-place.ts';
import { studyJson } from '../../study/texts/study-json.ts';
import { asCommand } from '../as-command.ts';
import { dataOption, integerOption } from '../option-readers.ts';
import { readValidatedStudy } from './read-study-result.ts';
import { studyLines } from './study-lines.ts';

interface Options {
  readonly best: number;
  readonly data: string;
  readonly json?: true;
}

const USUAL_TRIALS = 20;
const MOST_TRIALS = 100_000;
/** Reasons that are shown of those that failed. */
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

/** `sarraf study show`. */
export function studyShowCommand(): Command {
  return new Command('show')
    .description('Shows how much of a study is luck, its best trials, and why others failed.')
    .argument('<study>', 'its name, or its file')
    .option('--best <number>', 'so many trials, the best first', integerOption(1, MOST_TRIALS), USUAL_TRIALS)
    .addOption(dataOption('data folder with the studies'))
    .option('--json', 'prints everything as JSON, with all trials')
    .addHelpText('after', '\nExamples:\n  sarraf study show study\n  sarraf study show study --json')
    .action(async (wanted: string, options: Options) => asCommand(() => show(wanted, options)));
}
