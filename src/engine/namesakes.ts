import { readOrderName, type OrderName } from '../execution/order-names.ts';
import type { OrderRecord } from '../execution/order-record.ts';
import { surelyFollows } from '../execution/own-list.ts';
import type { ListCursor, OwnList } from '../venues/port.ts';

/** Marks of other mirrors that were reported; the oldest go. */
const MOST_REPORTED = 100;

/**
 * Tells the orders of another bot that trades now, on the same account and under the same instance name, from
 * those of a mirror that was lost. What the list of own orders shows beyond an
 * order of this life, sent when nothing of an earlier life could arrive any more, was placed in this life,
 * and not by this bot. Where this bot has placed nothing yet, nothing is known.
 */
export class Namesakes {
  private readonly lateArrivalMs: number;
  private readonly list: OwnList;
  private beganAtMs = Number.POSITIVE_INFINITY;
  private floor: ListCursor = Number.POSITIVE_INFINITY;
  private readonly reported = new Set<string>();

  constructor(options: { readonly lateArrivalMs: number; readonly list: OwnList }) {
    this.lateArrivalMs = options.lateArrivalMs;
    this.list = options.list;
  }

  /** This life begins. */
  begin(nowMs: number): void {
    this.beganAtMs = nowMs;
  }

  /** An order of this bot is at the exchange for certain, and stands there in its list. */
  noteOwn({ clientOrderId, sentAtMs }: OrderRecord, cursor: ListCursor, epoch: string): void {
    if (cursor >= this.floor || sentAtMs === null || sentAtMs <= this.beganAtMs + this.lateArrivalMs) return;
    if (readOrderName(clientOrderId)?.epoch === epoch) this.floor = cursor;
  }

  /** True if an order with this instance's name was placed by another bot. */
  has(name: OrderName, cursor: ListCursor, epoch: string): boolean {
    return name.epoch !== epoch && surelyFollows(this.list, cursor, this.floor);
  }

  /** True if this is the first order of another bot: it is worth an error once, its others are not. */
  isFirstOf({ epoch }: OrderName): boolean {
    if (this.reported.has(epoch)) return false;
    this.reported.add(epoch);
    if (this.reported.size > MOST_REPORTED)
      for (const oldest of [...this.reported].slice(0, 1)) this.reported.delete(oldest);
    return true;
  }
}
