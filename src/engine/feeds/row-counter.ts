import type { Outbox } from '../outbox.ts';
import { restored, type StoredTexts } from '../stored-records.ts';

/** Counts orders and intents, which are named by it, over all lives of the bot: no number comes twice. */
export class RowCounter {
  private readonly outbox: Outbox;
  private row = 0;
  /** True if it has counted since the last `store`. */
  isChanged = false;

  constructor(outbox: Outbox) {
    this.outbox = outbox;
  }

  get last(): number {
    return this.row;
  }

  next(): number {
    this.row += 1;
    this.isChanged = true;
    return this.row;
  }

  store(): void {
    this.isChanged = false;
    this.outbox.persist('row', this.row);
  }

  restore(stored: StoredTexts): void {
    this.row = restored(stored, 'row') ?? 0;
  }
}
