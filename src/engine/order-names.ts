import { invariant } from '../domain/errors.ts';
import type { VenueProfile } from '../venues/port.ts';
import { z } from 'zod';
import { storedCount } from '../domain/stored-json.ts';
import type { ListCursor } from '../domain/order.ts';

/** Data contained in one of our clientOrderIds, without the mirror. */
export interface OrderName {
  readonly instance: string;
  readonly strategy: string;
  readonly epoch: string;
  readonly row: number;
}

/** A name begins with letters and digits only, so that the strategy between may have hyphens. */
const INSTANCE = /^[a-z0-9]{1,6}$/;
const NAME = /^([a-z0-9]{1,6})-([a-z0-9]+(?:-[a-z0-9]+)*)-([a-z0-9]{4})-([a-z0-9]{1,7})$/;

/** Rows have so many digits to base 36 at most. */
const ROWS = 36 ** 7;

/**
 * Makes the clientOrderIds of orders: instance, strategy, epoch of the mirror and row of the journal.
 * Lower-case letters, digits and hyphens. An exchange may free an id once its order closes, so epoch and row,
 * not the exchange, keep it unique for ever.
 */
export class OrderNames {
  private readonly of: Pick<OrderName, 'instance' | 'epoch'>;
  private readonly rule: VenueProfile['clientOrderId'];
  /** By strategy, of which there are as many as are configured: all but the row. */
  private readonly beginnings = new Map<string, string>();

  constructor(of: Pick<OrderName, 'instance' | 'epoch'>, rule: VenueProfile['clientOrderId']) {
    this.of = of;
    this.rule = rule;
  }

  /** Throws `INVARIANT` for one that the exchange does not take. */
  next(strategy: string, row: number): string {
    let beginning = this.beginnings.get(strategy);
    if (beginning === undefined) {
      const { instance, epoch } = this.of;
      beginning = `${instance}-${strategy}-${epoch}-`;
      const first = `${beginning}0`;
      this.expect(this.rule.pattern.test(first) && NAME.test(first), first);
      this.beginnings.set(strategy, beginning);
    }
    const id = beginning + row.toString(36);
    this.expect(id.length <= this.rule.longest && row < ROWS, id);
    return id;
  }

  private expect(isFit: boolean, id: string): void {
    if (isFit) return;
    const { longest } = this.rule;
    invariant(false, `expected a clientOrderId of at most ${longest} characters, was "${id}"`);
  }
}

/** Reads a clientOrderId; null where it is none of sarraf's. */
export function readOrderName(id: string | null): OrderName | null {
  const parts = id === null ? null : NAME.exec(id);
  if (parts === null) return null;
  const [, instance = '', strategy = '', epoch = '', row = ''] = parts;
  return { instance, strategy, epoch, row: Number.parseInt(row, 36) };
}

const MANUAL = /^manual-[0-9a-z]{12}$/;
const MANUAL_DIGITS = 12;

/**
 * The clientOrderId of an order that is placed by hand. It is of two parts, where those of bots have four and
 * more, so no bot takes it for its own, not even one whose instance is called manual. `digit` gives whole
 * numbers from 0 to 35.
 */
export function manualOrderId(digit: () => number): string {
  const id = `manual-${Array.from({ length: MANUAL_DIGITS }, () => digit().toString(36)).join('')}`;
  invariant(MANUAL.test(id), () => `expected a name for an order by hand, was "${id}"`);
  return id;
}

export function isManualOrderId(id: string | null): boolean {
  return id !== null && MANUAL.test(id);
}

export function isInstanceName(text: string): boolean {
  return INSTANCE.test(text);
}

/** The key of the stop leg of an OCO, which has no id of its own on the wire. */
export function stopLegKey(clientOrderId: string): string {
  return `${clientOrderId}/2`;
}

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
  state: StoredNames;

  constructor(epoch: string) {
    this.state = { epoch, former: [], takenOverTo: null, isSearching: false };
  }

  /**
   * Takes over what was kept, of which `lastRow` was the last row. Answers whether the mirror was put back
   * from a copy since.
   */
  restore(stored: StoredNames | null, lastRow: number): boolean {
    if (stored === null) return false;
    const { epoch } = this.state;
    if (stored.epoch === epoch) {
      this.state = stored;
      return false;
    }
    const former = [...stored.former, { epoch: stored.epoch, lastRow }].slice(-MOST_FORMER);
    this.state = { epoch, former, takenOverTo: null, isSearching: true };
    return true;
  }

  /**
   * True if an order of this instance may be missing in the mirror, so that it is taken over even if it has
   * ended.
   */
  mayBeMissing(name: OrderName, cursor: ListCursor): boolean {
    const { epoch, former, takenOverTo } = this.state;
    if (former.length === 0 || name.epoch === epoch) return false;
    if (takenOverTo !== null && cursor <= takenOverTo) return false;
    return !former.some((known) => known.epoch === name.epoch && name.row <= known.lastRow);
  }

  /** All orders up to there were looked at. */
  advanceTakeover(cursor: ListCursor): void {
    const { takenOverTo } = this.state;
    if (takenOverTo === null || cursor > takenOverTo) this.state = { ...this.state, takenOverTo: cursor };
  }

  searched(): void {
    this.state = { ...this.state, isSearching: false };
  }
}
