import { Command, InvalidArgumentError, Option } from 'commander';
import { ControlClient } from '../../daemon/control-client.ts';
import { LONGEST_LOCK_NAME, LONGEST_REASON, type LockCommand } from '../../engine/engine-event.ts';
import { waitingCommands } from '../../daemon/control-file.ts';
import { parseDuration } from '../../daemon/duration-text.ts';
import { latinDigits } from '../../domain/time-text.ts';
import type { MarketSymbol } from '../../domain/market-symbol.ts';
import { bothTimesText, readTehranTime } from '../../domain/zone-time.ts';
import {
  BY_HAND,
  ENTRY_POLICIES,
  PAUSE,
  scopeText,
  UNTIL_RESUMED_MS,
  untilText,
  type EntryPolicy,
} from '../../engine/lock.ts';
import { english } from '../../language/sentence.ts';
import { isDataFolderInUse } from '../../daemon/process-locks.ts';
import { locksNow } from '../../mirror/strategy-status.ts';
import { personName } from '../api/command-io.ts';
import { failed, wrongInput } from '../command-error.ts';
import { followCommand } from '../follow-command.ts';
import { checkBotFolder, marketOption, type DataFolderOptions, folderCommand } from '../option-readers.ts';
import { lockLines } from '../order-lines.ts';
import { hasMirror, mirrorCommand, readMirror } from '../read-mirror.ts';
import { print } from '../table.ts';

interface LockTarget extends DataFolderOptions {
  readonly strategy?: string;
  readonly all?: true;
}

/** Options of a lock by hand: its duration, reason and policy. */
interface LockTerms {
  readonly for?: number;
  readonly reason: string;
  readonly entries: EntryPolicy;
}

/** Longest wait for a running bot to accept it, in ms: a healthy bot does so at once. */
const APPLIED_WITHIN_MS = 10_000;

const NAME = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;

/** Longest lock, in ms: beyond it, use a halt, or remove the strategy from the configuration. */
const LONGEST_LOCK_MS = 366 * 86_400_000;

/** Reads how long a lock holds, to ms. */
function lockLengthOption(text: string): number {
  const lengthMs = parseDuration(latinDigits(text.trim()));
  if (lengthMs !== null && lengthMs > 0 && lengthMs <= LONGEST_LOCK_MS) return lengthMs;
  throw new InvalidArgumentError('expected a length of time from 1ms to 366d, such as 30m, 2h or 1d.');
}

/** Creates the option that decides about resting orders that add risk. */
function entriesOption(): Option {
  return new Option('--entries <policy>', 'resting orders that add risk')
    .choices(ENTRY_POLICIES)
    .default('cancel');
}

function lockNameOption(text: string): string {
  if (NAME.test(text) && text.length <= LONGEST_LOCK_NAME) return text;
  throw new InvalidArgumentError(
    `expected at most ${LONGEST_LOCK_NAME} lower-case letters, digits and single hyphens, such as news.`,
  );
}

/** Throws if `--all` stands beside a market or strategy, or if one of the three is needed and missing. */
function checkTarget(market: string | undefined, { strategy, all }: LockTarget, or: string | null): void {
  if (all === true && (market !== undefined || strategy !== undefined))
    throw wrongInput('expected --all, or a market or --strategy, were both');
  if (all === undefined && market === undefined && strategy === undefined && or !== null)
    throw wrongInput(`expected a market such as BTCIRT, --strategy or --all${or}, was none`);
}

/** Gives a command about locks to the bot of a data folder, or stores it for its next start. */
async function postLock(command: LockCommand, { data, json }: DataFolderOptions): Promise<void> {
  checkBotFolder(data);
  using client = new ControlClient(data);
  const id = client.post(command);
  const followed = await followCommand({ client, id, data, stillForMs: APPLIED_WITHIN_MS });
  if (followed.kind === 'still')
    throw failed(
      'the bot did not take it up: see whether it is well with "sarraf health"; it stays waiting, and the next start takes it',
    );
  const isRunning = followed.kind === 'done';
  const result = isRunning ? followed.result : null;
  const message =
    result === null
      ? 'no bot runs; its next start takes it before it places anything'
      : english(result.message);
  const hasFailed = result?.ok === false;
  print({ json }, { isRunning, command, result }, () => (hasFailed ? null : message));
  if (hasFailed) throw failed(message);
}

function checkReason({ reason }: LockTerms): void {
  if (reason.length > LONGEST_REASON)
    throw wrongInput(`expected a --reason of at most ${LONGEST_REASON} characters`);
}

interface LockOptions extends LockTarget, LockTerms {
  readonly until?: number;
  readonly name: string;
}

const LOCK_EXAMPLES = `
Orders that only reduce a position pass. Nothing is sold. Resting orders that add risk are canceled,
unless --entries keep is given. A second lock of the same name and scope only makes the first longer.
Without a running bot the next start takes the lock before it places anything.
Exit codes: 0 it holds, or waits for the next start; 1 the bot could not take it; 2 an option is wrong.

Examples:
  sarraf lock BTCIRT --for 2h --reason "news"
  sarraf lock --strategy grid --for 1d
  sarraf lock --all --until "1405/01/13 18:00"
  sarraf lock BTCIRT --strategy grid --until 2026-04-02T14:30:00Z --name news --entries keep`;

function untilOption(text: string): number {
  const read = readTehranTime(text);
  if (read.ok) return read.atMs;
  throw new InvalidArgumentError(`${read.problem}.`);
}

function untilOf(options: LockOptions, nowMs: number): number {
  if ((options.for === undefined) === (options.until === undefined))
    throw wrongInput('expected --for such as 2h, or --until such as "1405/01/13 18:00": one of them');
  const untilMs = options.until ?? nowMs + (options.for ?? 0);
  if (untilMs > nowMs && untilMs <= nowMs + LONGEST_LOCK_MS) return untilMs;
  throw wrongInput(
    `expected an end from now to 366 days on, was ${bothTimesText(untilMs)}; now it is ${bothTimesText(nowMs)}`,
  );
}

async function lock(market: MarketSymbol | undefined, options: LockOptions): Promise<void> {
  checkTarget(market, options, '');
  const { strategy = null, name, reason, entries } = options;
  checkReason(options);
  const untilMs = untilOf(options, Date.now());
  const made = { name, strategy, market: market ?? null, reason, untilMs, entries };
  await postLock({ kind: 'lock', ...made, ...personName() }, options);
}

export function lockCommand(): Command {
  return folderCommand(
    'lock',
    'Stops new risk in a market, of a strategy or in all, for a while.',
    LOCK_EXAMPLES,
  )
    .argument('[market]', 'the market, such as BTCIRT', marketOption)
    .option('--for <time>', 'how long, such as 30m, 2h or 1d', lockLengthOption)
    .option(
      '--until <time>',
      'until when, such as "1405/01/13 18:00" or 2026-04-02T18:00 in Tehran',
      untilOption,
    )
    .option('--strategy <name>', 'this strategy alone')
    .option('--all', 'every market of every strategy')
    .option('--name <name>', 'what refusals call it', lockNameOption, BY_HAND)
    .option('--reason <text>', 'reason, which refusals and "sarraf locks" show', 'by hand')
    .addOption(entriesOption())
    .action(lock);
}

const UNLOCK_EXAMPLES = `
Ends the locks that are about exactly this: "sarraf unlock BTCIRT" leaves a lock of all markets, and
says that it holds. With --name it ends locks of that name alone. What a rule has counted towards its
lock is forgotten. Locks of hours and dates stay: change the configuration.
Exit codes: 0 ended, or waits for the next start; 1 no such lock held, or the bot could not take it;
2 an option is wrong.

Examples:
  sarraf unlock BTCIRT
  sarraf unlock BTCIRT --name news
  sarraf unlock --name cooldown
  sarraf unlock --all`;

async function unlock(
  market: MarketSymbol | undefined,
  options: LockTarget & { readonly name?: string },
): Promise<void> {
  checkTarget(market, options, options.name === undefined ? ' or --name' : null);
  const { strategy = null, name = null, all } = options;
  if (all === true && name !== null) throw wrongInput('expected --all or --name, were both');
  const isAll = market === undefined && strategy === null;
  await postLock({ kind: 'unlock', name, strategy, market: market ?? null, isAll }, options);
}

export function unlockCommand(): Command {
  return folderCommand('unlock', 'Ends locks before their time.', UNLOCK_EXAMPLES)
    .argument('[market]', 'locks of this market, such as BTCIRT', marketOption)
    .option('--strategy <name>', 'locks of this strategy')
    .option('--name <name>', 'locks of this name', lockNameOption)
    .option('--all', 'every lock, but those of hours and dates')
    .action(unlock);
}

const PAUSE_EXAMPLES = `
A strategy that is paused is told nothing: it decides nothing, and places nothing that adds risk. Its
brackets go on protecting what it holds, and its indicators are fed. It is a lock: it holds over
restarts, and "sarraf locks" shows it. "sarraf resume" with its name ends it. It is then told a start,
as after a restart, since it has missed what happened.
Exit codes: 0 it is paused, or will be with the next start; 1 the bot could not take it; 2 an option is
wrong.

Examples:
  sarraf pause grid
  sarraf pause grid --for 2h --reason "the coin is about to fork"
  sarraf pause grid --entries keep --data /data
  sarraf resume grid`;

async function pause(strategy: string, options: DataFolderOptions & LockTerms): Promise<void> {
  checkReason(options);
  const { reason, entries } = options;
  const untilMs = options.for === undefined ? UNTIL_RESUMED_MS : Date.now() + options.for;
  const made = { name: PAUSE, strategy, market: null, reason, untilMs, entries, pauses: true } as const;
  await postLock({ kind: 'lock', ...made, ...personName() }, options);
}

export function pauseCommand(): Command {
  return folderCommand(
    'pause',
    'Pauses one strategy: it decides nothing until it is resumed.',
    PAUSE_EXAMPLES,
  )
    .argument('<strategy>', 'its name, as "sarraf status" shows it')
    .option(
      '--for <time>',
      'how long, such as 30m, 2h or 1d; until "sarraf resume" without it',
      lockLengthOption,
    )
    .option('--reason <text>', 'reason, which "sarraf status" and "sarraf locks" show', 'by hand')
    .addOption(entriesOption())
    .action(pause);
}

const RELOAD_EXAMPLES = `
Reads its file again, and its params in the configuration. What it holds, its orders, its brackets and
its state stay, and it is told a start, as after a restart. The new code is loaded and checked beside
the running one first: if it has a mistake, needs other data, or cannot read the state, the running one
goes on. Other settings, such as its market or its limits, take a start of the bot.
Exit codes: 0 the new one runs; 1 the old one goes on, or no bot runs; 2 an option is wrong.

Examples:
  sarraf reload grid
  sarraf reload grid --data /data --json`;

async function reload(strategy: string, { data, json }: DataFolderOptions): Promise<void> {
  checkBotFolder(data);
  if (!isDataFolderInUse(data))
    throw failed(`no bot runs with ${data}: its next start reads the file anyway`);
  using client = new ControlClient(data);
  const id = client.post({ kind: 'reload', strategy, ...personName() });
  const followed = await followCommand({ client, id, data });
  if (followed.kind !== 'done')
    throw failed('the bot did not answer: see whether it is well with "sarraf health"');
  const { ok, message } = followed.result;
  if (!ok) throw failed(english(message));
  print({ json }, { strategy, result: followed.result }, () => english(message));
}

export function reloadCommand(): Command {
  return folderCommand(
    'reload',
    'Loads the code and params of one strategy anew, while the bot goes on.',
    RELOAD_EXAMPLES,
  )
    .argument('<strategy>', 'its name, as "sarraf status" shows it')
    .action(reload);
}

const RESUME_EXAMPLES = `
Without a name it ends a halt, and leaves strategies that are paused as they are.
Exit codes: 0 trading goes on, now or with the next start; 1 it does not.

Examples:
  sarraf resume
  sarraf resume grid                       ends the pause of one strategy
  sarraf resume --data /data`;

async function resume(strategy: string | undefined, options: DataFolderOptions): Promise<void> {
  if (strategy === undefined) await endHalt(options);
  else await postLock({ kind: 'unlock', name: PAUSE, strategy, market: null, isAll: false }, options);
}

async function endHalt({ data, json }: DataFolderOptions): Promise<void> {
  checkBotFolder(data);
  using client = new ControlClient(data);
  const wasHalted = client.isHalted() !== null;
  const id = client.post({ kind: 'resume' });
  const followed = await followCommand({ client, id, data, stillForMs: APPLIED_WITHIN_MS });
  if (followed.kind === 'done' && !followed.result.ok) throw failed(english(followed.result.message));
  if (followed.kind === 'still')
    throw failed('the bot did not take it up: see whether it is well with "sarraf health"');
  const isRunning = followed.kind === 'done';
  print({ json }, { wasHalted, isRunning }, () =>
    isRunning
      ? english(followed.result.message).replace(/^(?!trading goes on)/, 'trading goes on: ')
      : 'no bot runs; it will trade when it starts next',
  );
}

export function resumeCommand(): Command {
  return folderCommand(
    'resume',
    'Ends a halt, or the pause of one strategy: it trades again, now or with the next start.',
    RESUME_EXAMPLES,
  )
    .argument('[strategy]', 'the strategy whose pause ends; without one a halt ends')
    .action(resume);
}

const LOCKS_EXAMPLES = `  sarraf locks
  sarraf locks --data /data --json

Locks of hours and dates are known as far as the bot had worked them out when it ran last.`;

function waitingText(command: LockCommand): string {
  if (command.kind === 'lock')
    return `lock ${command.name} of ${scopeText(command)} ${untilText(command.untilMs)}`;
  const name = command.name === null ? '' : `${command.name} of `;
  return `unlock ${name}${command.isAll ? 'everything' : scopeText(command)}`;
}

function showLocks(options: DataFolderOptions): void {
  const nowMs = Date.now();
  const waiting = waitingCommands(options.data, ['lock', 'unlock']).map(({ command }) => command);
  // A lock may have been set before the bot ran for the first time.
  const isNew = !hasMirror(options) && waiting.length > 0;
  const rows = isNew ? [] : readMirror(options, (reader) => reader.summary().stored);
  const { locks, nextChangeAtMs } = locksNow(rows, nowMs);
  print(options, { atMs: nowMs, locks, nextChangeAtMs, waiting }, () => [
    ...(locks.length === 0 ? ['No lock holds.'] : lockLines(locks, nowMs)),
    ...(nextChangeAtMs === null ? [] : [`Next change: ${bothTimesText(nextChangeAtMs)}.`]),
    ...waiting.map((command) => `Waits for the bot: ${waitingText(command)}.`),
  ]);
}

export function locksCommand(): Command {
  return mirrorCommand('locks', {
    description: 'Shows the locks that hold, why and until when.',
    examples: LOCKS_EXAMPLES,
  }).action(showLocks);
}
