import { isatty } from 'node:tty';
import { confirm } from '../confirm.ts';
import { askThenLeave } from '../end-signal.ts';
import { askHidden, askLine } from './ask.ts';

/* oxlint-disable no-console -- the console is what this is about */

/** Services that a command needs from whoever started it. */
export interface CommandIo {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly workingFolder: string;
  /** True if a person can be asked. */
  readonly isTerminal: boolean;
  /** The answer: for programs and people. */
  out(text: string): void;
  /** Writes a line beside the answer. */
  say(line: string): void;
  confirm(question: string, word: string): Promise<boolean>;
  /** One line; empty at the end of the input. */
  ask(question: string): Promise<string>;
  /** The same without showing what is typed. */
  askHidden(question: string): Promise<string>;
}

export const MACHINE_IO: CommandIo = {
  environment: process.env,
  workingFolder: process.cwd(),
  isTerminal: isatty(0),
  out: (text) => console.log(text),
  say: (line) => console.error(line),
  confirm,
  ask: askLine,
  askHidden,
};

/** Whoever ends a call that is under way. */
interface Interruption {
  readonly signal: AbortSignal;
  /**
   * From now on the first SIGINT or SIGTERM asks for the end, and the second leaves at once. Before, while
   * nothing is sent, they leave at once.
   */
  readonly arm: () => void;
  readonly release: () => void;
}

/**
 * Creates an interruption. It notifies a call before the process ends, as what was sent already may have had
 * an effect.
 */
export function interruption(): Interruption {
  const controller = new AbortController();
  let takeOff: (() => void) | null = null;
  return {
    signal: controller.signal,
    arm: () => {
      takeOff ??= askThenLeave(() => controller.abort());
    },
    release: () => {
      takeOff?.();
      takeOff = null;
    },
  };
}
