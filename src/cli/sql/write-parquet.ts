import { existsSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { wrongInput } from '../command-error.ts';

/** Refuses a file that is there, and one whose folder is not. */
export function refuseTaken(path: string): void {
  if (existsSync(path)) throw wrongInput(`expected no file at ${path} yet, found one: name another`);
  if (statSync(dirname(path), { throwIfNoEntry: false })?.isDirectory() !== true)
    throw wrongInput(`expected a folder ${dirname(path)} to write ${path} into, found none: make it`);
}

/** Has a file written under a name of our own; it gets its own when it is whole. */
export async function asWholeFile<Value>(
  path: string,
  write: (draft: string) => Promise<Value>,
): Promise<Value> {
  const draft = `${path}.${process.pid}.tmp`;
  try {
    const written = await write(draft);
    refuseTaken(path);
    renameSync(draft, path);
    return written;
  } finally {
    rmSync(draft, { force: true });
  }
}
