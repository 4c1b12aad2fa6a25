import type { ExchangeTruth } from './exchange-truth.ts';
import { ownKeyOf } from './own-key.ts';
import { violationsOf, type Violation } from './violation.ts';
import type { LeavingRequest, WireWitness } from './watched-transport.ts';

interface Cancel {
  /** By the exchange's id, or by the client's. */
  readonly order: number | string;
  readonly atMs: number;
}

/**
 * Orders of others are never touched: every cancel names an order of this instance, and nothing cancels all
 * orders, which only an operator may.
 */
export class ForeignChecker implements WireWitness {
  private readonly instance: string;
  private readonly cancels: Cancel[] = [];
  private readonly found: string[] = [];

  /** `instance` is the first part of our ids. */
  constructor(instance: string) {
    this.instance = instance;
  }

  leaves({ endpoint, fields, atMs }: LeavingRequest): void {
    if (endpoint.name === 'cancelOldOrders') {
      this.found.push(`expected no request for the end of every order, one left at ${atMs}`);
    }
    if (endpoint.name !== 'updateOrderStatus') return;
    const order = fields['order'] ?? fields['clientOrderId'];
    if (typeof order === 'number' || typeof order === 'string') this.cancels.push({ order, atMs });
  }

  isAnswered(): void {}

  violations({ orders }: ExchangeTruth): readonly Violation[] {
    const byId = new Map(orders.map((order) => [order.id, order]));
    const foreign = this.cancels.flatMap(({ order, atMs }) => {
      if (typeof order === 'string') {
        return order.startsWith(`${this.instance}-`)
          ? []
          : [`expected cancels of our own orders, one left for ${order} at ${atMs}`];
      }
      const named = byId.get(order);
      const isOurs = named !== undefined && ownKeyOf(named, byId, this.instance) !== null;
      return isOurs
        ? []
        : [`expected cancels of our own orders, one left for the foreign order ${order} at ${atMs}`];
    });
    return violationsOf('foreign orders', [...this.found, ...foreign]);
  }
}
