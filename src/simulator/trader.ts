import type { FeeSchedule } from '../domain/fee-schedule.ts';
import type { Side } from '../domain/order.ts';
import type { Accounts } from './accounts.ts';
import type { UserId, Wallet } from './wallet.ts';
import { BoundedList } from './bounded-list.ts';
import type { MarketState } from './market-state.ts';
import type { SimulatedOrder } from './order.ts';
import type { Trade } from './trade.ts';

/**
 * Accepted parameters remembered a user for the duplicate check: far more than the limits let through, and a
 * bound while time stands still.
 */
const RECENT_KEPT = 10_000;

/** The two wallets that a user trades a market with. */
export interface WalletPair {
  readonly base: Wallet;
  readonly quote: Wallet;
}

/** State of one user in the trading core. */
export class Trader {
  readonly userId: UserId;
  fees: FeeSchedule;
  /** False when the identity process is incomplete: `TradingUnavailable`. */
  mayTrade = true;
  /**
   * True for one who repeats what happened elsewhere: neither the price conditions nor the minimum value
   * apply.
   */
  isUnrestricted = false;
  /** True when the experimental look-up by client id is not offered: `FeatureUnavailable`. */
  lacksClientIdLookup = false;
  /** The newest orders, oldest first. */
  readonly orders: BoundedList<SimulatedOrder>;
  /** The newest trades, oldest first; one with both sides his own is here once. */
  readonly trades: BoundedList<Trade>;
  readonly open = new OpenOrders();
  readonly openByClientId = new Map<string, SimulatedOrder>();
  private readonly walletPairs = new Map<MarketState, WalletPair>();
  /**
   * Time of the last acceptance of an order with these parameters, oldest first. At most `RECENT_KEPT`;
   * beyond, the oldest is forgotten early.
   */
  private readonly recent = new Map<string, number>();

  constructor(options: {
    readonly userId: UserId;
    readonly fees: FeeSchedule;
    readonly historyKept: number;
  }) {
    this.userId = options.userId;
    this.fees = options.fees;
    this.orders = new BoundedList(options.historyKept);
    this.trades = new BoundedList(options.historyKept);
  }

  /** The wallets for a market, made at the first order there. */
  walletsFor(market: MarketState, accounts: Accounts): WalletPair {
    let pair = this.walletPairs.get(market);
    if (pair === undefined) {
      pair = {
        base: accounts.ensure(this.userId, market.rules.base),
        quote: accounts.ensure(this.userId, market.rules.quote),
      };
      this.walletPairs.set(market, pair);
    }
    return pair;
  }

  /**
   * Returns the free balance of the currency that an order of this side pays with; zero for a wallet that
   * does not exist yet.
   */
  freeFor(side: Side, market: MarketState, accounts: Accounts): bigint {
    const pair = this.walletPairs.get(market);
    if (pair !== undefined) return side === 'buy' ? pair.quote.free : pair.base.free;
    return accounts.find(this.userId, side === 'buy' ? market.rules.quote : market.rules.base)?.free ?? 0n;
  }

  /** A kept order by its id, or undefined. */
  keptOrder(id: number): SimulatedOrder | undefined {
    const kept = this.orders.values();
    let low = 0;
    let high = kept.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((kept[middle]?.id ?? 0) < id) low = middle + 1;
      else high = middle;
    }
    const found = kept[low];
    return found?.id === id ? found : undefined;
  }

  /** True if the same parameters were accepted within the window before `timeMs`. */
  isDuplicate(parameters: string, window: { readonly timeMs: number; readonly lengthMs: number }): boolean {
    const seen = this.recent.get(parameters);
    return seen !== undefined && window.timeMs - seen < window.lengthMs;
  }

  remember(parameters: string, window: { readonly timeMs: number; readonly lengthMs: number }): void {
    // Entries stay in order of time, because each is put at the end; so the old ones are all at the front.
    for (const [key, seen] of this.recent) {
      if (window.timeMs - seen < window.lengthMs && this.recent.size < RECENT_KEPT) break;
      this.recent.delete(key);
    }
    this.recent.delete(parameters);
    this.recent.set(parameters, window.timeMs);
  }
}

/**
 * A user's open orders. Each knows its place, so that one goes by letting the last take its place: no
 * look-up, and no other order is touched than the newest. Their sequence means nothing.
 */
class OpenOrders {
  private readonly orders: SimulatedOrder[] = [];

  get size(): number {
    return this.orders.length;
  }

  add(order: SimulatedOrder): void {
    order.openPlace = this.orders.length;
    this.orders.push(order);
  }

  /** Takes out an order that is in. */
  remove(order: SimulatedOrder): void {
    const last = this.orders.pop();
    if (last === undefined || last === order) return;
    this.orders[order.openPlace] = last;
    last.openPlace = order.openPlace;
  }

  /** Oldest first; a copy, so that orders may end while it is walked. */
  values(): SimulatedOrder[] {
    const orders = this.orders.slice();
    return isInOrder(orders) ? orders : orders.sort((left, right) => left.id - right.id);
  }
}

/** Most users have few orders, which ended in no other sequence than they came in. */
function isInOrder(orders: readonly SimulatedOrder[]): boolean {
  let lastId = Number.NEGATIVE_INFINITY;
  for (const { id } of orders) {
    if (id < lastId) return false;
    lastId = id;
  }
  return true;
}
