import type { VenueOrder } from '../../domain/order.ts';
import type { VenueOrderId } from '../../domain/venue-id.ts';
import type { VenueAnswer } from '../../venues/port.ts';
import type { OrderRecord } from '../../records/order.ts';
import { keepLookUp } from '../feeds/keep-reply.ts';
import type { Outbox } from '../outbox.ts';

/** Maximum wait of a question for a slot. */
const WITHIN_MS = 60_000;

/** Questions under way at most; beyond it the next reading of a list asks again. */
const MOST_UNDER_WAY = 40;

interface OrderInquiriesOptions {
  readonly outbox: Outbox;
  /** The code by which the exchange says that it has no such order. */
  readonly noSuchOrder: string;
  /** The order of ours that has an id. */
  readonly orderOf: (venueId: VenueOrderId) => OrderRecord | undefined;
  /** An answer, and the id that was asked for. Answers whether it was doubted. */
  readonly onRecord: (record: VenueOrder, askedId: VenueOrderId) => boolean;
  /** The exchange knows no order of this id, or none can have it: it is beyond what may be asked for. */
  readonly onMissing: (askedId: VenueOrderId) => void;
}

/** Asks the exchange what it has under an id: to confirm what a list said, or to learn whose it is. */
export class OrderInquiries {
  private readonly options: OrderInquiriesOptions;
  private readonly underWay = new Set<VenueOrderId>();

  constructor(options: OrderInquiriesOptions) {
    this.options = options;
  }

  isUnderWay(venueId: VenueOrderId): boolean {
    return this.underWay.has(venueId);
  }

  /** Asks for an order of ours, where its id is known. */
  about({ venueId }: OrderRecord): void {
    if (venueId !== null) this.ask(venueId);
  }

  ask(venueId: VenueOrderId): void {
    const { outbox, noSuchOrder, orderOf, onRecord, onMissing } = this.options;
    if (this.underWay.has(venueId) || this.underWay.size >= MOST_UNDER_WAY) return;
    this.underWay.add(venueId);
    outbox.ask(
      { kind: 'order', venueId, clientOrderId: null },
      { requestClass: 'resolve', dedupe: `look up ${venueId}`, withinMs: WITHIN_MS },
      (answer, { reply }) => {
        this.underWay.delete(venueId);
        const before = orderOf(venueId);
        const isDoubtful = answer.outcome === 'value' && onRecord(answer.value, venueId);
        if (isNoOrder(answer, noSuchOrder)) onMissing(venueId);
        keepLookUp(outbox, { before, after: orderOf(venueId) }, { answer, reply, isDoubtful });
      },
    );
  }
}

/**
 * True if no such order exists. A question that the client itself refuses never left: no order has such an
 * id.
 */
function isNoOrder(answer: VenueAnswer, noSuchOrder: string): boolean {
  if (answer.outcome === 'refused') return answer.code === noSuchOrder;
  return answer.outcome === 'failed' && answer.code === 'INVALID_REQUEST';
}
