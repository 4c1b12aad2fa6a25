import { InvalidArgumentError, Option } from 'commander';
import { ControlClient } from '../daemon/control-client.ts';
import { LONGEST_NAME } from '../daemon/control-command.ts';
import { parseDuration } from '../daemon/duration-text.ts';
import { latinDigits } from '../domain/time-text.ts';
import type { LockCommand } from '../engine/engine-event.ts';
import { ENTRY_POLICIES } from '../engine/lock.ts';
import { failed, wrongInput } from './command-error.ts';
import { checkBotFolder } from './option-readers.ts';
import { followCommand } from './follow-command.ts';
import { english } from '../language/sentence.ts';

export interface LockTarget {
  readonly data: string;
  readonly strategy?: string;
  readonly all?: true;
  readonly json?: true;
}

/** A running bot takes it at once; longer means that something holds it up. */
const APPLIED_WITHIN_MS = 10_000;

const NAME = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;

/** A lock for longer is a halt, or a strategy to be taken out of the configuration. */
export const LONGEST_LOCK_MS = 366 * 86_400_000;

/** Reads how long a lock holds, to milliseconds. */
export function lockLengthOption(text: string): number {
  const lengthMs = parseDuration(latinDigits(text.trim()));
  if (lengthMs !== null && lengthMs > 0 && lengthMs <= LONGEST_LOCK_MS) return lengthMs;
  throw new InvalidArgumentError('expected a length of time from 1ms to 366d, such as 30m, 2h or 1d.');
}

/** Option for the fate of resting orders that add risk. */
export function entriesOption(): Option {
  return new Option('--entries <policy>', 'resting orders that add risk')
    .choices(ENTRY_POLICIES)
    .default('cancel');
}

export function lockNameOption(text: string): string {
  if (NAME.test(text) && text.length <= LONGEST_NAME) return text;
  throw new InvalidArgumentError(
    `expected at most ${LONGEST_NAME} lower-case letters, digits and single hyphens, such as news.`,
  );
}

/** Refuses `--all` beside a market or strategy, and neither of the three where one is needed. */
export function checkTarget(
  market: string | undefined,
  { strategy, all }: LockTarget,
  or: string | null,
): void {
  if (all === true && (market !== undefined || strategy !== undefined))
    throw wrongInput('expected --all, or a market or --strategy, were both');
  if (all === undefined && market === undefined && strategy === undefined && or !== null)
    throw wrongInput(`expected a market such as BTCIRT, --strategy or --all${or}, was none`);
}

/** Gives a command about locks to the bot of a data folder, or leaves it for its next start. */
export async function postLock(command: LockCommand, { data, json }: LockTarget): Promise<void> {
  checkBotFolder(data);
  using client = new ControlClient(data);
  const id = client.post(command);
  const followed = await followCommand({ client, id, data, stillForMs: APPLIED_WITHIN_MS });
  if (followed.kind === 'still') {
    throw failed(
      'the bot did not take it up: see whether it is well with "sarraf health"; it stays waiting, and the next start takes it',
    );
  }
  const isRunning = followed.kind === 'done';
  const result = isRunning ? followed.result : null;
  if (json === true) console.log(JSON.stringify({ isRunning, command, result }));
  if (result !== null && !result.ok) throw failed(english(result.message));
  if (json === true) return;
  console.log(
    result === null
      ? 'no bot runs; its next start takes it before it places anything'
      : english(result.message),
  );
}
