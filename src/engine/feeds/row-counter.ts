import { readStored, storedCount } from '../../domain/stored-json.ts';
import type { Outbox } from '../outbox.ts';
import type { StoredTexts } from '../mirror-change.ts';

export const STORED_ROW = 'row';

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
    this.outbox.persist(STORED_ROW, this.row);
  }

  restore({ [STORED_ROW]: json }: StoredTexts): void {
    if (json !== undefined)
      this.row = readStored(storedCount, json, 'what is kept of the row of the journal');
  }
}
