import type { Outbox } from './outbox.ts';

/** The id that two readings of an order have said, so that nothing of somebody else's is asked to end in its place. */
export class SureIds {
  private readonly outbox: Outbox;
  private readonly seen = new Map<string, { readonly id: number; readonly step: number; isSure: boolean }>();

  constructor(outbox: Outbox) {
    this.outbox = outbox;
  }

  saw(key: string, id: number): void {
    const { steps } = this.outbox;
    const before = this.seen.get(key);
    if (before?.id !== id) this.seen.set(key, { id, step: steps, isSure: false });
    else if (before.step !== steps) before.isSure = true;
  }

  isSure(key: string): boolean {
    return this.seen.get(key)?.isSure ?? false;
  }

  forget(key: string): void {
    this.seen.delete(key);
  }
}
