import { SarrafError } from '../../domain/errors.ts';
import type { MarketName } from '../../domain/market-symbol.ts';
import { parseMarket } from '../../exchange/market-names.ts';
import { parsedJson } from '../../domain/stored-json.ts';
import type { IntentRecord } from '../../records/rows.ts';
import type { FillRecord } from '../../records/fill.ts';
import { UNTIL_RESUMED_MS, type Lock } from '../../engine/lock.ts';
import type { OrderRecord } from '../../records/order.ts';
import { type SentenceItem, MOST_ROWS_OF_PAGE } from '../schema/fields.ts';
import type { LockItem } from '../schema/lock.ts';
import {
  fillItem,
  orderItem,
  type FillItem,
  type IntentItem,
  type OrderItem,
  type StepItem,
  type OrderReply,
} from '../schema/order.ts';
import { FILL_ROWS, ORDER_ROWS } from '../../mirror/record-tables.ts';
import type { JournalLine } from '../../mirror/row-pages.ts';
import { english, inEnglish, sentenceFacts, sentence } from '../../language/sentence.ts';
import type { MirrorReader } from '../../mirror/mirror-reader.ts';
import { ApiError } from '../api-error.ts';

/** The parts of a market's name; null for a text that is none. */
export function tryMarket(text: string): MarketName | null {
  try {
    return parseMarket(text);
  } catch (error) {
    if (error instanceof SarrafError) return null;
    throw error;
  }
}

const ORDER_FIELDS = Object.keys(orderItem.shape) as readonly (keyof OrderItem)[];
const FILL_FIELDS = Object.keys(fillItem.shape) as readonly (keyof FillItem)[];

/** The fields of an order that its item has, with money as text. */
export function orderItemOf(order: OrderRecord): OrderItem {
  const { reason } = order;
  const item: OrderItem = {
    ...ORDER_ROWS.stored(order),
    reason: english(reason),
    reasonFacts: sentenceFacts(reason),
  };
  return Object.fromEntries(ORDER_FIELDS.map((field) => [field, item[field]])) as OrderItem;
}

export function fillItemOf(fill: FillRecord): FillItem {
  const market = tryMarket(fill.market);
  const feeCurrency = (fill.side === 'buy' ? market?.base : market?.quote) ?? null;
  const item: FillItem = { ...FILL_ROWS.stored(fill), feeCurrency };
  return Object.fromEntries(FILL_FIELDS.map((field) => [field, item[field]])) as FillItem;
}

export function intentItemOf({ json, ...intent }: IntentRecord): IntentItem {
  const { reason } = intent;
  return { ...intent, reason: english(reason), reasonFacts: sentenceFacts(reason), data: parsedJson(json) };
}

function stepItemOf({ seq, atMs, kind, subject, json }: JournalLine): StepItem {
  const data = parsedJson(json);
  return { seq, atMs, kind, subject, data: inEnglish(data), said: sentencesIn(kind, data) };
}

/** Returns the sentences in a journal line's fields; in a strategy's line none is the bot's. */
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
  return {
    name: lock.name,
    rule: lock.rule,
    strategy: lock.strategy,
    market: lock.market,
    reason: english(lock.reason),
    reasonFacts: sentenceFacts(lock.reason),
    by: lock.by ?? null,
    beganAtMs: Math.floor(lock.beganAtMs),
    endsAtMs: lock.endsAtMs >= UNTIL_RESUMED_MS ? null : Math.floor(lock.endsAtMs),
    entries: lock.entries,
    pauses: lock.pauses === true,
  };
}

/** An order with its whole life. Throws `ApiError` where there is none of that name. */
export function orderReplyOf(reader: MirrorReader, name: string): OrderReply {
  const orders = reader.order(name);
  const [first] = orders;
  if (first === undefined)
    throw new ApiError('not-found', sentence('not-an-order', { found: JSON.stringify(name) }));
  const fills = orders.flatMap(({ key }) =>
    reader.fills({ strategy: null, market: null, orderKey: key, last: MOST_ROWS_OF_PAGE }),
  );
  const subjects = [...new Set([...orders.map(({ key }) => key), first.intentId])];
  const steps = subjects
    .flatMap((subject) => reader.journalOf(subject, MOST_ROWS_OF_PAGE))
    .toSorted((left, right) => left.seq - right.seq)
    .slice(-MOST_ROWS_OF_PAGE);
  const intent = reader.intent(first.intentId);
  return {
    orders: orders.map((order) => orderItemOf(order)),
    fills: fills.toSorted((left, right) => left.cursor - right.cursor).map((fill) => fillItemOf(fill)),
    steps: steps.map((line) => stepItemOf(line)),
    replies: orders
      .flatMap(({ key }) => reader.replies(key))
      .toSorted((left, right) => left.atMs - right.atMs),
    intent:
      intent === null
        ? null
        : {
            id: intent.id,
            kind: intent.kind,
            status: intent.status,
            reason: english(intent.reason),
            reasonFacts: sentenceFacts(intent.reason),
            atMs: intent.atMs,
          },
  };
}

/** The bot's time as of its newest reading; null where nothing was read yet. */
export function newestReading(readTimes: Readonly<Record<string, number>>): number | null {
  const times = Object.values(readTimes);
  return times.length === 0 ? null : Math.floor(Math.max(...times));
}
