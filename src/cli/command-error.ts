import { SarrafError, type ErrorCode } from '../domain/errors.ts';
import { IS_CHECKOUT } from '../plugins/own-files.ts';

/** Exit code for success. */
export const OK = 0;
/** Exit code for an outside fault: a port in use, a folder that cannot be written to. */
export const FAILED = 1;
/** Exit code for wrong user input: an option, a configuration. */
export const WRONG_INPUT = 2;

/** Ends a command with a line for its user and an exit code; no stack is shown. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
  readonly exitCode: number;

  constructor(message: string, exitCode: number) {
    super(message);
    this.exitCode = exitCode;
  }
}

export const failed = (message: string): CommandError => new CommandError(message, FAILED);
export const wrongInput = (message: string): CommandError => new CommandError(message, WRONG_INPUT);

/** Returns the error to throw: one caused by the options becomes a wrong input, any other stays. */
export const asWrongInput = (error: unknown): unknown =>
  error instanceof SarrafError && error.code === 'INVALID_OPTIONS' ? wrongInput(error.message) : error;

/** Codes of errors that the user can fix by a change of the input. */
const USERS_MISTAKES: ReadonlySet<ErrorCode> = new Set([
  'INVALID_OPTIONS',
  'INVALID_FILE',
  'INVALID_MARKET',
  'INVALID_STRATEGY',
  'TOO_LARGE',
  'TOO_MANY_DECIMALS',
]);

/** Returns the action of a command; a mistake of its user ends it with one line and exit code 2. */
export const asCommand =
  <Args extends readonly unknown[]>(run: (...args: Args) => Promise<void> | void) =>
  async (...args: Args): Promise<void> => {
    try {
      await run(...args);
    } catch (error) {
      if (error instanceof SarrafError && USERS_MISTAKES.has(error.code)) throw wrongInput(error.message);
      throw fileFailure(error) ?? error;
    }
  };

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

/** Codes of errors that another name would avoid. */
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

/** Returns the command that runs sarraf here: in a checkout it is run by npx. */
export const programName = (isCheckout: boolean = IS_CHECKOUT): string =>
  isCheckout ? 'npx sarraf' : 'sarraf';
