import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Command, Option } from 'commander';
import { countText } from '../../domain/money-text.ts';
import { LANGUAGES, type Language } from '../../language/locale.ts';
import { asWholeFile } from '../../query/as-whole-file.ts';
import { writeTrialsParquet } from '../../query/write-trials-parquet.ts';
import { studyHtml } from '../../study/study-html.ts';
import { StudyFolder } from '../../study/study-place.ts';
import { StudyStore } from '../../study/study-store.ts';
import { wrongInput } from '../command-error.ts';
import { asCommand } from '../as-command.ts';
import { readReportedStudy } from './read-study-result.ts';
import { dataOption } from '../option-readers.ts';

interface Options {
  readonly out?: string;
  readonly data: string;
  readonly language: Language;
  readonly json?: true;
}

async function report(wanted: string, options: Options): Promise<void> {
  const folder = new StudyFolder(options.data);
  const name = folder.find(wanted);
  const reported = await readReportedStudy(folder, name, Date.now());
  const out = options.out ?? folder.reportOf(name);
  makeFolder(out);
  const page = join(resolve(out), 'report.html');
  await asWholeFile(page, (draft) => writeFileSync(draft, studyHtml(reported, options.language)));
  const parquet = join(resolve(out), 'trials.parquet');
  const trials = await writeTrials(folder.pathOf(name), parquet);
  if (options.json === true) {
    console.log(JSON.stringify({ study: name, page, parquet, trials }));
    return;
  }
  console.log([`${name}: ${countText(trials, 'trial')}`, page, parquet].join('\n'));
}

async function writeTrials(study: string, path: string): Promise<number> {
  const store = StudyStore.openToRead(study);
  try {
    return await writeTrialsParquet(store, path);
  } finally {
    store.close();
  }
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

/** `sarraf study report`. */
export function studyReportCommand(): Command {
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
    .action(async (wanted: string, options: Options) => asCommand(async () => report(wanted, options)));
}
