import {
  type IntentRow,
  type ExchangeTruth,
  type TrueOrder,
  type MirrorRows,
  NONE_REFUSED,
  Finder,
  violationsOf,
  type Violation,
  placedNameOf,
  ownKeyOf,
  type LeavingRequest,
  type WireWitness,
} from './exchange-truth.ts';
import { formatUnits, parseUnits } from '../../domain/money.ts';
import type { EngineOutput } from '../../engine/engine-event.ts';
import { english } from '../../language/sentence.ts';

/** Kinds of intents that have one order, or the pair of an OCO. */
const ONE_ORDER: ReadonlySet<string> = new Set(['place', 'oco']);

/** Kinds of intents whose orders come one after the other, so that no two of them exist at the same time. */
const ONE_AT_A_TIME: ReadonlySet<string> = new Set([
  'place',
  'replace',
  'iceberg',
  'twap',
  'vwap',
  'peg',
  'dca',
  'exit',
]);

/** Kinds of intents that state a total amount. */
const HAS_AMOUNT: ReadonlySet<string> = new Set(['place', 'oco', 'twap', 'vwap', 'iceberg', 'ladder', 'peg']);

/** Kinds of intents that sell what they bought: each exit ends before the next comes. */
const HAS_EXIT: ReadonlySet<string> = new Set(['bracket', 'protect']);

/** Deviations that a market's rules allow. */
export interface Tolerances {
  /** Returns the largest rounding of a market's price by an exchange that changes its steps. */
  readonly roundingOf: (market: string) => bigint;
  /** Returns the amount that earlier exits may have left at a price; a bracket sells it too. */
  readonly dustOf: (market: string, price: bigint) => bigint;
}

const NO_TOLERANCES: Tolerances = { roundingOf: () => 0n, dustOf: () => 0n };

/**
 * Checks that nothing was placed twice: the exchange accepted each of the bot's ids at most once, an intent
 * for one order has one, orders that must follow each other never existed together, and the filled amount is
 * at most the wanted one. `refused`: names of orders that the bot saw refused, so that it may have placed
 * others instead.
 */
export function checkOrders(
  truth: ExchangeTruth,
  rows: MirrorRows,
  refused: ReadonlySet<string> = NONE_REFUSED,
  tolerances: Tolerances = NO_TOLERANCES,
): readonly Violation[] {
  const messages: string[] = [];
  for (const [id, orders] of Map.groupBy(truth.orders, ({ clientOrderId }) => clientOrderId)) {
    if (id === null || orders.length === 1) continue;
    messages.push(
      `expected one order with the clientOrderId ${id}, the exchange accepted ${orders.map((order) => order.id).join(', ')}`,
    );
  }
  for (const served of servedIntents(truth, rows, refused)) messages.push(...checkIntent(served, tolerances));
  return violationsOf('orders', messages);
}

function servedIntents(
  truth: ExchangeTruth,
  rows: MirrorRows,
  refused: ReadonlySet<string>,
): readonly SlowIntent[] {
  const trueOrders = new Map(truth.orders.map((order) => [order.clientOrderId, order]));
  const byIntent = Map.groupBy(rows.orders, ({ intentId }) => intentId);
  return rows.intents.map(({ id, kind, json, atMs }) => {
    const accepted = (byIntent.get(id) ?? []).flatMap(({ clientOrderId, plannedAtMs }) => {
      const order = clientOrderId === null ? undefined : trueOrders.get(clientOrderId);
      return order === undefined ? [] : [{ order, plannedAtMs }];
    });
    const served = accepted.filter(({ order }) => !refused.has(order.clientOrderId ?? ''));
    const madeThoughRefused = accepted.filter(({ order }) => refused.has(order.clientOrderId ?? ''));
    return {
      id,
      kind,
      json,
      atMs,
      orders: served.map(({ order }) => order),
      madeThoughRefused: madeThoughRefused.map(({ order }) => order),
      plannedAtMs: served.map(({ plannedAtMs }) => plannedAtMs),
    };
  });
}

function checkIntent(intent: SlowIntent, { roundingOf, dustOf }: Tolerances): readonly string[] {
  const { id, kind, json, orders } = intent;
  const messages: string[] = [...checkSlowOrders(intent, roundingOf)];
  const ids = orders.map((order) => order.id).join(', ');
  if (ONE_ORDER.has(kind) && orders.length > 1)
    messages.push(`expected one order for intent ${id} (${kind}), there are ${ids}`);
  if (ONE_AT_A_TIME.has(kind)) {
    const together = overlapping(orders);
    if (together !== null)
      messages.push(
        `expected the orders of intent ${id} (${kind}) one after the other, ${together} were there together`,
      );
  }
  if (HAS_EXIT.has(kind)) messages.push(...checkExits(intent, dustOf));
  if (kind === 'targets') messages.push(...checkShares(id, orders));
  if (HAS_AMOUNT.has(kind)) {
    const wanted = wantedAmount(json);
    const matched = orders.reduce((sum, order) => sum + order.matched, 0n);
    if (wanted !== null && matched > wanted)
      messages.push(
        `expected at most ${formatUnits(wanted)} for intent ${id} (${kind}), ${ids} filled ${formatUnits(matched)}`,
      );
  }
  for (const order of orders) {
    if (order.matched > order.amount) messages.push(`expected fills of order ${order.id} within its amount`);
  }
  return messages;
}

/** Checks that one exit exists at a time, and that at most what was bought, plus dust, was sold. */
function checkExits(
  { id, kind, json, orders, madeThoughRefused }: SlowIntent,
  dustOf: Tolerances['dustOf'],
): readonly string[] {
  const messages: string[] = [];
  const sales = orders.filter(({ side }) => side === 'sell');
  const together = overlapping(sales);
  if (together !== null)
    messages.push(
      `expected the exits of intent ${id} (${kind}) one after the other, ${together} were there together`,
    );
  const sold = sales.reduce((sum, { matched }) => sum + matched, 0n);
  const bought = [...orders, ...madeThoughRefused].reduce(
    (sum, { side, matched }) => sum + (side === 'buy' ? matched : 0n),
    0n,
  );
  const [first] = sales;
  const dust = first === undefined ? 0n : dustOf(first.market, first.price);
  const most = kind === 'bracket' ? bought + dust : wantedAmount(json);
  if (most !== null && sold > most)
    messages.push(
      `expected intent ${id} (${kind}) to sell at most ${formatUnits(most)}, it sold ${formatUnits(sold)}`,
    );
  return messages;
}

/** Checks a set of shares: one order after the other in each market, purchases after all sales ended. */
function checkShares(id: string, orders: readonly TrueOrder[]): readonly string[] {
  const messages: string[] = [];
  for (const [market, own] of Map.groupBy(orders, (order) => order.market)) {
    const together = overlapping(own);
    if (together !== null)
      messages.push(
        `expected the orders of intent ${id} in ${market} one after the other, ${together} were there together`,
      );
  }
  const sales = orders.filter(({ side }) => side === 'sell');
  for (const purchase of orders) {
    if (purchase.side === 'sell') continue;
    const early = sales.find(({ closedAtMs }) => closedAtMs === null || closedAtMs > purchase.openedAtMs);
    if (early !== undefined)
      messages.push(
        `expected intent ${id} to buy once all is sold, ${purchase.id} came before the end of the sale ${early.id}`,
      );
  }
  return messages;
}

/** Returns the ids of two orders that were open at the same time; null if there are none. */
function overlapping(orders: readonly TrueOrder[]): string | null {
  const byTime = orders.toSorted((left, right) => left.openedAtMs - right.openedAtMs || left.id - right.id);
  for (const [index, order] of byTime.entries()) {
    const before = byTime[index - 1];
    if (before === undefined) continue;
    if (before.closedAtMs === null || before.closedAtMs > order.openedAtMs)
      return `${before.id} and ${order.id}`;
  }
  return null;
}

/** Returns the amount in an intent; null if it is no decimal, which another check refuses. */
function wantedAmount(json: string): bigint | null {
  const intent = JSON.parse(json) as { readonly amount?: unknown };
  if (typeof intent.amount !== 'string') return null;
  try {
    return parseUnits(intent.amount);
  } catch {
    return null;
  }
}

/** An intent with the orders that the exchange has accepted for it. */
interface SlowIntent extends IntentRow {
  readonly orders: readonly TrueOrder[];
  /** Orders that the exchange made although the bot saw them refused: their replacements count as well. */
  readonly madeThoughRefused: readonly TrueOrder[];
  /** Times at which these orders were planned, by the bot's clock and in the same order. */
  readonly plannedAtMs: readonly number[];
}

/** Checks intents with several orders, each by its terms. `roundingOf`: largest rounding of a price. */
function checkSlowOrders(intent: SlowIntent, roundingOf: (market: string) => bigint): readonly string[] {
  switch (intent.kind) {
    case 'peg':
      return checkPeg(intent, roundingOf);
    case 'ladder':
      return checkLadder(intent);
    case 'dca':
      return checkDca(intent);
    default:
      return [];
  }
}

/** Checks that no order of a peg lies beyond its bound, except by the rounding of new steps. */
function checkPeg(
  { id, json, orders }: SlowIntent,
  roundingOf: (market: string) => bigint,
): readonly string[] {
  const { bound } = JSON.parse(json) as { readonly bound: string };
  const units = parseUnits(bound);
  return orders
    .filter(
      ({ side, price, market }) => (side === 'buy' ? price - units : units - price) > roundingOf(market),
    )
    .map(
      (order) =>
        `expected the orders of intent ${id} (peg) within ${bound}, ${order.id} lies at ${formatUnits(order.price)}`,
    );
}

/** Checks that each rung is placed at most once: no more orders than stated, each at another price. */
function checkLadder({ id, json, orders }: SlowIntent): readonly string[] {
  const { orders: most } = JSON.parse(json) as { readonly orders: number };
  const prices = new Set(orders.map(({ price }) => price));
  if (orders.length <= most && prices.size === orders.length) return [];
  const placed = orders.map((order) => `${order.id} at ${formatUnits(order.price)}`).join(', ');
  return [`expected at most ${most} orders for intent ${id} (ladder), each at a price of its own: ${placed}`];
}

/**
 * Checks that there is one purchase for each of its times: a market order that filled something is one. Times
 * are those of the bot's clock, which may go back from one life to the next.
 */
function checkDca({ id, json, atMs, orders, plannedAtMs }: SlowIntent): readonly string[] {
  const { everyMs } = JSON.parse(json) as { readonly everyMs: number };
  const purchases: number[] = [];
  let latestMs = atMs;
  for (const [index, order] of orders.entries()) {
    latestMs = Math.max(latestMs, plannedAtMs[index] ?? atMs);
    if (order.matched === 0n) continue;
    purchases.push(order.id);
    const times = Math.floor((latestMs - atMs) / everyMs) + 1;
    if (purchases.length > times)
      return [
        `expected ${times} purchases of intent ${id} (dca) by ${latestMs}, there were ${purchases.join(', ')}`,
      ];
  }
  return [];
}

/** The exchange's own data: its tables. */
interface AcceptedOrders {
  /** Returns the id of an order by the clientOrderId it was placed with; null if none was accepted. */
  readonly idOf: (clientOrderId: string) => number | null;
  /** Names of orders that the bot saw refused with the interface's own code. */
  readonly refused: ReadonlySet<string>;
}

/** Checks that only positive evidence rejects an order: one given up is not at the exchange then. */
export class RejectionChecker extends Finder {
  protected readonly promise = 'rejections';

  watch({ changes }: Pick<EngineOutput, 'changes'>, { idOf, refused }: AcceptedOrders, atMs: number): void {
    for (const change of changes) {
      if (change.kind !== 'order' || change.order.state !== 'rejected') continue;
      const { key, reason } = change.order;
      const name = placedNameOf(key);
      const id = idOf(name);
      if (id === null || refused.has(name)) continue;
      this.found.push(
        `expected ${key} not to be given up (${english(reason)}) at ${atMs}, the exchange has it as ${id}`,
      );
    }
  }
}

interface Cancel {
  /** Id at the exchange, or the client's. */
  readonly order: number | string;
  readonly atMs: number;
}

/**
 * Checks that orders of others are never touched: every cancel names an order of this instance, and no
 * request cancels all orders, which only an operator may do.
 */
export class ForeignChecker implements WireWitness {
  private readonly instance: string;
  private readonly cancels: Cancel[] = [];
  private readonly found: string[] = [];

  /** `instance`: first part of the bot's order ids. */
  constructor(instance: string) {
    this.instance = instance;
  }

  leaves({ endpoint, fields, atMs }: LeavingRequest): void {
    if (endpoint.name === 'cancelOldOrders')
      this.found.push(`expected no request for the end of every order, one left at ${atMs}`);
    if (endpoint.name !== 'updateOrderStatus') return;
    const order = fields['order'] ?? fields['clientOrderId'];
    if (typeof order === 'number' || typeof order === 'string') this.cancels.push({ order, atMs });
  }

  isAnswered(): void {}

  violations({ orders }: ExchangeTruth): readonly Violation[] {
    const byId = new Map(orders.map((order) => [order.id, order]));
    const foreign = this.cancels.flatMap(({ order, atMs }) => {
      if (typeof order === 'string') {
        return order.startsWith(`${this.instance}-`)
          ? []
          : [`expected cancels of our own orders, one left for ${order} at ${atMs}`];
      }
      const named = byId.get(order);
      const isOurs = named !== undefined && ownKeyOf(named, byId, this.instance) !== null;
      return isOurs
        ? []
        : [`expected cancels of our own orders, one left for the foreign order ${order} at ${atMs}`];
    });
    return violationsOf('foreign orders', [...this.found, ...foreign]);
  }
}
