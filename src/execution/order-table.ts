import { invariant } from '../domain/errors.ts';
import { isFinal, type OrderRecord } from './order-record.ts';

/**
 * Orders that came to their end and are kept in memory, so that a late record or fill still finds them: up to twice as many, then the oldest go. That is
 * more than a quarter of an hour of the most that the exchange lets anybody place, in pairs, and so what a restart is given; the mirror has all.
 */
const FINAL_KEPT = 1_000;

const NONE: readonly OrderRecord[] = [];

/** All orders of this bot that matter now, found by any of their names. Holds values: a changed order is put in place of the old one. */
export class OrderTable {
  private readonly byKey = new Map<string, OrderRecord>();
  private readonly keyOfVenueId = new Map<number, string>();
  /** Not final, oldest first. */
  private readonly live = new Map<string, OrderRecord>();
  private readonly liveByStrategy = new Map<string, Map<string, OrderRecord>>();
  private readonly finals: string[] = [];
  private liveList: readonly OrderRecord[] | null = null;

  get(key: string): OrderRecord | undefined {
    return this.byKey.get(key);
  }

  /** By the id on the wire, which is the key of every order but the stop leg of an OCO. */
  byClientOrderId(id: string | null): OrderRecord | undefined {
    return id === null ? undefined : this.byKey.get(id);
  }

  byVenueId(id: number | null): OrderRecord | undefined {
    if (id === null) return undefined;
    const key = this.keyOfVenueId.get(id);
    return key === undefined ? undefined : this.byKey.get(key);
  }

  /** Orders that are not at their end, oldest first. */
  unfinished(): readonly OrderRecord[] {
    this.liveList ??= this.live.size === 0 ? NONE : [...this.live.values()];
    return this.liveList;
  }

  unfinishedOf(strategy: string): Iterable<OrderRecord> {
    return this.liveByStrategy.get(strategy)?.values() ?? NONE;
  }

  /** Enters an order, or a new value of it. */
  put(order: OrderRecord): void {
    const { key, venueId, strategy } = order;
    const before = this.byKey.get(key);
    this.byKey.set(key, order);
    if (venueId !== null) {
      const other = this.keyOfVenueId.get(venueId);
      invariant(
        other === undefined || other === key,
        `expected one order for the id ${venueId}, were ${other} and ${key}`,
      );
      this.keyOfVenueId.set(venueId, key);
    }
    this.liveList = null;
    if (!isFinal(order)) {
      this.live.set(key, order);
      let own = this.liveByStrategy.get(strategy);
      if (own === undefined) this.liveByStrategy.set(strategy, (own = new Map()));
      own.set(key, order);
      return;
    }
    this.live.delete(key);
    this.liveByStrategy.get(strategy)?.delete(key);
    if (before !== undefined && isFinal(before)) return;
    this.finals.push(key);
    if (this.finals.length > FINAL_KEPT * 2) this.forgetOldest();
  }

  private forgetOldest(): void {
    for (const key of this.finals.splice(0, FINAL_KEPT)) {
      const order = this.byKey.get(key);
      this.byKey.delete(key);
      if (order !== undefined && order.venueId !== null) this.keyOfVenueId.delete(order.venueId);
    }
  }
}
