import type { EngineOutput } from '../../engine/engine-command.ts';
import { isFinal, type OrderRecord } from '../../records/order.ts';
import { violationsOf, type Violation } from './violation.ts';

/**
 * A set of shares buys with what its sales have brought: none of its purchases is planned while a sale of the
 * same set is not known to have ended. At the exchange a market order has ended before the next one comes,
 * so this looks at what the bot knew.
 */
export class SharesChecker {
  private readonly found: string[] = [];
  /** Sets at work, with the keys of their sales that have not ended. */
  private readonly sets = new Map<string, Set<string>>();
  private readonly seen = new Set<string>();

  watch({ changes }: Pick<EngineOutput, 'changes'>): void {
    for (const change of changes) {
      if (change.kind === 'intent') {
        const { id, kind, status } = change.intent;
        // An id may be that of a set that another life died over before it was written.
        this.sets.delete(id);
        if (kind === 'targets' && status === 'working') this.sets.set(id, new Set());
      } else if (change.kind === 'order') this.order(change.order);
    }
  }

  violations(): readonly Violation[] {
    return violationsOf('shares', this.found);
  }

  private order(order: OrderRecord): void {
    const sales = this.sets.get(order.intentId);
    if (sales === undefined) return;
    const { key, side, intentId } = order;
    if (side === 'sell') {
      if (isFinal(order)) sales.delete(key);
      else sales.add(key);
    } else if (!this.seen.has(key) && sales.size > 0)
      this.found.push(
        `expected intent ${intentId} to buy once all is sold, ${key} was planned before the end of ${[...sales].join(', ')} was known`,
      );
    this.seen.add(key);
  }
}
