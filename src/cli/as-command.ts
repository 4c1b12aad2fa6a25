import { SarrafError, type ErrorCode } from '../domain/errors.ts';
import { failed, wrongInput, type CommandError } from './command-error.ts';

/** Errors that the user can fix by a change of the input. */
const USERS_MISTAKES: ReadonlySet<ErrorCode> = new Set([
  'INVALID_OPTIONS',
  'INVALID_FILE',
  'INVALID_MARKET',
  'INVALID_STRATEGY',
  'TOO_LARGE',
  'TOO_MANY_DECIMALS',
]);

/** Runs a command; what its user wrote wrong ends it with one line and exit code 2. */
export async function asCommand(run: () => Promise<void> | void): Promise<void> {
  try {
    await run();
  } catch (error) {
    if (error instanceof SarrafError && USERS_MISTAKES.has(error.code)) throw wrongInput(error.message);
    throw fileFailure(error) ?? error;
  }
}

/** Returns the system's error for a file or folder, as one line without a stack; null for any other error. */
function fileFailure(error: unknown): CommandError | null {
  if (!(error instanceof Error) || error instanceof SarrafError) return null;
  const { code = '', path } = error as NodeJS.ErrnoException;
  const todo = TODOS[code];
  if (todo === undefined) return null;
  const [, reason = error.message] = /^[A-Z]+: ([^,]*)/.exec(error.message) ?? [];
  const where = path === undefined ? 'its files' : path;
  const message = `expected to be able to use ${where}: ${reason} (${code}): ${todo}`;
  return NAMED_WRONG.has(code) ? wrongInput(message) : failed(message);
}

/** Those that another name mends. */
const NAMED_WRONG: ReadonlySet<string> = new Set(['ENOTDIR', 'EEXIST', 'EISDIR', 'ENAMETOOLONG']);

/** Advice on errors of the system. */
const TODOS: Readonly<Partial<Record<string, string>>> = {
  EACCES: 'give yourself the right to it, or name another folder',
  EPERM: 'give yourself the right to it, or name another folder',
  EROFS: 'name a folder on a disk that can be written to',
  ENOSPC: 'make room on the disk, and try again',
  EDQUOT: 'make room on the disk, and try again',
  ENOTDIR: 'name a folder where this names a file',
  EEXIST: 'name a folder where this names a file',
  EISDIR: 'name a file where this names a folder',
  ENAMETOOLONG: 'give it a shorter name',
  EMFILE: 'raise the limit of open files ("ulimit -n"), and try again',
  EIO: 'look after the disk',
};
