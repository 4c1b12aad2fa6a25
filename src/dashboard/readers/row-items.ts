import { SarrafError } from '../../domain/errors.ts';
import type { MarketName } from '../../domain/market-symbol.ts';
import { parseMarket } from '../../exchange/market-names.ts';
import { parsedJson, readStored } from '../../domain/stored-json.ts';
import type { TextsOf } from '../../records/field.ts';
import type { INTENT, IntentRecord } from '../../records/rows.ts';
import { formatUnits } from '../../domain/money.ts';
import { feeCurrencyOf, otherFeesOf, type FillRecord } from '../../records/fill.ts';
import { UNTIL_RESUMED_MS, type Lock } from '../../engine/lock.ts';
import type { ORDER, OrderRecord } from '../../records/order.ts';
import { type SentenceItem, MOST_ROWS_OF_PAGE } from '../schema/fields.ts';
import { lockItem, type LockItem } from '../schema/overview.ts';
import type { z } from 'zod';
import {
  fillItem,
  intentItem,
  orderIntentItem,
  orderItem,
  type FillItem,
  type IntentItem,
  type OrderItem,
  type StepItem,
  type OrderReply,
} from '../schema/order.ts';
import { FILL_ROWS, INTENT_ROWS, ORDER_ROWS } from '../../mirror/record-tables.ts';
import type { JournalLine, LevelledLine } from '../../mirror/row-pages.ts';
import { english, inEnglish, sentenceFacts, sentence, type Sentence } from '../../language/sentence.ts';
import type { MirrorReader } from '../../mirror/mirror-reader.ts';
import { ApiError, onOneLine } from '../api-error.ts';
import { waitingCommands, type WaitingCommand } from '../../daemon/control-file.ts';
import type { SignalCommand } from '../../engine/engine-event.ts';
import { signalKey, storedSignalLine } from '../../engine/signal-record.ts';
import { type SignalItem, type SignalsReply, LOG_LEVELS, type LogItem } from '../schema/log.ts';

/** Parses the name of a market; null if it is invalid. */
export function tryMarket(text: string): MarketName | null {
  try {
    return parseMarket(text);
  } catch (error) {
    if (error instanceof SarrafError) return null;
    throw error;
  }
}

/** Returns the fields of a row that the schema of its item has. */
export function pickItem<Item extends z.ZodObject>({ shape }: Item, row: z.output<Item>): z.output<Item> {
  return Object.fromEntries(Object.keys(shape).map((field) => [field, row[field]])) as z.output<Item>;
}

export function reasonItem(reason: Sentence): { reason: string; reasonFacts: SentenceItem };
export function reasonItem(reason: Sentence | null): { reason: string | null; reasonFacts: SentenceItem };
export function reasonItem(reason: Sentence | null): { reason: string | null; reasonFacts: SentenceItem } {
  return { reason: english(reason), reasonFacts: sentenceFacts(reason) };
}

/** Returns an order as an API item, with money as text. */
export function orderItemOf(order: OrderRecord): OrderItem {
  return storedOrderItem(ORDER_ROWS.stored(order));
}

export const storedOrderItem = (order: TextsOf<typeof ORDER>): OrderItem =>
  pickItem(orderItem, { ...order, ...reasonItem(order.reason) });

export function fillItemOf(fill: FillRecord): FillItem {
  const market = tryMarket(fill.market);
  const feeCurrency = market === null ? fill.feeCurrency : feeCurrencyOf(fill, market);
  return pickItem(fillItem, { ...FILL_ROWS.stored(fill), feeCurrency });
}

export function intentItemOf(intent: IntentRecord): IntentItem {
  return storedIntentItem(INTENT_ROWS.stored(intent));
}

export const storedIntentItem = (intent: TextsOf<typeof INTENT>): IntentItem =>
  pickItem(intentItem, { ...intent, ...reasonItem(intent.reason), data: parsedJson(intent.json) });

function stepItemOf({ seq, atMs, kind, subject, json }: JournalLine): StepItem {
  const data = parsedJson(json);
  return { seq, atMs, kind, subject, data: inEnglish(data), said: sentencesIn(kind, data) };
}

/** Returns the bot's sentences in a journal line's fields; none for a strategy's own line. */
export function sentencesIn(kind: string, data: unknown): Record<string, SentenceItem> {
  if (kind === 'log' || typeof data !== 'object' || data === null) return {};
  const sentences: Record<string, SentenceItem> = {};
  for (const [name, value] of Object.entries(data)) {
    const facts = typeof value === 'string' ? sentenceFacts(value) : null;
    if (facts !== null) sentences[name] = facts;
  }
  return sentences;
}

export function lockItemOf(lock: Lock): LockItem {
  return pickItem(lockItem, {
    ...lock,
    ...reasonItem(lock.reason),
    by: lock.by ?? null,
    beganAtMs: Math.floor(lock.beganAtMs),
    endsAtMs: lock.endsAtMs >= UNTIL_RESUMED_MS ? null : Math.floor(lock.endsAtMs),
    pauses: lock.pauses === true,
  });
}

/** Maximum number of fills of an order that are read: as many as a mirror keeps. */
const MOST_FILLS = 1_000_000;

/** Returns an order with its history. Throws `ApiError` if there is none of that name. */
export function orderReplyOf(reader: MirrorReader, name: string): OrderReply {
  const orders = reader.order(name);
  const [first] = orders;
  if (first === undefined)
    throw new ApiError('not-found', sentence('not-an-order', { found: JSON.stringify(name) }));
  const ofOrders = orders.map((order) => ({
    order,
    fills: reader.fills({ strategy: null, market: null, orderKey: order.key, last: MOST_FILLS }),
  }));
  const subjects = [...new Set([...orders.map(({ key }) => key), first.intentId])];
  const steps = subjects
    .flatMap((subject) => reader.journalOf(subject, MOST_ROWS_OF_PAGE))
    .toSorted((left, right) => left.seq - right.seq)
    .slice(-MOST_ROWS_OF_PAGE);
  const intent = reader.intent(first.intentId);
  return {
    orders: ofOrders.map(({ order, fills }) => ({
      ...orderItemOf(order),
      otherFees: [...otherFeesOf(fills)].map(([currency, fee]) => ({ currency, amount: formatUnits(fee) })),
    })),
    fills: ofOrders
      .flatMap(({ fills }) => fills.slice(-MOST_ROWS_OF_PAGE))
      .toSorted((left, right) => left.cursor - right.cursor)
      .map((fill) => fillItemOf(fill)),
    steps: steps.map((line) => stepItemOf(line)),
    replies: orders
      .flatMap(({ key }) => reader.replies(key))
      .toSorted((left, right) => left.atMs - right.atMs),
    intent: intent === null ? null : pickItem(orderIntentItem, { ...intent, ...reasonItem(intent.reason) }),
  };
}

/** Returns the bot's time of its newest reading; null if nothing was read yet. */
export function newestReading(readTimes: Readonly<Record<string, number>>): number | null {
  const times = Object.values(readTimes);
  return times.length === 0 ? null : Math.floor(Math.max(...times));
}

/** Converts a journal line about a signal to an API item. Throws `DATA_UNUSABLE` for a damaged one. */
export function signalItemOf({ seq, subject, json }: JournalLine): SignalItem {
  const { seenAtMs, ...signal } = readStored(storedSignalLine, json, `line ${seq} of the journal`);
  return { ...signal, strategy: subject, seq, atMs: seenAtMs };
}

interface AskedSignals {
  readonly dataFolder: string;
  /** True if a bot uses the folder; null if that cannot be determined. */
  readonly isBotThere: () => boolean | null;
  /** Strategy; null for all. */
  readonly strategy: string | null;
  readonly before: string | null;
  readonly limit: number;
}

/**
 * Returns waiting signals, then those that arrived, newest first. At most 50 wait: the first page has all of
 * them if it has enough rows. Throws `DATA_UNUSABLE` for a damaged line.
 */
export function signalsReplyOf(reader: MirrorReader, asked: AskedSignals): SignalsReply {
  const { strategy, before, limit } = asked;
  const all = before === null ? waitingItems(asked) : [];
  const { rows, next } = reader.pages.signals({ strategy, before, limit });
  const came = rows.map((line) => signalItemOf(line));
  // A signal that was just delivered may not be marked as done yet.
  const known = new Set(came.map(signalKey));
  const waiting = all.filter((item) => !known.has(signalKey(item))).slice(0, limit);
  const left = came.slice(0, limit - waiting.length);
  if (left.length === came.length) return { items: [...waiting, ...left], next };
  const cut = came[left.length]?.seq ?? 0;
  return { items: [...waiting, ...left], next: String(cut + 1) };
}

function waitingItems({ dataFolder, isBotThere, strategy }: AskedSignals): readonly SignalItem[] {
  const waiting = waitingIn(dataFolder, ['signal']).filter(
    ({ command }) => strategy === null || command.strategy === strategy,
  );
  if (waiting.length === 0) return [];
  const isThere = isBotThere() !== false;
  return waiting.toReversed().map((one) => ({ ...itemOf(one), ...whyWaiting(one, isThere) }));
}

/** Returns the waiting commands of some kinds; none if unreadable, as a reply is useful without them. */
export const waitingIn: typeof waitingCommands = (dataFolder, kinds) => {
  try {
    return waitingCommands(dataFolder, kinds);
  } catch (error) {
    if (error instanceof SarrafError) return [];
    throw error;
  }
};

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

/** Writes a value of the journal in words: `(currency btc, found 1)` instead of JSON. */
function wordsOf(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value);
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.map(wordsOf).join(', ');
  return `(${Object.entries(value)
    .map(([name, each]) => `${name} ${wordsOf(each)}`)
    .join(', ')})`;
}

function textOf(subject: string, data: unknown): string {
  if (typeof data !== 'object' || data === null) return `${subject}: ${String(data)}`;
  const { text, fields, ...rest } = data as Readonly<Record<string, unknown>>;
  const values = Object.entries({ ...rest, ...(typeof fields === 'object' ? fields : {}) })
    .filter(([, value]) => value !== null && value !== undefined)
    .map(([name, value]) => `${name} ${wordsOf(value)}`)
    .join(', ');
  const stated = typeof text === 'string' ? text : subject;
  return values === '' ? stated : `${stated}: ${values}`;
}
