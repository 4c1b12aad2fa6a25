import { formatUnits, parseUnits } from '../../domain/money.ts';
import type { TrueOrder } from './exchange-truth.ts';

/** An intent with the orders that the exchange has accepted for it. */
export interface SlowIntent {
  readonly id: string;
  readonly kind: string;
  readonly json: string;
  /** When the bot took it, by its own clock. */
  readonly atMs: number;
  readonly orders: readonly TrueOrder[];
}

/** How far the clocks of bot and exchange may differ at the moment of a purchase. */
const CLOCKS_MS = 10_000;

/** What holds of intents that serve several orders over time, each by what it says of itself. */
export function checkSlowOrders(intent: SlowIntent): readonly string[] {
  switch (intent.kind) {
    case 'peg':
      return checkPeg(intent);
    case 'ladder':
      return checkLadder(intent);
    case 'dca':
      return checkDca(intent);
    default:
      return [];
  }
}

/** None of its orders lies beyond the bound. */
function checkPeg({ id, json, orders }: SlowIntent): readonly string[] {
  const { bound } = JSON.parse(json) as { readonly bound: string };
  const units = parseUnits(bound);
  return orders
    .filter(({ side, price }) => (side === 'buy' ? price > units : price < units))
    .map(
      (order) =>
        `expected the orders of intent ${id} (peg) within ${bound}, ${order.id} lies at ${formatUnits(order.price)}`,
    );
}

/** Each rung is placed once at most: no more orders than it said, at prices of their own. */
function checkLadder({ id, json, orders }: SlowIntent): readonly string[] {
  const { orders: most } = JSON.parse(json) as { readonly orders: number };
  const prices = new Set(orders.map(({ price }) => price));
  if (orders.length <= most && prices.size === orders.length) return [];
  const placed = orders.map((order) => `${order.id} at ${formatUnits(order.price)}`).join(', ');
  return [`expected at most ${most} orders for intent ${id} (ladder), each at a price of its own: ${placed}`];
}

/** One purchase for each of its times: a market order that filled something is one. */
function checkDca({ id, json, atMs, orders }: SlowIntent): readonly string[] {
  const { everyMs } = JSON.parse(json) as { readonly everyMs: number };
  const purchases = orders
    .filter(({ matched }) => matched > 0n)
    .toSorted((one, other) => one.openedAtMs - other.openedAtMs);
  return purchases.flatMap(({ openedAtMs }, index) => {
    const times = Math.floor((openedAtMs + CLOCKS_MS - atMs) / everyMs) + 1;
    if (index < times) return [];
    const ids = purchases.slice(0, index + 1).map((order) => order.id);
    return [
      `expected ${times} purchases of intent ${id} (dca) by ${openedAtMs}, there were ${ids.join(', ')}`,
    ];
  });
}
