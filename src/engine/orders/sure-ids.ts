import type { VenueOrderId } from '../../domain/venue-id.ts';
import type { Outbox } from '../outbox.ts';

/**
 * The id that two readings of an order have said, so that nothing of somebody else's is asked to end in its
 * place.
 */
export class SureIds {
  private readonly outbox: Outbox;
  private readonly isPushed: boolean;
  private readonly seen = new Map<
    string,
    { readonly id: VenueOrderId; readonly step: number; isSure: boolean }
  >();

  /** `isPushed`: the venue pushes every change, so one reading is enough. */
  constructor(outbox: Outbox, isPushed = false) {
    this.outbox = outbox;
    this.isPushed = isPushed;
  }

  saw(key: string, id: VenueOrderId): void {
    const { steps } = this.outbox;
    const before = this.seen.get(key);
    if (before?.id !== id) this.seen.set(key, { id, step: steps, isSure: false });
    else if (before.step !== steps) before.isSure = true;
  }

  isSure(key: string): boolean {
    return this.isPushed || (this.seen.get(key)?.isSure ?? false);
  }

  forget(key: string): void {
    this.seen.delete(key);
  }
}
