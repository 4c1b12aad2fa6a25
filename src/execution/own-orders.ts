import { invariant } from '../domain/errors.ts';
import { parseAmount, type Market } from '../domain/market.ts';
import type { Amount } from '../domain/money.ts';
import { isOpenStatus, type VenueOrder } from '../domain/order.ts';
import { isLive, type OwnOrder } from './own-order.ts';

/** Ended orders kept in memory, so that a late trade is still attributed; the oldest go beyond it. The mirror has all of them. */
const ENDED_KEPT = 5_000;

/** All orders of this bot, found by either id. What the exchange says of them is taken in here, and nowhere else. */
export class OwnOrders {
  private readonly byClientId = new Map<string, OwnOrder>();
  private readonly byVenueId = new Map<number, OwnOrder>();
  private readonly live = new Set<OwnOrder>();
  private readonly counts = new Map<string, number>();
  private readonly markets: ReadonlyMap<string, Market>;

  constructor(markets: ReadonlyMap<string, Market>) {
    this.markets = markets;
  }

  /** Enters an order before its request is sent. */
  add(order: OwnOrder): void {
    invariant(
      !this.byClientId.has(order.clientOrderId),
      `expected a new clientOrderId, was ${order.clientOrderId} again`,
    );
    this.byClientId.set(order.clientOrderId, order);
    this.live.add(order);
    this.counts.set(order.strategy, (this.counts.get(order.strategy) ?? 0) + 1);
    if (this.byClientId.size > ENDED_KEPT * 2) this.forgetOldest();
  }

  /** How many orders a strategy has sent. */
  countOf(strategy: string): number {
    return this.counts.get(strategy) ?? 0;
  }

  /** Orders that may still trade or whose fills are not all here, oldest first. */
  unfinished(): readonly OwnOrder[] {
    return [...this.live];
  }

  findByVenueId(id: number | null): OwnOrder | undefined {
    return id === null ? undefined : this.byVenueId.get(id);
  }

  findByClientId(id: string | null): OwnOrder | undefined {
    return id === null ? undefined : this.byClientId.get(id);
  }

  /** Takes in a record of the exchange. Answers whether anything about the order changed. */
  onRecord(order: OwnOrder, record: VenueOrder): boolean {
    const market = this.marketOf(order);
    const before = `${order.stage} ${order.status} ${order.matched}`;
    if (record.id !== null && order.venueId === null) {
      order.venueId = record.id;
      this.byVenueId.set(record.id, order);
    }
    const matched = parseAmount(market, record.matchedAmount);
    // Lists may lag behind replies: what was matched stays matched, and an ended order does not open again.
    if (matched > order.matched) order.matched = matched;
    if (record.status !== null && isLive(order)) {
      order.status = record.status;
      order.stage = isOpenStatus(record.status) ? 'open' : 'settling';
    }
    this.finishIfSettled(order);
    return before !== `${order.stage} ${order.status} ${order.matched}`;
  }

  /** The exchange refused it: it never was. */
  onRefused(order: OwnOrder, code: string): void {
    order.stage = 'refused';
    order.status = code;
    this.live.delete(order);
  }

  /** Takes in the amount of one more fill. */
  onFilled(order: OwnOrder, amount: Amount): void {
    order.filled = (order.filled + amount) as Amount;
    invariant(
      order.filled <= order.amount,
      `expected fills of ${order.clientOrderId} up to its ${order.amount} steps, was ${order.filled}`,
    );
    if (order.filled > order.matched) order.matched = order.filled;
    this.finishIfSettled(order);
  }

  private finishIfSettled(order: OwnOrder): void {
    if (order.stage !== 'settling' || order.filled !== order.matched) return;
    order.stage = 'ended';
    this.live.delete(order);
  }

  private marketOf(order: OwnOrder): Market {
    const market = this.markets.get(order.market);
    invariant(market !== undefined, `expected a known market, was ${order.market}`);
    return market;
  }

  private forgetOldest(): void {
    let excess = this.byClientId.size - ENDED_KEPT;
    for (const [id, order] of this.byClientId) {
      if (excess <= 0) return;
      if (this.live.has(order)) continue;
      this.byClientId.delete(id);
      if (order.venueId !== null) this.byVenueId.delete(order.venueId);
      excess -= 1;
    }
  }
}
