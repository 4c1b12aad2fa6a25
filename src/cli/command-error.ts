import { FAILED, WRONG_INPUT } from './exit-codes.ts';

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
