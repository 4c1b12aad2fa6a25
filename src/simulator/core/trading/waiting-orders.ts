import type { SimulatedOrder } from './order.ts';

/**
 * Orders that are `New` for a time, by when they are due. At most the open ones and those that ended
 * meanwhile: each leaves when it is due.
 */
export class WaitingOrders {
  private readonly queue: { readonly order: SimulatedOrder; readonly dueMs: number }[] = [];

  /** Puts an order into its place: the time that orders wait may have changed since the last. */
  add(order: SimulatedOrder, dueMs: number): void {
    const later = this.queue.findIndex((other) => other.dueMs > dueMs);
    this.queue.splice(later === -1 ? this.queue.length : later, 0, { order, dueMs });
  }

  /**
   * Takes out the next that is due by `timeMs` in an open market. It may have ended or entered the book
   * before.
   */
  takeDue(timeMs: number): { readonly order: SimulatedOrder; readonly dueMs: number } | undefined {
    for (const [index, waiting] of this.queue.entries()) {
      if (waiting.dueMs > timeMs) return undefined;
      if (waiting.order.market.isClosed) continue;
      this.queue.splice(index, 1);
      return waiting;
    }
    return undefined;
  }
}
