import type { VenueOrderId } from '../domain/venue-id.ts';
import type { Outbox } from './outbox.ts';

/**
 * The id that two readings of an order have said, so that nothing of somebody else's is asked to end in its
 * place.
 */
export class SureIds {
  private readonly outbox: Outbox;
  private readonly isTold: boolean;
  private readonly seen = new Map<
    string,
    { readonly id: VenueOrderId; readonly step: number; isSure: boolean }
  >();

  /** `isTold`: the venue tells of every change by itself, so that one reading is as good as two. */
  constructor(outbox: Outbox, isTold = false) {
    this.outbox = outbox;
    this.isTold = isTold;
  }

  saw(key: string, id: VenueOrderId): void {
    const { steps } = this.outbox;
    const before = this.seen.get(key);
    if (before?.id !== id) this.seen.set(key, { id, step: steps, isSure: this.isTold });
    else if (before.step !== steps) before.isSure = true;
  }

  isSure(key: string): boolean {
    return this.seen.get(key)?.isSure ?? false;
  }

  forget(key: string): void {
    this.seen.delete(key);
  }
}
