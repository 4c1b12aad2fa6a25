import type { Units } from '../domain/money.ts';

/** What the exchange said of an order, in any of its lists and replies. */
export interface OrderStatusReport {
  readonly venueId: number | null;
  readonly status: string | null;
  /** Whether by its status it may still fill; true where no status was said. */
  readonly isOpen: boolean;
  readonly matched: Units;
  /** What it took the order for, which can differ from what was sent: digits beyond the market's steps are rounded. Null where it did not say. */
  readonly terms: VenueTerms | null;
}

export interface VenueTerms {
  readonly amount: Units;
  readonly price: Units | null;
  readonly stopPrice: Units | null;
}

/** Something that was done about an order, or learned of it. */
export type OrderEvent =
  /** Its request was handed over, to leave when its budget lets it. */
  | { readonly kind: 'handed over'; readonly atMs: number }
  /** It was decided otherwise before anything left: halted, too old, no slot. */
  | { readonly kind: 'dropped'; readonly atMs: number; readonly reason: string }
  /** The exchange's own no, which says that nothing was registered. */
  | { readonly kind: 'refused'; readonly atMs: number; readonly code: string }
  /** No clear answer; it can have left until `sentAtMs`. */
  | { readonly kind: 'unanswered'; readonly sentAtMs: number }
  | { readonly kind: 'seen'; readonly atMs: number; readonly sight: OrderStatusReport }
  /** It matched less than a reading had said, as two later ones say: what is closed does not change any more. */
  | { readonly kind: 'matched less'; readonly matched: Units }
  /** The id that a reply gave it is not its own; this one is, as it says itself. */
  | { readonly kind: 'rebound'; readonly venueId: number }
  /** The exchange has nothing under the id that a reply gave it, as two answers say. What it is there has to be found out. */
  | { readonly kind: 'unbound' }
  | { readonly kind: 'cancel asked' }
  /** The cancel came to nothing, or to nothing clear. Whether the order is open is asked next. */
  | { readonly kind: 'cancel failed' }
  | {
      readonly kind: 'filled';
      readonly atMs: number;
      readonly amount: Units;
      readonly total: Units;
      readonly fee: Units;
    }
  /** Proven that it never arrived. `resend`: it may be sent again under its own id. */
  | { readonly kind: 'absent'; readonly atMs: number; readonly resend: boolean };
