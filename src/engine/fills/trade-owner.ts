import { EnginePart } from '../engine-settings.ts';
import type { Units } from '../../domain/money.ts';
import { givenCurrencyOf, type TradeAmounts, type VenueTrade } from '../../domain/trade.ts';
import { mayTrade, type OrderRecord } from '../../records/order.ts';
import { cursorOf, cursorOfId, LIST_START, mayFollow } from '../own-list.ts';
import type { FillRecord } from '../../records/fill.ts';
import {
  type BookedFills,
  OUT_OF_ORDER_MS,
  type TradeLists,
  marketSymbolOf,
  type PendingTrade,
  type PendingTrades,
} from '../applied-trades.ts';
import type { OrderBlotter } from '../orders/order-blotter.ts';
import type { OrderReportMatcher } from '../orders/order-report-matcher.ts';
import { tradeMisfit } from '../feeds/plausibility.ts';
import { retainNewest } from '../../domain/retain-newest.ts';

/** Maximum lag between lists and records of orders, in ms. */
const LAG_MS = 30_000;

/** Time after which a trade without a known owner counts as foreign, with an alarm, in ms. */
const ASKS_FOR_MS = 300_000;

export interface TradeOwnerOptions {
  readonly blotter: OrderBlotter;
  readonly reports: OrderReportMatcher;
  readonly lists: TradeLists;
  readonly pending: PendingTrades;
  readonly feeRates: SeenFeeRates;
  readonly booked: BookedFills;
}

/** Relation of a trade with a known owner to the booked fills. */
type TradeStanding =
  | { readonly kind: 'new' }
  /** The trade is booked already under another id; `as` is null if that fill is no longer remembered. */
  | { readonly kind: 'booked'; readonly as: FillRecord | null }
  /** The trade is one of those that the placeholder stands for. */
  | { readonly kind: 'expected'; readonly placeholder: FillRecord }
  /** The trade exceeds what its order matched. */
  | { readonly kind: 'beyond'; readonly order: OrderRecord }
  /** The order's record is needed first, and is being requested. */
  | { readonly kind: 'unclear' };

/**
 * Decides whose a trade is, and if that is certain. Booked fills stay, so two sources must agree: the trade
 * and the matched amount in its order's record, or two readings of the trade.
 */
export class TradeOwner extends EnginePart<TradeOwnerOptions> {
  /**
   * True if a trade fits its order and is confirmed: by a second reading, or by the order's record, if that
   * shows as much matched.
   */
  isSure({ trade, cursor, readings }: PendingTrade, order: OrderRecord): boolean {
    if (tradeMisfit(trade, order) !== null) return false;
    if (readings >= 2) return true;
    const { blotter, lists, pending, feeRates } = this.options;
    const applied = lists.of(order.market);
    if (order.matched < order.filled + trade.amount || !hasArrived(order)) return false;
    // Two sides with one id are a trade with oneself or a wrong id; a place far beyond all others may be a
    // wrong id too.
    const furthest = blotter.furthestTrade.of(order.market);
    const { id } = trade;
    if (furthest === LIST_START || cursor > furthest + blotter.venue.ownLists.trades.usualReach) return false;
    if (applied.holderOf({ id, side: 'buy' }) !== undefined) return false;
    if (applied.holderOf({ id, side: 'sell' }) !== undefined) return false;
    for (const { trade: other } of pending.byName.values())
      if (other !== trade && other.id === id) return false;
    return feeRates.isUsual(trade);
  }

  /**
   * Returns the relation of a trade to the booked fills, which never exceed what the order matched. If a
   * booked fill differs from the trade only by its id, and the order has no room for both, the exchange has
   * changed the id.
   */
  standingOf(pending: PendingTrade, order: OrderRecord | null): TradeStanding {
    const { trade, sinceMs, firstReading } = pending;
    const { booked, reports, blotter, lists } = this.options;
    const { orderId } = trade;
    if (orderId === null) return { kind: 'new' };
    const market = marketSymbolOf(trade);
    const applied = lists.of(market);
    const as = booked.alikeOf(trade, (fill) => applied.isShownSince(firstReading, fill));
    const filled = ((order === null ? booked.amountOf(orderId) : order.filled) + trade.amount) as Units;
    if (as === undefined) {
      const placeholder = booked.standing.get(orderId);
      if (placeholder !== undefined && placeholder.amount >= trade.amount)
        return { kind: 'expected', placeholder };
      if (order === null)
        return applied.hasBegun && booked.isForgotten(trade) ? { kind: 'booked', as: null } : { kind: 'new' };
      if (filled > order.amount) return { kind: 'beyond', order };
      // The matched amount has room for the trade, or the open order may have matched it since then.
      if (filled <= order.matched || (mayTrade(order) && !booked.isForgotten(trade))) return { kind: 'new' };
    } else if (order !== null && filled > order.amount) return { kind: 'booked', as };
    const stated = reports.statedOf(orderId);
    const { nowMs } = blotter.outbox;
    // The record decides only if it was read so much later that it surely includes the trade.
    if (stated !== undefined && stated.atMs >= sinceMs + LAG_MS) {
      if (filled <= stated.record.matchedAmount) return { kind: 'new' };
      if (as !== undefined) return { kind: 'booked', as };
      if (order !== null) return { kind: 'beyond', order };
    } else if (order === null && as !== undefined && sinceMs + ASKS_FOR_MS < nowMs)
      return { kind: 'booked', as };
    if (!pending.isAskedFor) {
      pending.isAskedFor = true;
      reports.inquiries.ask(orderId, market);
    }
    return { kind: 'unclear' };
  }

  /**
   * True if a trade of an unknown order is foreign. It may belong to an order whose reply is missing or that
   * the mirror lost; that is found out first. `isFirst`: true while a new mirror reads the earlier trades,
   * which are foreign unless they belong to open orders.
   */
  isNobodys({ trade, readings, sinceMs }: PendingTrade, isFirst: boolean): boolean {
    const { reports, blotter } = this.options;
    const { orderId } = trade;
    if (orderId !== null && reports.isForeign(orderId)) return isFirst || readings >= 2;
    if (this.mayBeOurs(trade) || (orderId !== null && reports.isAsking(orderId))) return false;
    if (isFirst) return true;
    // The orders that are missing in a mirror from a copy are still being searched for.
    if (reports.lost.names.state.isSearching) return false;
    if (orderId === null) return readings >= 2;
    if (sinceMs + ASKS_FOR_MS < blotter.outbox.nowMs) {
      blotter.outbox.alarm(
        `trade ${trade.id}: the owner of order ${orderId} is not known: the trade counts as foreign`,
      );
      return true;
    }
    reports.inquiries.ask(orderId, marketSymbolOf(trade));
    return false;
  }

  /** True if the order of a trade is unknown and is being requested. */
  isBeingAsked({ orderId }: VenueTrade): boolean {
    const { blotter, reports } = this.options;
    return orderId !== null && blotter.table.byVenueId(orderId) === undefined && reports.isAsking(orderId);
  }

  /** True if a trade fits an order of unknown id: same side and market, not older than its plan. */
  mayBeOf(trade: VenueTrade, { side, market, plannedAtMs, tradeFloor, orderFloor }: OrderRecord): boolean {
    const { lists, blotter } = this.options;
    const { venue, outbox } = blotter;
    const { orders, trades } = venue.ownLists;
    const ofOrder = cursorOfId(orders, trade.orderId);
    // Floors say nothing in a list that is new to the bot, which can have years of trades.
    const { hasBegun } = lists.of(market);
    const isPast = !hasBegun && trade.timeMs !== null && trade.timeMs + OUT_OF_ORDER_MS < plannedAtMs;
    return (
      !isPast &&
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

/** True if an order can have fills: it was sent and has not reached its end. */
export function hasArrived({ state }: OrderRecord): boolean {
  return state !== 'planned' && state !== 'filled' && state !== 'cancelled' && state !== 'rejected';
}

/** Fee rates are counted in millionths. */
const ONE = 1_000_000n;

/**
 * Maximum number of fee rates that are remembered: maker and taker rates of two kinds of markets, and earlier
 * tiers.
 */
const MOST_RATES = 64;

/**
 * Fee rates that this account has paid. A fee at another rate may be right, for example after a change of the
 * tier: such a trade is read twice, and so is one with a fee in another currency than the one received.
 */
export class SeenFeeRates {
  private readonly rates = new Set<bigint>();

  learn({ side, amount, total, fee, feeCurrency }: TradeAmounts): void {
    const received = side === 'buy' ? amount : total;
    if (received <= 0n || feeCurrency !== null) return;
    const rate = (fee * ONE + received / 2n) / received;
    if (!isAt(rate, received, fee) || this.rates.has(rate)) return;
    this.rates.add(rate);
    retainNewest(this.rates, MOST_RATES);
  }

  /** True if a trade's fee matches a known rate, or, while no rate is known, if it has a fee. */
  isUsual(trade: VenueTrade): boolean {
    const { side, amount, total, fee, feeCurrency } = trade;
    if (feeCurrency !== null && givenCurrencyOf(trade) !== null) return false;
    if (this.rates.size === 0) return fee > 0n;
    const received = side === 'buy' ? amount : total;
    for (const rate of this.rates) if (isAt(rate, received, fee)) return true;
    return false;
  }
}

/** True if a fee fits a rate: fees are rounded to one unit. */
function isAt(rate: bigint, received: bigint, fee: bigint): boolean {
  const difference = fee * ONE - received * rate;
  return difference <= ONE && difference >= -ONE;
}
