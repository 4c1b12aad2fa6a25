import { isatty } from 'node:tty';
import { userInfo } from 'node:os';
import { createInterface as createPromises } from 'node:readline/promises';
import { LONGEST_BY } from '../../engine/engine-event.ts';
import { askThenLeave } from '../end-signal.ts';
import { stderr, stdin } from 'node:process';
import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { isoText } from '../../domain/time-text.ts';
import type { EndpointName } from '../../exchange/endpoints.ts';
import type { CallRequest } from './read-fields.ts';
import { readFailure, readSmallFile } from '../../configuration/secret-file.ts';
import { wrongInput } from '../command-error.ts';

/** Longest answer in characters; no name or password is longer, and the rest is not read. */
const LONGEST_ANSWER = 4_096;

/** Asks for a line without showing what is typed. */
async function askHidden(question: string): Promise<string> {
  stderr.write(question);
  // Readline turns the terminal's echo off and echoes to this stream, which shows nothing.
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  try {
    return await answerTo('', nowhere);
  } finally {
    stderr.write('\n');
  }
}

async function answerTo(question: string, output: NodeJS.WritableStream): Promise<string> {
  const lines = createInterface({ input: stdin, output, terminal: isatty(0), historySize: 0 });
  return new Promise((resolve) => {
    lines.once('close', () => resolve(''));
    // Without this, Ctrl-C at a password would only close the question.
    lines.once('SIGINT', () => {
      lines.close();
      process.kill(process.pid, 'SIGINT');
    });
    lines.question(question, (answer) => {
      resolve(answer.slice(0, LONGEST_ANSWER));
      lines.close();
    });
  });
}

const text = (value: unknown): string | null =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : null;

/** Returns the command that finds the order of a request; `sentAtMs`: latest time it can have been sent. */
function findOrder(request: CallRequest, sentAtMs: number): string {
  const id = text(request['order']) ?? text(request['clientOrderId']) ?? '…';
  return `order find ${id} --sent ${isoText(sentAtMs)}`;
}

/** Commands that show whether a call that changes something took effect: one for each such call. */
export const QUERY_BY_CALL: Readonly<
  Partial<Record<EndpointName, (request: CallRequest, sentAtMs: number) => string>>
> = {
  login: () => 'api login-attempts',
  generateAddress: () => 'api wallets-list',
  addCard: () => 'api profile',
  addAccount: () => 'api profile',
  addFavoriteMarkets: () => 'api favorite-markets',
  removeFavoriteMarkets: () => 'api favorite-markets',
  addOrder: findOrder,
  updateOrderStatus: findOrder,
  cancelOldOrders: () => 'api orders-list status=open details=2',
  transfer: () => 'api wallets type=margin',
  createWithdrawal: () => 'api withdrawals',
  cancelWithdrawal: (request) => `api withdrawal id=${text(request['id']) ?? '…'}`,
  gatewaySend: () => 'api gateway-send … (an invoice that nobody pays costs nothing)',
  gatewayVerify: (request) => `api gateway-verify api=env:NAME token=${text(request['token']) ?? '…'}`,
};

/** Asks on standard error for a word to be typed; true if it was. The end of the input means no. */
export async function confirm(question: string, word: string): Promise<boolean> {
  using lines = createPromises({ input: process.stdin, output: process.stderr, terminal: false });
  const ended = new Promise<string>((resolve) => lines.once('close', () => resolve('')));
  const answer = await Promise.race([lines.question(`${question}\nType "${word}" to go on: `), ended]);
  return answer.trim() === word;
}

/** Returns the name of the person giving a command, for the journal; none if the machine has no name. */
export function personName(): { readonly by?: string } {
  try {
    return { by: userInfo().username.slice(0, LONGEST_BY) };
  } catch {
    return {};
  }
}

/* oxlint-disable no-console -- the console is what this is about */

/** Services that a command gets from its caller. */
export interface CommandIo {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly workingFolder: string;
  /** True if a person can be asked. */
  readonly isTerminal: boolean;
  /** Writes the result, for programs and people. */
  out(text: string): void;
  /** Writes a line that is not part of the result. */
  log(line: string): void;
  confirm(question: string, word: string): Promise<boolean>;
  /** Reads one line; empty at the end of the input. */
  ask(question: string): Promise<string>;
  /** Reads one line without showing what is typed. */
  askHidden(question: string): Promise<string>;
}

export const MACHINE_IO: CommandIo = {
  environment: process.env,
  workingFolder: process.cwd(),
  isTerminal: isatty(0),
  out: (text) => console.log(text),
  log: (line) => console.error(line),
  confirm,
  // On standard error, so that the output stays for programs; the end of the input is an empty answer.
  ask: (question) => answerTo(question, stderr),
  askHidden,
};

/** Signal that ends a running call, with its handlers. */
interface Interruption extends Disposable {
  readonly signal: AbortSignal;
  /**
   * From this call on, the first SIGINT or SIGTERM requests the end, and the second ends the process at once.
   * Before it, while nothing is sent, the first ends the process at once.
   */
  readonly arm: () => void;
}

/** Creates an interruption. It notifies a call before the process ends, since a request may be sent. */
export function interruption(): Interruption {
  const controller = new AbortController();
  let removeListener: (() => void) | null = null;
  return {
    signal: controller.signal,
    arm: () => {
      removeListener ??= askThenLeave(() => controller.abort());
    },
    [Symbol.dispose]: () => {
      removeListener?.();
      removeListener = null;
    },
  };
}

const LARGEST_BYTES = 8_192;

/**
 * Reads a secret that must not be on the command line: from a file if one is named, else from the
 * environment, else typed without being shown. Throws a wrong input if there is none.
 */
export async function privateText(
  of: {
    /** Kind of the text, such as `password`. */
    readonly what: string;
    readonly file: { readonly option: string; readonly path: string | undefined };
    readonly variable: string;
  },
  io: CommandIo,
): Promise<string> {
  const { what, file, variable } = of;
  if (file.path !== undefined) return textOfFile(file.path, what);
  const value = io.environment[variable];
  if (value !== undefined && value !== '') return value;
  const typed = io.isTerminal ? await io.askHidden(`${what}: `) : '';
  if (typed !== '') return typed;
  throw wrongInput(
    `expected the ${what} in ${variable}, in ${file.option} <file>, or typed at a terminal; nothing was sent`,
  );
}

function textOfFile(path: string, what: string): string {
  let text: string;
  try {
    text = readSmallFile(path, LARGEST_BYTES).text.trim();
  } catch (error) {
    throw wrongInput(`${path}: ${readFailure(error)}`);
  }
  if (text === '') throw wrongInput(`expected the ${what} in ${path}, was empty`);
  return text;
}
