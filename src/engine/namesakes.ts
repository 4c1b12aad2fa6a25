import { readOrderName, type OrderName } from '../execution/order-names.ts';
import type { OrderRecord } from '../execution/order-record.ts';

/** Marks of other mirrors that were told of; the oldest go. */
const MOST_TOLD = 100;

/**
 * Tells the orders of another bot that trades now, on the same account and under the same instance name, from
 * those of a mirror that was lost. No clock of the exchange is asked: ids grow with time, so what is above an
 * order of this life, sent when nothing of an earlier life could arrive any more, was placed in this life,
 * and not by this bot. Where this bot has placed nothing yet, nothing is known.
 */
export class Namesakes {
  private readonly lateArrivalMs: number;
  private beganAtMs = Number.POSITIVE_INFINITY;
  private floorId = Number.POSITIVE_INFINITY;
  private readonly told = new Set<string>();

  constructor({ lateArrivalMs }: { readonly lateArrivalMs: number }) {
    this.lateArrivalMs = lateArrivalMs;
  }

  /** This life begins. */
  begin(nowMs: number): void {
    this.beganAtMs = nowMs;
  }

  /** An order of this bot is at the exchange under an id that is sure. */
  noteOwn({ clientOrderId, sentAtMs }: OrderRecord, id: number, epoch: string): void {
    if (id >= this.floorId || sentAtMs === null || sentAtMs <= this.beganAtMs + this.lateArrivalMs) return;
    if (readOrderName(clientOrderId)?.epoch === epoch) this.floorId = id;
  }

  /** Whether an order with this instance's name was placed by another bot. */
  has(name: OrderName, id: number, epoch: string): boolean {
    return name.epoch !== epoch && id > this.floorId;
  }

  /** Whether this is the first order of another bot: it is worth an error once, its others are not. */
  isFirstOf({ epoch }: OrderName): boolean {
    if (this.told.has(epoch)) return false;
    this.told.add(epoch);
    if (this.told.size > MOST_TOLD) for (const oldest of [...this.told].slice(0, 1)) this.told.delete(oldest);
    return true;
  }
}
