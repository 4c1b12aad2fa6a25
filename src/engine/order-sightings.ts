import { ZERO } from '../domain/decimal-text.ts';
import { NO_UNITS, unitsOf, type Units } from '../domain/money.ts';
import { isOpenStatus, type VenueOrder } from '../domain/order.ts';
import { marketOfCurrencies } from '../domain/market-symbol.ts';
import type { VenueTerms } from '../execution/order-fact.ts';
import { isManualOrderId, readOrderName } from '../execution/order-names.ts';
import type { OrderRecord } from '../execution/order-record.ts';
import type { OrderKeeper } from './order-keeper.ts';

/** Foreign order ids that are remembered, so that their trades are known to be foreign. The oldest go. */
const FOREIGN_KEPT = 20_000;

/** Whose an order in a list is. */
export type Sighting =
  | { readonly kind: 'own'; readonly order: OrderRecord }
  | { readonly kind: 'foreign' }
  /** It carries the id of one of ours that has another id already, so that it was placed twice, or of one that was given up as never having arrived. */
  | { readonly kind: 'twin'; readonly of: OrderRecord };

/** Finds the order of ours that a record of the exchange is of, from whichever list or reply, and takes in what it says. */
export class OrderSightings {
  private readonly keeper: OrderKeeper;
  private readonly instance: string;
  private readonly foreignIds = new Set<number>();

  constructor(keeper: OrderKeeper, instance: string) {
    this.keeper = keeper;
    this.instance = instance;
  }

  isForeign(venueOrderId: number): boolean {
    return this.foreignIds.has(venueOrderId);
  }

  /** Takes in a record, for the order it is known to be of or for whichever it is of. */
  take(record: VenueOrder, known?: OrderRecord): Sighting {
    const { keeper } = this;
    const { id } = record;
    if (id !== null && id > keeper.highestOrderId) keeper.highestOrderId = id;
    const order = known ?? this.find(record);
    if (order === undefined) {
      if (id !== null && !this.mayBeStopLeg(record)) this.addForeign(id, record.clientOrderId);
      return { kind: 'foreign' };
    }
    if (id !== null && order.venueId !== null && order.venueId !== id) return { kind: 'twin', of: order };
    if (isGivenUp(order) && record.status !== null && isOpenStatus(record.status)) return { kind: 'twin', of: order };
    // They are said once and stay; reading them anew from every list would cost more than all the rest of it.
    const terms = order.venueStatus === null ? termsOf(record) : null;
    const sight = { venueId: id, status: record.status, matched: matchedOf(record), terms };
    const next = keeper.apply(order, { kind: 'seen', atMs: keeper.outbox.nowMs, sight });
    return { kind: 'own', order: this.pairWith(next, record) };
  }

  private find(record: VenueOrder): OrderRecord | undefined {
    const { table } = this.keeper;
    const byId = table.byVenueId(record.id);
    if (byId !== undefined) return byId;
    const byName = table.byClientOrderId(record.clientOrderId);
    if (byName !== undefined) return byName;
    // The stop leg of an OCO has no clientOrderId: its pair says whose it is.
    const first = table.byVenueId(record.pairId);
    if (first !== undefined && first.pairKey !== null) {
      const leg = table.get(first.pairKey);
      if (leg !== undefined && leg.venueId === null) return leg;
    }
    return this.adopt(record);
  }

  /** The stop leg of a pair whose reply is missing has no name: until the first leg is found, nothing says whose it is. */
  private mayBeStopLeg({ clientOrderId, pairId }: VenueOrder): boolean {
    if (clientOrderId !== null || pairId === null) return false;
    return this.keeper.table
      .unfinished()
      .some((order) => order.clientOrderId === null && order.venueId === null && order.state !== 'planned');
  }

  /** The first leg names the other, so that a late list or trade finds that too. */
  private pairWith(order: OrderRecord, record: VenueOrder): OrderRecord {
    const { keeper } = this;
    if (order.pairKey === null || record.pairId === null) return order;
    const other = keeper.table.get(order.pairKey);
    if (other === undefined || other.venueId !== null || (other.state !== 'sending' && other.state !== 'unknown')) {
      return order;
    }
    const sight = { venueId: record.pairId, status: null, matched: NO_UNITS, terms: null };
    keeper.apply(other, { kind: 'seen', atMs: keeper.outbox.nowMs, sight });
    return order;
  }

  /** An open order that carries this instance's name and is not in the mirror: the mirror was lost. It is ours all the same. */
  private adopt(record: VenueOrder): OrderRecord | undefined {
    const name = readOrderName(record.clientOrderId);
    if (name?.instance !== this.instance || record.clientOrderId === null) return undefined;
    if (record.status === null || !isOpenStatus(record.status) || record.market === null) return undefined;
    const { keeper } = this;
    const { nowMs } = keeper.outbox;
    const { symbol } = marketOfCurrencies(record.market.src, record.market.dst);
    const order: OrderRecord = {
      key: record.clientOrderId,
      clientOrderId: record.clientOrderId,
      intentId: 'adopted',
      strategy: name.strategy,
      tag: null,
      market: symbol,
      marketVersion: 0,
      side: record.side,
      execution: record.execution ?? 'limit',
      price: record.price === null ? null : unitsOf(record.price),
      stopPrice: record.stopPrice === null ? null : unitsOf(record.stopPrice),
      amount: unitsOf(record.amount),
      pairKey: null,
      plannedAtMs: record.createdAtMs ?? nowMs,
      sentAtMs: nowMs,
      attempts: 1,
      state: 'sending',
      venueId: null,
      venueStatus: null,
      matched: 0n as Units,
      filled: 0n as Units,
      filledTotal: 0n as Units,
      fee: 0n as Units,
      reason: null,
      closedAtMs: null,
      // Its fills may be older than anything that was read since.
      orderIdFloor: 0,
      tradeIdFloor: 0,
    };
    keeper.add(order);
    keeper.outbox.warn(`${order.key} is open and was not known here: it is taken over`, order.key);
    return order;
  }

  private addForeign(id: number, name: string | null): void {
    if (this.foreignIds.has(id)) return;
    this.foreignIds.add(id);
    if (name !== null && isManualOrderId(name)) {
      this.keeper.outbox.info(
        `order ${id} was placed by hand (${name}): it is nobody's strategy's and stays untouched`,
        name,
      );
    }
    if (this.foreignIds.size <= FOREIGN_KEPT) return;
    for (const oldest of this.foreignIds) {
      this.foreignIds.delete(oldest);
      return;
    }
  }
}

function termsOf({ amount, price, stopPrice }: VenueOrder): VenueTerms {
  return {
    amount: unitsOf(amount),
    price: price === null ? null : unitsOf(price),
    stopPrice: stopPrice === null ? null : unitsOf(stopPrice),
  };
}

/** Whether it was taken never to have been there. */
function isGivenUp({ state, venueId }: OrderRecord): boolean {
  return state === 'rejected' && venueId === null;
}

/** Most orders in a list have matched nothing. */
function matchedOf({ matchedAmount }: VenueOrder): Units {
  return matchedAmount === ZERO ? NO_UNITS : unitsOf(matchedAmount);
}
