import type { VenueOrder } from '../domain/order.ts';
import type { ExchangeClient } from '../exchange/client.ts';
import { isLive, type OwnOrder } from '../execution/own-order.ts';
import type { OwnOrders } from '../execution/own-orders.ts';
import type { Clock } from './clock.ts';
import type { OrderDesk } from './order-desk.ts';
import type { RateGate } from './rate-gate.ts';

/** How long a request may be on its way after it was sent, whatever became of its socket. */
const LATE_ARRIVAL_MS = 120_000;

/** Once an order can no longer arrive, two lists so far apart must lack it. */
const ABSENCES_APART_MS = 10_000;

const PAGE_SIZE = 1_000;

/** Finds out what became of our orders that may still trade. */
export class OrderWatch {
  private readonly options: {
    readonly client: ExchangeClient;
    readonly gate: RateGate;
    readonly clock: Clock;
    readonly orders: OwnOrders;
    readonly desk: OrderDesk;
  };
  /** When a list first lacked an order that can no longer arrive. No more entries than orders whose reply is missing. */
  private readonly absentSinceMs = new Map<OwnOrder, number>();

  constructor(options: OrderWatch['options']) {
    this.options = options;
  }

  /**
   * Reads the open orders; one of ours that is not among them is asked for by its id. While the reply of an order is missing, closed orders are
   * listed too: it may have come and gone.
   */
  async look(): Promise<void> {
    const { client, gate, clock, desk, orders } = this.options;
    const mine = orders.unfinished().filter(isLive);
    if (mine.length === 0) return;
    const status = mine.some(({ stage }) => stage === 'sending') ? 'all' : 'open';
    const askedMs = clock.now();
    const gated = await gate.tryTo('ordersList', 'poll', () =>
      client.ordersList({ status, details: 2, order: '-id', pageSize: PAGE_SIZE }),
    );
    if (!gated.sent || !gated.value.ok) return;
    const listed = gated.value.value.items;
    const byClientId = new Map(listed.map((record) => [record.clientOrderId, record]));
    const byId = new Map(listed.map((record) => [record.id, record]));
    for (const order of mine) {
      const record = order.venueId === null ? byClientId.get(order.clientOrderId) : byId.get(order.venueId);
      if (record !== undefined) {
        this.absentSinceMs.delete(order);
        desk.take(order, record);
      } else if (order.venueId !== null) await this.askFor(order, order.venueId);
      else this.missed(order, { listed, askedMs });
    }
  }

  /** Only two lists, both asked for when it could no longer arrive and both reaching back to before it, say that an order never was. */
  private missed(order: OwnOrder, of: { readonly listed: readonly VenueOrder[]; readonly askedMs: number }): void {
    const { listed, askedMs } = of;
    const oldestMs = listed.length < PAGE_SIZE ? 0 : (listed.at(-1)?.createdAtMs ?? Number.POSITIVE_INFINITY);
    if (askedMs - order.plannedAtMs <= LATE_ARRIVAL_MS || oldestMs > order.plannedAtMs) return;
    const sinceMs = this.absentSinceMs.get(order) ?? askedMs;
    this.absentSinceMs.set(order, sinceMs);
    if (askedMs - sinceMs < ABSENCES_APART_MS) return;
    this.absentSinceMs.delete(order);
    this.options.desk.refuse(order, 'NeverArrived');
  }

  private async askFor(order: OwnOrder, id: number): Promise<void> {
    const { client, gate, desk } = this.options;
    const gated = await gate.tryTo('orderStatus', 'poll', () => client.orderStatus({ id }));
    if (gated.sent && gated.value.ok) desk.take(order, gated.value.value);
  }
}
