import { z } from 'zod';
import { storedCount } from '../domain/stored-json.ts';
import type { OrderName } from './order-names.ts';
import type { ListCursor } from '../domain/venue-id.ts';

const formerEpoch = z.object({
  epoch: z.string(),
  /** The last row of the journal that the copy had: what was ordered after it is not in the mirror. */
  lastRow: storedCount,
});

/** Stored data about the names that a mirror can know. */
export const storedNames = z.object({
  epoch: z.string(),
  /** Marks that this mirror had before it was put back from a copy. */
  former: z.array(formerEpoch),
  /**
   * Up to where in the list of own orders all of this instance are in the mirror, since it was put back;
   * null where it never was.
   */
  takenOverTo: storedCount.nullable(),
  /** True while the orders missing in the copy are still being searched for. */
  isSearching: z.boolean(),
});

type StoredNames = z.output<typeof storedNames>;

/** Marks that are remembered; the oldest go. */
const MOST_FORMER = 100;

/**
 * Orders of this instance that the mirror must have, by their names: all with its own mark, and those of a
 * former mark that were ordered before the copy was made. A mirror restored from a copy has another mark from
 * then on.
 */
export class KnownNames {
  private stored: StoredNames;

  constructor(epoch: string) {
    this.stored = { epoch, former: [], takenOverTo: null, isSearching: false };
  }

  get state(): StoredNames {
    return this.stored;
  }

  /**
   * Takes over what was kept, of which `lastRow` was the last row. Answers whether the mirror was put back
   * from a copy since.
   */
  restore(kept: StoredNames | null, lastRow: number): boolean {
    if (kept === null) return false;
    const { epoch } = this.stored;
    if (kept.epoch === epoch) {
      this.stored = kept;
      return false;
    }
    const former = [...kept.former, { epoch: kept.epoch, lastRow }].slice(-MOST_FORMER);
    this.stored = { epoch, former, takenOverTo: null, isSearching: true };
    return true;
  }

  /**
   * True if an order of this instance may be missing in the mirror, so that it is taken over even if it has
   * ended.
   */
  mayBeMissing(name: OrderName, cursor: ListCursor): boolean {
    const { epoch, former, takenOverTo } = this.stored;
    if (former.length === 0 || name.epoch === epoch) return false;
    if (takenOverTo !== null && cursor <= takenOverTo) return false;
    return !former.some((known) => known.epoch === name.epoch && name.row <= known.lastRow);
  }

  /** All orders up to there were looked at. */
  tookOverTo(cursor: ListCursor): void {
    const { takenOverTo } = this.stored;
    if (takenOverTo === null || cursor > takenOverTo) this.stored = { ...this.stored, takenOverTo: cursor };
  }

  searched(): void {
    this.stored = { ...this.stored, isSearching: false };
  }
}
