import { readStored, storedCount } from '../../domain/stored-json.ts';
import type { Outbox } from '../outbox.ts';

export const KEPT_ROW = 'row';

/**
 * Counts what gets a name of its own, orders and intents, over all lives of the bot: no number comes twice.
 */
export class RowCounter {
  private readonly outbox: Outbox;
  private row = 0;
  private isDirty = false;

  constructor(outbox: Outbox) {
    this.outbox = outbox;
  }

  get last(): number {
    return this.row;
  }

  next(): number {
    this.row += 1;
    this.isDirty = true;
    return this.row;
  }

  store(): void {
    if (!this.isDirty) return;
    this.isDirty = false;
    this.outbox.keep(KEPT_ROW, this.row);
  }

  restore(json: string | undefined): void {
    if (json !== undefined)
      this.row = readStored(storedCount, json, 'what is kept of the row of the journal');
  }
}
