import { invariant } from '../domain/errors.ts';
import type { VenueProfile } from '../venues/port.ts';
import type { ListCursor } from '../domain/order.ts';
import { ownListOf, type ListPlace } from './own-list.ts';
import type { StoredValue } from './stored-records.ts';

/** The parts of a clientOrderId of ours, readable without the mirror. */
export interface OrderName {
  readonly instance: string;
  readonly strategy: string;
  readonly epoch: string;
  readonly row: number;
}

/** Instance names have no hyphen, so the strategy's name behind it may have some. */
const NAME = /^([a-z0-9]{1,6})-([a-z0-9]+(?:-[a-z0-9]+)*)-([a-z0-9]{4})-([a-z0-9]{1,7})$/;

/** Number of possible rows: a row has at most seven digits to base 36. */
const ROWS = 36 ** 7;

/**
 * Makes the clientOrderIds of orders: instance, strategy, epoch of the mirror and row of the journal.
 * Lower-case letters, digits and hyphens. An exchange may free an id once its order closes, so epoch and row,
 * not the exchange, keep it unique for ever.
 */
export class OrderNames {
  private readonly of: Pick<OrderName, 'instance' | 'epoch'>;
  private readonly rule: VenueProfile['clientOrderId'];
  /** All of the id but the row, for each configured strategy. */
  private readonly beginnings = new Map<string, string>();

  constructor(of: Pick<OrderName, 'instance' | 'epoch'>, rule: VenueProfile['clientOrderId']) {
    this.of = of;
    this.rule = rule;
  }

  /** Returns a new clientOrderId. Throws `INVARIANT` if the exchange does not accept its form. */
  next(strategy: string, row: number): string {
    const { instance, epoch } = this.of;
    const { pattern, longest } = this.rule;
    const known = this.beginnings.get(strategy);
    const beginning = known ?? `${instance}-${strategy}-${epoch}-`;
    const id = beginning + row.toString(36);
    const isFit = known !== undefined || (pattern.test(id) && NAME.test(id));
    if (!isFit || id.length > longest || row >= ROWS)
      invariant(false, `expected a clientOrderId of at most ${longest} characters, was "${id}"`);
    if (known === undefined) this.beginnings.set(strategy, beginning);
    return id;
  }
}

/** Returns the parts of a clientOrderId; null if it was not made by sarraf. */
export function readOrderName(id: string | null): OrderName | null {
  const parts = id === null ? null : NAME.exec(id);
  if (parts === null) return null;
  const [, instance = '', strategy = '', epoch = '', row = ''] = parts;
  return { instance, strategy, epoch, row: Number.parseInt(row, 36) };
}

const MANUAL = /^manual-[0-9a-z]{12}$/;
const MANUAL_DIGITS = 12;

/**
 * Returns a clientOrderId for an order placed without a bot. It has two parts, while bots' ids have four or
 * more, so no bot takes the order for its own, even if its instance is called `manual`. `digit` returns whole
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

/** Returns the key of an OCO's stop leg, which has no clientOrderId. */
export function stopLegKey(clientOrderId: string): string {
  return `${clientOrderId}/2`;
}

type StoredNames = StoredValue<'names'>;

/** Maximum number of former epochs that are remembered; the oldest are dropped. */
const MOST_FORMER = 100;

/**
 * Decides which orders of this instance must be in the mirror: all of its own epoch, and those of a former
 * epoch up to the last row of the copy. A mirror restored from a copy gets a new epoch.
 */
export class KnownNames {
  state: StoredNames;
  private readonly list: VenueProfile['ownLists']['orders'];

  constructor(epoch: string, list: VenueProfile['ownLists']['orders']) {
    this.state = { epoch, former: [], takenOverTo: null, isSearching: false };
    this.list = list;
  }

  /**
   * Restores the state. `lastRow`: last journal row of the mirror. True if the mirror has been restored from
   * a copy since.
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
   * True if an order of this instance may be missing in the mirror: then it is taken over even if it has
   * ended.
   */
  mayBeMissing(name: OrderName, { market, cursor }: ListPlace): boolean {
    const { epoch, former } = this.state;
    if (former.length === 0 || name.epoch === epoch) return false;
    const takenOverTo = this.takenOverTo(ownListOf(this.list, market));
    if (takenOverTo !== null && cursor <= takenOverTo) return false;
    return !former.some((known) => known.epoch === name.epoch && name.row <= known.lastRow);
  }

  /** Returns the place in a list up to which all orders were searched; null if none were. */
  takenOverTo(list: string | null): ListCursor | null {
    const { takenOverTo, searchedTo = {} } = this.state;
    return list === null ? takenOverTo : (searchedTo[list] ?? null);
  }

  /** Notes that all orders of a list up to this place were searched. */
  advanceTakeover(list: string | null, cursor: ListCursor): void {
    const before = this.takenOverTo(list);
    if (before !== null && cursor <= before) return;
    const { searchedTo } = this.state;
    if (list === null) this.state = { ...this.state, takenOverTo: cursor };
    else this.state = { ...this.state, searchedTo: { ...searchedTo, [list]: cursor } };
  }

  searched(): void {
    this.state = { ...this.state, isSearching: false };
  }
}
