import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';

const MUTANT = z.strictObject({
  /** The bug in a few words. */
  name: z.string().min(1),
  /** What is edited, from the top of the project. */
  file: z.string().regex(/^src\//),
  /** The text that is replaced, to the letter: it must be in the file exactly once. */
  find: z.string().min(1),
  replace: z.string(),
  /** The test file that finds it, where the fuzzer does not run what is edited. */
  test: z
    .string()
    .regex(/^test\/.*\.test\.ts$/)
    .optional(),
  /** Why the edited code would be wrong. */
  why: z.string().min(1),
});

/** A planted bug: one exact edit of the bot's own source. */
export type Mutant = z.output<typeof MUTANT>;

/** The bugs are planted in the bot, not in what looks for them. */
const NOT_THE_BOT = /^src\/(?:simulator|fuzz|virtual)\//;

/** Reads every mutant of a folder of YAML files, by name. Throws for one that is no mutant. */
export function readMutants(folder: string): readonly Mutant[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.yaml'))
    .toSorted()
    .map((name) => {
      const mutant = MUTANT.parse(parse(readFileSync(join(folder, name), 'utf8')));
      if (NOT_THE_BOT.test(mutant.file))
        throw new Error(`${name}: expected an edit of the bot, was of ${mutant.file}`);
      return mutant;
    });
}

/** The text of the mutant's file with the bug in it. Throws where its text is not there exactly once. */
export function planted(source: string, { name, file, find, replace }: Mutant): string {
  const parts = source.split(find);
  if (parts.length !== 2)
    throw new Error(
      `the mutant no longer fits: ${name}: expected its text once in ${file}, it is there ${parts.length - 1} times`,
    );
  return parts.join(replace);
}
