import { createRandom } from '../src/domain/random.ts';
import type { Side } from '../src/domain/order.ts';
import { MatchingBook, BookOrder } from '../src/simulator/matching-book.ts';

/**
 * One step of a random order flow. Prices and sizes are whole numbers; ids count up from 1 over all limit
 * orders.
 */
export type FlowStep =
  | {
      readonly kind: 'limit';
      readonly id: number;
      readonly side: Side;
      readonly price: number;
      readonly size: number;
    }
  | { readonly kind: 'market'; readonly side: Side; readonly size: number }
  | { readonly kind: 'cancel'; readonly id: number };

export interface OrderFlow {
  /** Orders that rest before the flow begins: `levels` price levels on each side. */
  readonly resting: readonly Extract<FlowStep, { kind: 'limit' }>[];
  readonly steps: readonly FlowStep[];
}

export interface OrderFlowOptions {
  readonly seed: number;
  readonly steps: number;
  /** Price levels on each side before the flow begins. */
  readonly levels: number;
  /** Number of orders that rest at each of those levels. */
  readonly ordersPerLevel?: number;
  /** Maximum distance of limit orders from the middle, in ticks. */
  readonly reach: number;
  readonly middle: number;
  /** Maximum distance of a limit order beyond the middle, in ticks; such orders trade at once. */
  readonly crossing?: number;
}

/** Draws 50 % limit orders near the middle, 35 % cancels of a random open order, 15 % market orders. */
export function createOrderFlow(options: OrderFlowOptions): OrderFlow {
  const random = createRandom(options.seed);
  const { middle, reach } = options;
  const crossing = options.crossing ?? 4;
  const below = (bound: number): number => Math.floor(random.next() * bound);
  // A book is kept beside it, so that cancels name orders that are open at that moment.
  const shadow = new MatchingBook();
  const open: BookOrder[] = [];
  let nextId = 1;
  const handler = {
    reach: (_taker: BookOrder, match: { readonly amount: number }) => match.amount,
    onMatch: () => {},
  };
  const place = (side: Side, price: number, size: number): Extract<FlowStep, { kind: 'limit' }> => {
    const order = new BookOrder(nextId++, side, price, size);
    shadow.match(order, price, handler);
    if (order.remaining > 0) {
      shadow.add(order);
      open.push(order);
    }
    return { kind: 'limit', id: order.id, side, price, size };
  };
  const resting: Extract<FlowStep, { kind: 'limit' }>[] = [];
  for (let count = 0; count < options.levels * (options.ordersPerLevel ?? 1); count += 1) {
    const level = 1 + (count % options.levels);
    resting.push(
      place('buy', middle - level, 1 + below(1_000)),
      place('sell', middle + level, 1 + below(1_000)),
    );
  }
  const steps: FlowStep[] = [];
  while (steps.length < options.steps) {
    const dice = random.next();
    const side: Side = random.next() < 0.5 ? 'buy' : 'sell';
    if (dice < 0.5) {
      const distance = below(reach + crossing) - crossing + 1;
      steps.push(place(side, side === 'buy' ? middle - distance : middle + distance, 1 + below(1_000)));
    } else if (dice < 0.85) {
      const id = applyOpen(open, below);
      if (id === null) continue;
      shadow.remove(id);
      steps.push({ kind: 'cancel', id: id.id });
    } else {
      const size = 1 + below(1_500);
      const taker = new BookOrder(0, side, 0, size);
      shadow.match(taker, side === 'buy' ? Number.MAX_SAFE_INTEGER : 0, handler);
      steps.push({ kind: 'market', side, size });
    }
  }
  return { resting, steps };
}

function applyOpen(open: BookOrder[], below: (bound: number) => number): BookOrder | null {
  while (open.length > 0) {
    const index = below(open.length);
    const chosen = open[index];
    const last = open.pop();
    if (chosen !== last && last !== undefined) open[index] = last;
    if (chosen !== undefined && chosen.level !== null) return chosen;
  }
  return null;
}
