import { waitingCommands, type WaitingCommand } from '../../daemon/waiting-commands.ts';
import { SarrafError } from '../../domain/errors.ts';
import { readStored, parsedJson } from '../../domain/stored-json.ts';
import type { SignalCommand } from '../../engine/engine-event.ts';
import { signalKey, storedSignalLine } from '../../engine/signal-record.ts';
import type { MirrorReader } from '../../mirror/mirror-reader.ts';
import type { SignalItem, SignalsReply } from '../schema/signal.ts';
import type { JournalLine, LevelledLine } from '../../mirror/row-pages.ts';
import { LOG_LEVELS, type LogItem } from '../schema/log.ts';
import { onOneLine } from '../api-error.ts';
import { sentencesIn } from './row-items.ts';
import { inEnglish } from '../../language/sentence.ts';

/** A line of the journal about a signal. Throws `DATA_UNUSABLE` for a damaged one. */
export function signalItemOf({ seq, subject, json }: JournalLine): SignalItem {
  const { seenAtMs, ...signal } = readStored(storedSignalLine, json, `line ${seq} of the journal`);
  return { ...signal, strategy: subject, seq, atMs: seenAtMs };
}

interface AskedSignals {
  readonly dataFolder: string;
  /** True if a bot has the folder; null if that cannot be determined. */
  readonly isBotThere: () => boolean | null;
  /** Null: of all. */
  readonly strategy: string | null;
  readonly before: string | null;
  readonly limit: number;
}

/**
 * Signals that wait, and then those that came, newest first. No more than 50 wait: all of them are on the
 * first page where it has as many rows. Throws `DATA_UNUSABLE` for a damaged line.
 */
export function signalsReplyOf(reader: MirrorReader, asked: AskedSignals): SignalsReply {
  const { strategy, before, limit } = asked;
  const all = before === null ? waitingItems(asked) : [];
  const { rows, next } = reader.pages.signals({ strategy, before, limit });
  const came = rows.map((line) => signalItemOf(line));
  // One that was told a moment ago may not be marked as done yet.
  const known = new Set(came.map(signalKey));
  const waiting = all.filter((item) => !known.has(signalKey(item))).slice(0, limit);
  const left = came.slice(0, limit - waiting.length);
  if (left.length === came.length) return { items: [...waiting, ...left], next };
  const cut = came[left.length]?.seq ?? 0;
  return { items: [...waiting, ...left], next: String(cut + 1) };
}

function waitingItems({ dataFolder, isBotThere, strategy }: AskedSignals): readonly SignalItem[] {
  const waiting = waitingOf(dataFolder).filter(
    ({ command }) => strategy === null || command.strategy === strategy,
  );
  if (waiting.length === 0) return [];
  const isThere = isBotThere() !== false;
  return waiting.toReversed().map((one) => ({ ...itemOf(one), ...whyWaiting(one, isThere) }));
}

function waitingOf(dataFolder: string): readonly WaitingCommand<SignalCommand>[] {
  try {
    return waitingCommands(dataFolder, ['signal']);
  } catch (error) {
    // What waits is news beside those that came.
    if (error instanceof SarrafError) return [];
    throw error;
  }
}

function itemOf({
  command: { strategy, name, id, source, sentAtMs, payload },
  postedAtMs,
}: WaitingCommand<SignalCommand>): Omit<SignalItem, 'code' | 'reason'> {
  return { seq: null, atMs: postedAtMs, strategy, name, id, source, sentAtMs, payload, outcome: 'waiting' };
}

function whyWaiting(
  { isApplied }: WaitingCommand<SignalCommand>,
  isThere: boolean,
): Pick<SignalItem, 'code' | 'reason'> {
  if (!isThere) return { code: 'no-bot', reason: 'no bot runs with this folder: the next start takes it' };
  return isApplied
    ? { code: 'starting', reason: 'the bot has it, and its strategies have not started yet' }
    : { code: 'not-taken', reason: 'the bot has not looked yet' };
}

export function logItemOf({ seq, atMs, kind, subject, json, level }: LevelledLine): LogItem {
  const data = parsedJson(json);
  const inWords = inEnglish(data);
  const text = onOneLine(textOf(subject, inWords));
  return {
    seq,
    atMs,
    level: LOG_LEVELS[level],
    kind,
    subject,
    text,
    data: inWords,
    said: sentencesIn(kind, data),
  };
}

function textOf(subject: string, data: unknown): string {
  if (typeof data !== 'object' || data === null) return `${subject}: ${String(data)}`;
  const { text, fields, ...rest } = data as Readonly<Record<string, unknown>>;
  const values = Object.entries({ ...rest, ...(typeof fields === 'object' ? fields : {}) })
    .filter(([, value]) => value !== null && value !== undefined)
    .map(([name, value]) => `${name} ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(', ');
  const stated = typeof text === 'string' ? text : subject;
  return values === '' ? stated : `${stated}: ${values}`;
}
