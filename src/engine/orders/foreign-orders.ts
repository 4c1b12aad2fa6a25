import type { VenueOrderId } from '../../domain/venue-id.ts';
import { keepNewest } from '../../domain/keep-newest.ts';
import { isManualOrderId } from '../order-names.ts';
import type { Outbox } from '../outbox.ts';

/** Foreign order ids that are remembered, so that their trades are known to be foreign. The oldest go. */
const FOREIGN_KEPT = 20_000;

/**
 * Orders on this account that are not this bot's. Foreign is what two readings say is nobody's: else its
 * trades, which may be ours, would be given away for good.
 */
export class ForeignOrders {
  private readonly outbox: Outbox;
  private readonly foreign = new Set<VenueOrderId>();
  /** Ids that one reading has shown. */
  private readonly strangers = new Set<VenueOrderId>();

  constructor(outbox: Outbox) {
    this.outbox = outbox;
  }

  has(id: VenueOrderId): boolean {
    return this.foreign.has(id);
  }

  /** True if one reading shows that it is nobody's, and no second one yet. */
  isStranger(id: VenueOrderId): boolean {
    return this.strangers.has(id);
  }

  /** One reading says that it is nobody's. The second makes it foreign. */
  meet(id: VenueOrderId, name: string | null): void {
    if (this.foreign.has(id)) return;
    if (this.strangers.delete(id)) this.add(id, name);
    else {
      this.strangers.add(id);
      keepNewest(this.strangers, FOREIGN_KEPT);
    }
  }

  /** It is somebody else's for certain. */
  add(id: VenueOrderId, name: string | null): void {
    if (this.foreign.has(id)) return;
    this.foreign.add(id);
    if (name !== null && isManualOrderId(name)) {
      // The trades that it brings have its id alone.
      this.outbox.journal('notice', name, { venueId: id });
      this.outbox.info(
        `order ${id} was placed by hand (${name}): it belongs to no strategy and stays untouched`,
        name,
      );
    }
    keepNewest(this.foreign, FOREIGN_KEPT);
  }
}
