import type { VenueOrder } from '../../domain/order.ts';
import { mayTrade, type OrderRecord } from '../../records/order.ts';
import type { CancelManager } from './cancel-manager.ts';
import type { Outbox } from '../outbox.ts';

/** Strategies wait so long at most for the end of orders that nobody steers. */
const ENDS_WITHIN_MS = 60_000;

/**
 * Open orders of this instance that were taken over, since the mirror was lost or put back from a copy. No
 * intent steers them: a strategy goes on from what it knew then, and would place the like of them once more.
 * So they are canceled before it begins. What protects a position, a stop order or an OCO, stays and is said:
 * whether its position still needs it, only a person can know.
 */
export class OrphanedOrders {
  private readonly outbox: Outbox;
  private readonly cancels: Pick<CancelManager, 'cancel' | 'wantsEndOf'>;
  /** Times at which the end of each was requested. */
  private readonly ending = new Map<string, number>();

  constructor(options: {
    readonly outbox: Outbox;
    readonly cancels: Pick<CancelManager, 'cancel' | 'wantsEndOf'>;
  }) {
    this.outbox = options.outbox;
    this.cancels = options.cancels;
  }

  /** An order that was just taken over, with the record that it was found in. */
  take(order: OrderRecord, { pairId, clientOrderId }: VenueOrder): void {
    if (!mayTrade(order)) return;
    const { key, strategy, stopPrice } = order;
    if (stopPrice !== null || pairId !== null) {
      // The second leg of a pair has no name of its own, and goes with the first.
      if (clientOrderId === null) return;
      this.outbox.alarm(
        `${key} protects a position and stays open, but ${strategy} does not know it any more: cancel it with "sarraf cancel ${key}" once its position is closed or has another exit`,
        key,
      );
      return;
    }
    this.outbox.warn(`${key} is canceled, since ${strategy} does not know it any more`, key);
    this.ending.set(key, this.outbox.nowMs);
    this.cancels.cancel(order);
  }

  /** True if the end of some is still awaited. */
  isAwaited(): boolean {
    for (const [key, askedAtMs] of this.ending)
      if (!this.cancels.wantsEndOf(key) || askedAtMs + ENDS_WITHIN_MS < this.outbox.nowMs)
        this.ending.delete(key);
    return this.ending.size > 0;
  }
}
