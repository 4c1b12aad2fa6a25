import type { OrderRecord } from '../execution/order-record.ts';

/** An exit as it was asked for last: of a pair its stop leg. */
interface Exit {
  readonly amount: bigint;
  readonly stopPrice: bigint | null;
}

/** Follows the exits of brackets: what they have come to, and which of them rest. */
export class ExitCoverage {
  /** The orders by which brackets left, by name. */
  readonly names = new Set<string>();
  private readonly exits = new Map<string, Exit>();
  /** Intents with a live exit, by the key of its first order. */
  private readonly resting = new Map<string, string>();

  /** Answers what a new value of an order says, in words to be counted. */
  order(order: OrderRecord, isNew: boolean): readonly string[] {
    const { key, intentId, exit, amount, pairKey, state } = order;
    // By the order itself: a mirror that was put back gives the ids of its intents again.
    if (exit === null) return [];
    this.names.add(key);
    if (state === 'filled' || state === 'cancelled' || state === 'rejected') this.resting.delete(key);
    else if (state === 'open') this.resting.set(key, intentId);
    // The stop price of a pair is that of its second leg.
    if (!isNew || (pairKey !== null && !key.endsWith('/2'))) return [];
    const before = this.exits.get(intentId);
    this.exits.set(intentId, { amount, stopPrice: order.stopPrice });
    if (before === undefined) return ['exits'];
    const said: string[] = [];
    if (before.amount !== amount) said.push('exits resized');
    if (before.stopPrice !== null && order.stopPrice !== null && order.stopPrice > before.stopPrice)
      said.push('stops raised');
    return said;
  }

  get isResting(): boolean {
    return this.resting.size > 0;
  }
}
