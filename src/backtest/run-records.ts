import type { MirrorChange } from '../engine/mirror-change.ts';
import type { FillRecord } from '../records/fill.ts';
import { isFinal, type OrderRecord } from '../records/order.ts';

/** The orders and fills of a run, taken from what the engine would write to its mirror. */
export class RunRecords {
  /** In the order in which they were planned, each as it was last. */
  readonly orders: OrderRecord[] = [];
  readonly fills: FillRecord[] = [];
  /** Indices in the list of the orders that have not ended, except the newest. */
  private readonly places = new Map<string, number>();
  /** The one that was planned last and has not ended: mostly it is the next that does. Empty without one. */
  private newestKey = '';
  private newestPlace = -1;

  note(changes: readonly MirrorChange[]): void {
    for (const change of changes) {
      if (change.kind === 'order') this.noteOrder(change.order);
      else if (change.kind === 'fill') this.fills.push(change.fill);
    }
  }

  /** Keeps an order as it is now, at the place of its plan. */
  noteOrder(order: OrderRecord): void {
    const { key } = order;
    const place = this.placeOf(key);
    if (place !== undefined) this.orders[place] = order;
    else if (isFinal(order)) this.orders.push(order);
    else this.begin(key, this.orders.push(order) - 1);
    if (place !== undefined && isFinal(order)) this.end(key);
  }

  private placeOf(key: string): number | undefined {
    if (key === this.newestKey) return this.newestPlace;
    return this.places.size === 0 ? undefined : this.places.get(key);
  }

  private begin(key: string, place: number): void {
    if (this.newestKey !== '') this.places.set(this.newestKey, this.newestPlace);
    this.newestKey = key;
    this.newestPlace = place;
  }

  private end(key: string): void {
    if (key === this.newestKey) this.newestKey = '';
    else this.places.delete(key);
  }
}
