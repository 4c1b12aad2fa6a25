import type { VenueOrder } from '../../domain/order.ts';
import type { VenueOrderId } from '../../domain/venue-id.ts';
import type { OrderRecord } from '../../records/order.ts';

/**
 * Records of open orders that came to nothing when they were taken in last. A venue in this process hands
 * over the same object for as long as an order stays as it is, and what it says was taken in already. No
 * venue changes a record that it has handed over.
 */
export class UnchangedRecords {
  /** One an open order. */
  private readonly byId = new Map<
    VenueOrderId,
    { readonly record: VenueOrder; readonly order: OrderRecord }
  >();

  /** The order as it was when this very record changed nothing about it; undefined where it did not. */
  orderOf(record: VenueOrder): OrderRecord | undefined {
    const last = record.id === null ? undefined : this.byId.get(record.id);
    return last?.record === record ? last.order : undefined;
  }

  note(record: VenueOrder, order: OrderRecord): void {
    if (record.id !== null) this.byId.set(record.id, { record, order });
  }

  forget(id: VenueOrderId): void {
    this.byId.delete(id);
  }
}
