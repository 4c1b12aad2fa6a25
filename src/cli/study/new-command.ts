import { writeFileSync } from 'node:fs';
import { dirname, relative, resolve } from 'node:path';
import { Command } from 'commander';
import { ownFile } from '../../plugins/own-files.ts';
import { wrongInput } from '../command-error.ts';
import { asCommand } from '../as-command.ts';
import { studyTemplate } from './study-template.ts';

function create(file: string): void {
  if (!/\.ya?ml$/.test(file))
    throw wrongInput(`expected the name of a file such as study.yaml, found ${file}`);
  try {
    const from = dirname(resolve(file));
    const places = {
      schema: relative(from, ownFile('config/study.schema.json')),
      catalogue: relative(from, ownFile('data/example')),
    };
    writeFileSync(file, studyTemplate(places), { flag: 'wx' });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    throw wrongInput(`expected no file at ${file}, found one: it was left as it is`);
  }
  console.log(`${file}: edit it, and run it with "sarraf study run ${file}"`);
}

/** `sarraf study new`. */
export function studyNewCommand(): Command {
  return new Command('new')
    .description('Writes the file of a study that runs as it is, with a word on every key.')
    .argument('<file>', 'where, such as study.yaml')
    .addHelpText('after', '\nExamples:\n  sarraf study new study.yaml')
    .action(async (file: string) => asCommand(() => create(file)));
}
