import type { Units } from '../../domain/money.ts';
import type { VenueTrade } from '../../domain/trade.ts';
import { mayTrade, type OrderRecord } from '../../records/order.ts';
import { cursorOf, cursorOfId, LIST_START, mayFollow } from '../own-list.ts';
import type { FillRecord } from '../../records/fill.ts';
import {
  type BookedFills,
  type AppliedTrades,
  marketSymbolOf,
  type PendingTrade,
  type PendingTrades,
} from '../applied-trades.ts';
import type { OrderBlotter } from '../orders/order-blotter.ts';
import type { OrderReportMatcher } from '../orders/order-report-matcher.ts';
import { tradeMisfit } from '../feeds/plausibility.ts';
import type { Side } from '../../domain/order.ts';
import { retainNewest } from '../../domain/retain-newest.ts';

/** By how much lists and records of orders may lag behind each other. */
const LAG_MS = 30_000;

/** An owner that is not found for so long: then the trade counts as foreign, and is reported. */
const ASKS_FOR_MS = 300_000;

interface TradeOwnerOptions {
  readonly blotter: OrderBlotter;
  readonly reports: OrderReportMatcher;
  readonly applied: AppliedTrades;
  readonly pending: PendingTrades;
  readonly feeRates: SeenFeeRates;
  readonly booked: BookedFills;
}

/** Standing of a trade, whose owner is known, in the books. */
type TradeStanding =
  | { readonly kind: 'new' }
  /** It is booked under another id. */
  | { readonly kind: 'booked'; readonly as: FillRecord | null }
  /** It is one of those that a placeholder stands for. */
  | { readonly kind: 'expected'; readonly placeholder: FillRecord }
  /** Its order matched no more than is booked. */
  | { readonly kind: 'beyond'; readonly order: OrderRecord }
  /** The order is asked for first. */
  | { readonly kind: 'unclear' };

/**
 * Finds the owner of a trade, and if that is sure. Entries of the books stay there, so two things must agree:
 * the trade's record and the order's, which has matched as much, or two readings of it.
 */
export class TradeOwner {
  private readonly options: TradeOwnerOptions;

  constructor(options: TradeOwnerOptions) {
    this.options = options;
  }

  /**
   * True if a trade fits its order, which may be known only since it was read, and is confirmed: a fill of an
   * order that says itself that it has matched as much needs no second reading.
   */
  isSure({ trade, cursor, readings }: PendingTrade, order: OrderRecord): boolean {
    if (tradeMisfit(trade, order) !== null) return false;
    if (readings >= 2) return true;
    const { blotter, applied, pending, feeRates } = this.options;
    if (order.matched < order.filled + trade.amount || !hasArrived(order)) return false;
    // Two sides of one id are a trade with oneself, or an id that was read wrong; and so may be one far above
    // all others.
    const { furthestTrade, venue } = blotter;
    const { id } = trade;
    if (furthestTrade === LIST_START || cursor > furthestTrade + venue.ownLists.trades.usualReach)
      return false;
    if (applied.holderOf({ id, side: 'buy' }) !== undefined) return false;
    if (applied.holderOf({ id, side: 'sell' }) !== undefined) return false;
    for (const { trade: other } of pending.byName.values())
      if (other !== trade && other.id === id) return false;
    return feeRates.isUsual(trade);
  }

  /**
   * Returns the standing of a trade in the books, which hold nothing beyond what its order matched. A trade
   * equal to a booked fill in all but its id is that fill under another id from the exchange, if the order
   * has no room for it as a trade of its own.
   */
  standingOf(pending: PendingTrade, order: OrderRecord | null): TradeStanding {
    const { trade, sinceMs, firstReading } = pending;
    const { booked, reports, blotter, applied } = this.options;
    const { orderId } = trade;
    if (orderId === null) return { kind: 'new' };
    const as = booked.alikeOf(trade, (fill) => applied.isShownSince(firstReading, fill));
    const filled = ((order === null ? booked.amountOf(orderId) : order.filled) + trade.amount) as Units;
    if (as === undefined) {
      const placeholder = booked.standing.get(orderId);
      if (placeholder !== undefined && placeholder.amount >= trade.amount)
        return { kind: 'expected', placeholder };
      if (order === null) return booked.isForgotten(trade) ? { kind: 'booked', as: null } : { kind: 'new' };
      if (filled > order.amount) return { kind: 'beyond', order };
      // What an order that may trade has matched was read before the trade.
      if (filled <= order.matched || (mayTrade(order) && !booked.isForgotten(trade))) return { kind: 'new' };
    } else if (order !== null && filled > order.amount) return { kind: 'booked', as };
    const stated = reports.statedOf(orderId);
    const { nowMs } = blotter.outbox;
    // What matched later may be in one list and not yet in the other.
    if (stated !== undefined && stated.atMs >= sinceMs + LAG_MS) {
      if (filled <= stated.record.matchedAmount) return { kind: 'new' };
      if (as !== undefined) return { kind: 'booked', as };
      if (order !== null) return { kind: 'beyond', order };
    } else if (order === null && as !== undefined && sinceMs + ASKS_FOR_MS < nowMs)
      return { kind: 'booked', as };
    if (!pending.isAskedFor) {
      pending.isAskedFor = true;
      reports.inquiries.ask(orderId);
    }
    return { kind: 'unclear' };
  }

  /**
   * True if a trade of an unknown order is foreign. The order may be one whose reply is missing, or one that
   * the mirror lost: that is found out first. `isFirst`: true while the trades of before a new mirror are
   * read, which are nobody's but those of open orders.
   */
  isNobodys({ trade, readings, sinceMs }: PendingTrade, isFirst: boolean): boolean {
    const { reports, blotter } = this.options;
    const { orderId } = trade;
    if (orderId !== null && reports.isForeign(orderId)) return isFirst || readings >= 2;
    if (this.mayBeOurs(trade) || (orderId !== null && reports.isAsking(orderId))) return false;
    if (isFirst) return true;
    // What the copy of the mirror did not have is being looked for.
    if (reports.lost.names.state.isSearching) return false;
    if (orderId === null) return readings >= 2;
    if (sinceMs + ASKS_FOR_MS < blotter.outbox.nowMs) {
      blotter.outbox.alarm(
        `trade ${trade.id}: the owner of order ${orderId} is not known: the trade counts as foreign`,
      );
      return true;
    }
    reports.inquiries.ask(orderId);
    return false;
  }

  /** True if the order of a trade is not known, and is being requested. */
  isBeingAsked({ orderId }: VenueTrade): boolean {
    const { blotter, reports } = this.options;
    return orderId !== null && blotter.table.byVenueId(orderId) === undefined && reports.isAsking(orderId);
  }

  /**
   * True if a trade can belong to an order whose id is not known: what is older than its plan is not its own.
   */
  mayBeOf(trade: VenueTrade, { side, market, tradeFloor, orderFloor }: OrderRecord): boolean {
    const { venue, outbox } = this.options.blotter;
    const { orders, trades } = venue.ownLists;
    const ofOrder = cursorOfId(orders, trade.orderId);
    return (
      trade.side === side &&
      mayFollow(trades, cursorOf(trades, trade) ?? outbox.nowMs, tradeFloor) &&
      (ofOrder === null || mayFollow(orders, ofOrder, orderFloor)) &&
      marketSymbolOf(trade) === market
    );
  }

  private mayBeOurs(trade: VenueTrade): boolean {
    return this.options.blotter.table
      .unfinished()
      .some(
        (order) =>
          order.venueId === null &&
          (order.state === 'sending' || order.state === 'unknown') &&
          this.mayBeOf(trade, order),
      );
  }
}

/** True if an order can have fills. */
export function hasArrived({ state }: OrderRecord): boolean {
  return state !== 'planned' && state !== 'filled' && state !== 'cancelled' && state !== 'rejected';
}

/** Rates are counted in millionths. */
const ONE = 1_000_000n;

/** An account pays as maker and as taker in two kinds of markets, and its tier changes now and then. */
const MOST_RATES = 64;

interface Paid {
  readonly side: Side;
  readonly amount: bigint;
  readonly total: bigint;
  readonly fee: bigint;
}

/**
 * The rates that this account's fees have had. A fee of another rate may be right, as after a change of the
 * tier, and is read twice.
 */
export class SeenFeeRates {
  private readonly rates = new Set<bigint>();

  learn({ side, amount, total, fee }: Paid): void {
    const received = side === 'buy' ? amount : total;
    if (received <= 0n) return;
    const rate = (fee * ONE + received / 2n) / received;
    if (!isAt(rate, received, fee) || this.rates.has(rate)) return;
    this.rates.add(rate);
    retainNewest(this.rates, MOST_RATES);
  }

  /** True if a trade's fee matches a known rate; while none is known, if there is a fee at all. */
  isUsual({ side, amount, total, fee }: VenueTrade): boolean {
    if (this.rates.size === 0) return fee > 0n;
    const received = side === 'buy' ? amount : total;
    for (const rate of this.rates) if (isAt(rate, received, fee)) return true;
    return false;
  }
}

/** Fees are rounded to a unit. */
function isAt(rate: bigint, received: bigint, fee: bigint): boolean {
  const difference = fee * ONE - received * rate;
  return difference <= ONE && difference >= -ONE;
}
