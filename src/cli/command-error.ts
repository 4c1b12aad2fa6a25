import { SarrafError } from '../domain/errors.ts';

/** Everything went well. */
export const OK = 0;
/** Something outside went wrong: a port in use, a folder that can not be written to. */
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

/** The error to throw for a failure: what the options made wrong is wrong input, anything else stays. */
export const asWrongInput = (error: unknown): unknown =>
  error instanceof SarrafError && error.code === 'INVALID_OPTIONS' ? wrongInput(error.message) : error;
