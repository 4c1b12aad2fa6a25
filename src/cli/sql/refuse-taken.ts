import { existsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { wrongInput } from '../command-error.ts';

/** Refuses a file that is there, and one whose folder is not. */
export function refuseTaken(path: string): void {
  if (existsSync(path)) throw wrongInput(`expected no file at ${path} yet, found one: name another`);
  if (statSync(dirname(path), { throwIfNoEntry: false })?.isDirectory() !== true)
    throw wrongInput(`expected a folder ${dirname(path)} to write ${path} into, found none: make it`);
}
