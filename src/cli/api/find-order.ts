import { setTimeout as pause } from 'node:timers/promises';
import { SarrafError } from '../../domain/errors.ts';
import { secondText } from '../../domain/time-text.ts';
import { iteratePages, type Caller } from '../../exchange/paging.ts';
import type { ExchangeOrder, ExchangeTrade } from '../../exchange/order.ts';
import { INTERFACE_PROFILE } from '../../venues/interface-profile.ts';
import { placerOf } from './read-fields.ts';

/** Result of searching for an order that may have been sent. */
type FoundOrder =
  | { readonly outcome: 'found'; readonly order: ExchangeOrder }
  /** The order is not at the exchange and cannot arrive any more. */
  | {
      readonly outcome: 'absent';
      /** Time from which orders and trades were read, in ms since 1970. */
      readonly sinceMs: number;
      /** Start of each complete reading of the orders, in ms since 1970. */
      readonly readAtMs: readonly number[];
    }
  | {
      readonly outcome: 'not-yet-known';
      readonly why: string;
      /** Time from which another search can prove it, in ms since 1970; null if time alone does not help. */
      readonly againAtMs: number | null;
    };

type WantedOrder = { readonly id: string } | { readonly clientOrderId: string };

export interface FindOrderOptions {
  readonly caller: Caller;
  /** Order to find: by the exchange's id, or the clientOrderId. */
  readonly wanted: WantedOrder;
  /** Latest time at which it can have been sent, in ms since 1970; null if unknown. */
  readonly sentAtMs: number | null;
  /** Time after sending in which it may still arrive, in ms. */
  readonly lateArrivalMs: number;
  /** Least time between two reads that prove its absence, in ms. */
  readonly absencePassesApartMs: number;
  readonly nowMs: () => number;
}

/** Time before the sending from which orders and trades are read, in ms: clocks may differ. */
const BEFORE_MS = 86_400_000;

const ORDERS_PAGE_SIZE = 1_000;
const TRADES_PAGE_SIZE = 500;
const MOST_PAGES = 50;

/** Maximum number of orders queried one by one because a trade of them is listed and they are not. */
const MOST_QUERIED = 20;

/**
 * Searches for an order in the open orders, in all orders and in the trades of the account. It is absent only
 * when two complete readings of all orders lack it, both begun when it could no longer arrive and some time
 * apart, and no trade since then is of an order that they lack. The clientOrderId alone proves nothing: the
 * exchange forgets it once its order closes.
 * @throws SarrafError if the exchange gives no answer.
 */
export async function findOrder(options: FindOrderOptions): Promise<FoundOrder> {
  const { nowMs, sentAtMs, lateArrivalMs, absencePassesApartMs } = options;
  const beganAtMs = nowMs();
  const open = await find(options, options.wanted);
  if (open !== null) return { outcome: 'found', order: open };
  const sinceMs = (sentAtMs ?? beganAtMs) - BEFORE_MS;
  // An order with an id has arrived already.
  const mayArrive = 'clientOrderId' in options.wanted;
  const arrivedByMs = (sentAtMs ?? beganAtMs) + lateArrivalMs;
  const readAtMs: number[] = [];
  for (;;) {
    readAtMs.push(nowMs());
    const found = await readOnce(options, sinceMs);
    if (found !== null) return found;
    if (mayArrive && (readAtMs[0] ?? 0) <= arrivedByMs) {
      const why =
        sentAtMs === null
          ? 'it is in no list now, and when it was sent is not known: say so with --sent, such as --sent 2026-01-05T10:20:00Z'
          : 'it is in no list now, and may still arrive';
      return { outcome: 'not-yet-known', why, againAtMs: sentAtMs === null ? null : arrivedByMs };
    }
    if (readAtMs.length === INTERFACE_PROFILE.absence.readings)
      return { outcome: 'absent', sinceMs, readAtMs };
    await pause(Math.max(0, absencePassesApartMs - (nowMs() - (readAtMs.at(-1) ?? 0))));
  }
}

/** Reads all orders, then all trades; null if both lack it. */
async function readOnce(options: FindOrderOptions, sinceMs: number): Promise<FoundOrder | null> {
  const { caller, wanted } = options;
  const listed = new Set<number>();
  let isNamed = false;
  try {
    const request = { status: 'all', details: 2, order: '-id', pageSize: ORDERS_PAGE_SIZE } as const;
    for await (const order of iteratePages(caller, 'ordersList', { request, maxPages: MOST_PAGES })) {
      if (isWanted(order, wanted)) return { outcome: 'found', order };
      if (order.createdAtMs !== null && order.createdAtMs < sinceMs) break;
      if (order.clientOrderId !== null) isNamed = true;
      if (order.id !== null) listed.add(order.id);
    }
    if ('clientOrderId' in wanted && !isNamed && listed.size > 0) {
      const why =
        'the exchange shows no names of orders, so it may be any of the listed: "sarraf api orders-list status=all details=2 order=-id" lists them';
      return { outcome: 'not-yet-known', why, againAtMs: null };
    }
    return await readTrades(options, { sinceMs, listed });
  } catch (error) {
    if (!(error instanceof SarrafError) || error.code !== 'TOO_MANY_PAGES') throw error;
    const why = `more was listed since ${secondText(sinceMs)} UTC than is read at once: ${error.message}`;
    return { outcome: 'not-yet-known', why, againAtMs: null };
  }
}

/** Checks whether a later trade is of an order that no list has shown: that may be the one searched for. */
async function readTrades(
  options: FindOrderOptions,
  { sinceMs, listed }: { readonly sinceMs: number; readonly listed: ReadonlySet<number> },
): Promise<FoundOrder | null> {
  const { caller, wanted } = options;
  let oldest = Number.POSITIVE_INFINITY;
  for (const id of listed) oldest = Math.min(oldest, id);
  const unlisted = new Map<number, ExchangeTrade>();
  const request = { tradeOrder: 'desc', pageSize: TRADES_PAGE_SIZE } as const;
  for await (const trade of iteratePages(caller, 'tradesList', { request, maxPages: MOST_PAGES })) {
    const { orderId, timeMs } = trade;
    if (timeMs !== null && timeMs < sinceMs) break;
    if (orderId === null) return unattributed(trade);
    // Ids rise: an order below all listed ids is older than the one searched for.
    if (!listed.has(orderId) && (listed.size === 0 || orderId > oldest)) unlisted.set(orderId, trade);
    if (unlisted.size > MOST_QUERIED) return unattributed(trade);
  }
  for (const [id, trade] of unlisted) {
    const order = await find(options, { id: String(id) });
    if (order === null) return unattributed(trade);
    if (isWanted(order, wanted)) return { outcome: 'found', order };
  }
  return null;
}

const isWanted = (order: ExchangeOrder, wanted: WantedOrder): boolean =>
  'id' in wanted ? String(order.id) === wanted.id : order.clientOrderId === wanted.clientOrderId;

/** Returns the exchange's order of an id, or of the name of an open one; null if it has no such order. */
async function find({ caller }: FindOrderOptions, wanted: WantedOrder): Promise<ExchangeOrder | null> {
  const result = await caller.call('orderStatus', wanted);
  if (result.ok) return result.value;
  // Some exchanges do not search by name at all: the lists decide.
  if (result.code === INTERFACE_PROFILE.refusals.noSuchOrder || 'clientOrderId' in wanted) return null;
  throw new SarrafError('REFUSED', `orderStatus: refused with ${result.code}: ${result.message}`, {
    outcome: 'none',
  });
}

function unattributed({ id, orderId, market, side, amount }: ExchangeTrade): FoundOrder {
  const what = `the trade ${id} (${side} of ${amount}${market === null ? '' : ` in ${market.symbol}`})`;
  const why =
    orderId === null
      ? `${what} names no order, and may be its own`
      : `${what} is of the order ${orderId}, which is in no list, and may be this one`;
  return { outcome: 'not-yet-known', why, againAtMs: null };
}

/** Describes the result for people. `command` repeats the search. */
export function foundLines(
  found: FoundOrder,
  of: { readonly name: string; readonly command: string },
): readonly string[] {
  const { name, command } = of;
  switch (found.outcome) {
    case 'found': {
      const { order } = found;
      const { id, side, amount, matchedAmount, market, price, status } = order;
      const at = price === null ? '' : ` at ${price}`;
      return [
        `found: ${name} is the order ${id ?? '(no id)'}, ${side} ${amount}${market === null ? '' : ` ${market.symbol}`}${at}, placed ${placerOf(order.clientOrderId)}`,
        `It is ${status ?? 'without a status'}, filled ${matchedAmount} of ${amount}. Do not send it again.`,
      ];
    }
    case 'absent':
      return [
        `absent: ${name} is not at the exchange`,
        `Open orders, all orders and trades since ${secondText(found.sinceMs)} UTC lack it. They were read at ${found.readAtMs.map((ms) => secondText(ms)).join(' and ')} UTC, after it could have arrived.`,
        'You may send it again.',
      ];
    case 'not-yet-known': {
      const when = found.againAtMs === null ? '' : ` after ${secondText(found.againAtMs)} UTC`;
      return [`not yet known: ${found.why}`, `Do not send it again. Look again${when}: ${command}`];
    }
  }
}
