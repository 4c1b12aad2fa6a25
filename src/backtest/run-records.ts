import type { MirrorChange } from '../engine/mirror-change.ts';
import type { FillRecord } from '../execution/fill-record.ts';
import { isFinal, type OrderRecord } from '../execution/order-record.ts';

/** The orders and fills of a run, taken from what the engine would write to its mirror. */
export class RunRecords {
  /** In the order in which they were planned, each as it was last. */
  readonly orders: OrderRecord[] = [];
  readonly fills: FillRecord[] = [];
  /** Where in the list those orders are that have not ended. */
  private readonly places = new Map<string, number>();

  note(changes: readonly MirrorChange[]): void {
    for (const change of changes) {
      if (change.kind === 'order') this.noteOrder(change.order);
      else if (change.kind === 'fill') this.fills.push(change.fill);
    }
  }

  /** Keeps an order as it is now, at the place of its plan. */
  noteOrder(order: OrderRecord): void {
    const { key } = order;
    const place = this.places.get(key);
    if (place !== undefined) this.orders[place] = order;
    else if (isFinal(order)) this.orders.push(order);
    else this.places.set(key, this.orders.push(order) - 1);
    if (place !== undefined && isFinal(order)) this.places.delete(key);
  }
}
