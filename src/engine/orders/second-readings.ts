import type { Outbox } from '../outbox.ts';
import type { VenueOrderId, VenueOrder } from '../../domain/order.ts';
import { isClosedStatus, isOpenStatus, type VenueProfile } from '../../venues/port.ts';
import type { OrderRecord } from '../../records/order.ts';

/** The signs that there are of an order's end. */
interface Signs {
  /** The last word that said so, and how many readings in a row said it. */
  word: string | null;
  readings: number;
  /**
   * True if a complete list of the open orders lacked it, or the exchange confirmed its end to the caller
   * that requested it.
   */
  isCorroborated: boolean;
}

/** Outcome of reading an order's status. */
type Ending =
  | 'open'
  | 'ended'
  /** It may have ended: ask again. */
  | 'doubtful';

/**
 * Decides if an order has ended. A word of one reply is not enough, since nothing comes after the end. A
 * known word needs a second sign: another reading with the same word, the order's absence from the list of
 * open orders, or the confirmed cancel. An unknown word needs both two readings and the absence.
 */
export class OrderEndings {
  private readonly signs = new Map<string, Signs>();
  private readonly venue: Pick<VenueProfile, 'statuses'>;
  private readonly enough: number;

  /** `isPushed`: the venue pushes every change, so one reading of a known status is enough. */
  constructor(venue: Pick<VenueProfile, 'statuses'>, isPushed = false) {
    this.venue = venue;
    this.enough = isPushed ? 1 : 2;
  }

  /** A sign besides its status that the order has ended. */
  corroborate(key: string): void {
    const signs = this.signs.get(key);
    if (signs === undefined) this.signs.set(key, { word: null, readings: 0, isCorroborated: true });
    else signs.isCorroborated = true;
  }

  /** One reading. `isWhole`: all of it is matched, as its amounts say too. */
  read(key: string, status: string, isWhole: boolean): Ending {
    if (isOpenStatus(this.venue, status)) {
      this.signs.delete(key);
      return 'open';
    }
    const before = this.signs.get(key);
    const readings = before?.word === status ? before.readings + 1 : 1;
    const isCorroborated = before?.isCorroborated ?? false;
    this.signs.set(key, { word: status, readings, isCorroborated });
    if (!isClosedStatus(this.venue, status)) return readings >= 2 && isCorroborated ? 'ended' : 'doubtful';
    return (this.venue.statuses.filled.includes(status) && isWhole) ||
      readings >= this.enough ||
      isCorroborated
      ? 'ended'
      : 'doubtful';
  }

  /** True if there is any sign that it has ended. */
  isNoted(key: string): boolean {
    return this.signs.has(key);
  }

  /** Nothing more is to be found out about it. */
  forget(key: string): void {
    this.signs.delete(key);
  }

  /** Orders that may have ended. */
  doubtful(): readonly string[] {
    const keys: string[] = [];
    for (const [key, { readings }] of this.signs) if (readings > 0) keys.push(key);
    return keys;
  }
}

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

/**
 * Records of open orders that came to nothing when they were taken in last. A venue in this process hands
 * over the same object for as long as an order stays as it is, and what it says was taken in already. No
 * venue changes a record that it has handed over.
 */
export class UnchangedRecords {
  /** One an open order. */
  private readonly byId = new Map<
    VenueOrderId,
    { readonly record: VenueOrder; readonly order: OrderRecord }
  >();

  /** The order as it was when this very record changed nothing about it; undefined where it did not. */
  orderOf(record: VenueOrder): OrderRecord | undefined {
    const last = record.id === null ? undefined : this.byId.get(record.id);
    return last?.record === record ? last.order : undefined;
  }

  note(record: VenueOrder, order: OrderRecord): void {
    if (record.id !== null) this.byId.set(record.id, { record, order });
  }

  forget(id: VenueOrderId): void {
    this.byId.delete(id);
  }
}
