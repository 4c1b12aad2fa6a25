import type { ExchangeClient } from '../exchange/client.ts';
import { isLive, type OwnOrder } from '../execution/own-order.ts';
import type { OwnOrders } from '../execution/own-orders.ts';
import type { Clock } from './clock.ts';
import type { OrderDesk } from './order-desk.ts';
import type { RateGate } from './rate-gate.ts';

/** An order whose reply was lost and that no list shows this long after it was sent never arrived. */
const ABSENT_AFTER_MS = 120_000;

/** Finds out what became of our orders that may still trade. */
export class OrderWatch {
  private readonly options: {
    readonly client: ExchangeClient;
    readonly gate: RateGate;
    readonly clock: Clock;
    readonly orders: OwnOrders;
    readonly desk: OrderDesk;
  };

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
    const gated = await gate.tryTo('ordersList', 'poll', () =>
      client.ordersList({ status, details: 2, order: '-id', pageSize: 1_000 }),
    );
    if (!gated.sent || !gated.value.ok) return;
    const listed = gated.value.value.items;
    const byClientId = new Map(listed.map((record) => [record.clientOrderId, record]));
    const byId = new Map(listed.map((record) => [record.id, record]));
    for (const order of mine) {
      const record = order.venueId === null ? byClientId.get(order.clientOrderId) : byId.get(order.venueId);
      if (record !== undefined) desk.take(order, record);
      else if (order.venueId !== null) await this.askFor(order, order.venueId);
      else if (clock.now() - order.plannedAtMs > ABSENT_AFTER_MS) desk.refuse(order, 'NeverArrived');
    }
  }

  private async askFor(order: OwnOrder, id: number): Promise<void> {
    const { client, gate, desk } = this.options;
    const gated = await gate.tryTo('orderStatus', 'poll', () => client.orderStatus({ id }));
    if (gated.sent && gated.value.ok) desk.take(order, gated.value.value);
  }
}
