import { parsedJson } from '../../domain/stored-json.ts';
import { formatUnits, type Units } from '../../domain/money.ts';
import type { IntentRecord } from '../../engine/mirror-change.ts';
import { tryMarket } from './market-parts.ts';
import type { FillRecord } from '../../engine/fill-record.ts';
import { UNTIL_RESUMED_MS, type Lock } from '../../engine/lock.ts';
import type { OrderRecord } from '../../engine/order-record.ts';
import { readSentence } from '../../language/read-sentence.ts';
import type { SentenceItem } from '../schema/fields.ts';
import type { LockItem } from '../schema/lock.ts';
import type { FillItem, IntentItem, OrderItem, StepItem } from '../schema/order.ts';
import type { JournalLine } from '../../mirror/row-pages.ts';

const textOf = (units: Units | null): string | null => (units === null ? null : formatUnits(units));

export function orderItemOf(order: OrderRecord): OrderItem {
  return {
    key: order.key,
    clientOrderId: order.clientOrderId,
    venueId: order.venueId,
    intentId: order.intentId,
    strategy: order.strategy,
    tag: order.tag,
    exit: order.exit,
    market: order.market,
    side: order.side,
    execution: order.execution,
    price: textOf(order.price),
    stopPrice: textOf(order.stopPrice),
    amount: formatUnits(order.amount),
    filled: formatUnits(order.filled),
    filledTotal: formatUnits(order.filledTotal),
    fee: formatUnits(order.fee),
    state: order.state,
    reason: order.reason,
    reasonFacts: readSentence(order.reason),
    pairKey: order.pairKey,
    attempts: order.attempts,
    plannedAtMs: order.plannedAtMs,
    sentAtMs: order.sentAtMs,
    closedAtMs: order.closedAtMs,
  };
}

export function fillItemOf(fill: FillRecord): FillItem {
  const market = tryMarket(fill.market);
  const feeCurrency = fill.side === 'buy' ? market?.base : market?.quote;
  return {
    tradeId: fill.tradeId,
    orderKey: fill.orderKey,
    venueOrderId: fill.venueOrderId,
    strategy: fill.strategy,
    market: fill.market,
    side: fill.side,
    atMs: fill.atMs,
    price: formatUnits(fill.price),
    amount: formatUnits(fill.amount),
    total: formatUnits(fill.total),
    fee: formatUnits(fill.fee),
    feeCurrency: feeCurrency ?? null,
  };
}

export function intentItemOf({ json, ...intent }: IntentRecord): IntentItem {
  return { ...intent, reasonFacts: readSentence(intent.reason), data: parsedJson(json) };
}

export function stepItemOf({ seq, atMs, kind, subject, json }: JournalLine): StepItem {
  const data = parsedJson(json);
  return { seq, atMs, kind, subject, data, said: sentencesIn(kind, data) };
}

/** Returns the sentences in a journal line's fields; in a strategy's line none is the bot's. */
export function sentencesIn(kind: string, data: unknown): Record<string, SentenceItem> {
  if (kind === 'log' || typeof data !== 'object' || data === null) return {};
  const said: Record<string, SentenceItem> = {};
  for (const [name, value] of Object.entries(data)) {
    const facts = typeof value === 'string' ? readSentence(value) : null;
    if (facts !== null) said[name] = facts;
  }
  return said;
}

export function lockItemOf(lock: Lock): LockItem {
  return {
    name: lock.name,
    rule: lock.rule,
    strategy: lock.strategy,
    market: lock.market,
    reason: lock.reason,
    reasonFacts: readSentence(lock.reason),
    by: lock.by ?? null,
    beganAtMs: Math.floor(lock.beganAtMs),
    endsAtMs: lock.endsAtMs >= UNTIL_RESUMED_MS ? null : Math.floor(lock.endsAtMs),
    entries: lock.entries,
    pauses: lock.pauses === true,
  };
}
