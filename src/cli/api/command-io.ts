/* oxlint-disable no-console -- the console is what this is about */
import { isatty } from 'node:tty';
import { confirm } from '../confirm.ts';
import { askHidden, askLine } from './ask.ts';

/** What a command needs of whoever started it. */
export interface CommandIo {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly workingFolder: string;
  /** Whether a person can be asked. */
  readonly isTerminal: boolean;
  /** The answer: for programs and people. */
  out(text: string): void;
  /** What is said beside it. */
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
