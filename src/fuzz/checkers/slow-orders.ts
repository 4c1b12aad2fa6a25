import { formatUnits, parseUnits } from '../../domain/money.ts';
import type { TrueOrder } from './exchange-truth.ts';

/** An intent with the orders that the exchange has accepted for it. */
export interface SlowIntent {
  readonly id: string;
  readonly kind: string;
  readonly json: string;
  /** Time the bot accepted it, by its own clock. */
  readonly atMs: number;
  readonly orders: readonly TrueOrder[];
  /** Those that it made and said to have refused: whatever took their place counts as well. */
  readonly madeThoughRefused: readonly TrueOrder[];
  /** Times at which each of them was planned, by its own clock and in the same order. */
  readonly plannedAtMs: readonly number[];
}

/**
 * Checks intents that serve several orders over time, each against its own terms. `roundingOf`: amount by
 * which the exchange may have rounded a price of a market.
 */
export function checkSlowOrders(
  intent: SlowIntent,
  roundingOf: (market: string) => bigint,
): readonly string[] {
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

/** None of its orders lies beyond the bound, but by what an exchange with new steps has rounded. */
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

/** Each rung is placed once at most: no more orders than it said, at prices of their own. */
function checkLadder({ id, json, orders }: SlowIntent): readonly string[] {
  const { orders: most } = JSON.parse(json) as { readonly orders: number };
  const prices = new Set(orders.map(({ price }) => price));
  if (orders.length <= most && prices.size === orders.length) return [];
  const placed = orders.map((order) => `${order.id} at ${formatUnits(order.price)}`).join(', ');
  return [`expected at most ${most} orders for intent ${id} (ladder), each at a price of its own: ${placed}`];
}

/**
 * One purchase for each of its times: a market order that filled something is one. Times are those of the
 * bot's clock, which may go back from one life to the next.
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
