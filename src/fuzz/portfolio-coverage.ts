import type { IntentRecord } from '../engine/mirror-change.ts';
import type { OrderRecord } from '../execution/order-record.ts';

/** Follows sets of shares, and intents that were refused for want of money. */
export class PortfolioCoverage {
  /** Sets at work, and whether one has sold. */
  private readonly sets = new Map<string, boolean>();

  /** Answers what a new value of an intent says, in words to be counted. */
  intent({ id, kind, status, reason }: IntentRecord): readonly string[] {
    if (kind === 'targets') {
      if (status === 'working') this.sets.set(id, false);
      else this.sets.delete(id);
    }
    // Of an order that was planned already, the intent is done.
    const isRefused = status === 'refused' || reason?.startsWith('refused: ') === true;
    return isRefused && reason?.includes(' to be spent, was ') === true ? ['refused for want of money'] : [];
  }

  /** The same of a new order. */
  order({ intentId, side }: OrderRecord): readonly string[] {
    const hasSold = this.sets.get(intentId);
    if (hasSold === undefined) return [];
    if (side === 'sell') this.sets.set(intentId, true);
    return side === 'buy' && hasSold ? ['shares sold for, then bought'] : ['orders for shares'];
  }
}
