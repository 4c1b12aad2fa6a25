import type { z } from 'zod';
import {
  addOrder,
  cancelOldOrders,
  ordersList,
  orderStatus,
  tradesList,
  updateOrderStatus,
} from './endpoints/spot.ts';
import {
  addFavoriteMarkets,
  favoriteMarkets,
  removeFavoriteMarkets,
  login,
  addAccount,
  addCard,
  generateAddress,
  limitations,
  loginAttempts,
  profile,
  referralCode,
} from './endpoints/user.ts';
import {
  gatewaySend,
  gatewayVerify,
  delegationLimit,
  liquidityPools,
  marginMarkets,
  transfer,
} from './endpoints/margin.ts';
import {
  allOrderBooks,
  allOrderBooksV3,
  depth,
  globalStats,
  history,
  marketStats,
  options,
  orderBook,
  orderBookV3,
  publicTrades,
} from './endpoints/market-data.ts';
import {
  deposits,
  walletBalance,
  wallets,
  walletsList,
  walletTransactions,
  cancelWithdrawal,
  createWithdrawal,
  withdrawal,
  withdrawals,
} from './endpoints/wallets.ts';
import type { Budget } from '../domain/rate-limit.ts';
import { retainNewest } from '../domain/retain-newest.ts';

/** All endpoints of the interface, in the order of the generated pages. */
export const ENDPOINTS = {
  orderBook,
  orderBookV3,
  allOrderBooks,
  allOrderBooksV3,
  depth,
  publicTrades,
  marketStats,
  history,
  globalStats,
  options,
  marginMarkets,
  login,
  profile,
  loginAttempts,
  referralCode,
  limitations,
  generateAddress,
  addCard,
  addAccount,
  favoriteMarkets,
  addFavoriteMarkets,
  removeFavoriteMarkets,
  walletsList,
  wallets,
  walletBalance,
  walletTransactions,
  deposits,
  withdrawals,
  addOrder,
  orderStatus,
  ordersList,
  updateOrderStatus,
  cancelOldOrders,
  tradesList,
  liquidityPools,
  transfer,
  delegationLimit,
  createWithdrawal,
  withdrawal,
  cancelWithdrawal,
  gatewaySend,
  gatewayVerify,
} as const;

export type EndpointName = keyof typeof ENDPOINTS;

/** Request to an endpoint as a caller writes it. */
export type EndpointRequest<Name extends EndpointName> = z.input<(typeof ENDPOINTS)[Name]['request']>;

/** Reply to a caller when the exchange accepts. */
export type EndpointReply<Name extends EndpointName> = z.output<(typeof ENDPOINTS)[Name]['reply']>;

/** Requested form of the order book: the interface's, a newer one, or the first that the exchange has. */
export const ORDER_BOOK_VERSIONS = ['auto', 'v2', 'v3'] as const;
export type OrderBookVersion = (typeof ORDER_BOOK_VERSIONS)[number];

/** The endpoints of books in the third version, by their names in the second. */
const IN_V3 = {
  orderBook: 'orderBookV3',
  allOrderBooks: 'allOrderBooksV3',
} as const satisfies Partial<Record<EndpointName, EndpointName>>;

const isOfBooks = (name: EndpointName): name is keyof typeof IN_V3 => Object.hasOwn(IN_V3, name);

/** Value requested if no market is named. */
const ALL = 'all';

/** Maximum number of markets tried with the third version; beyond it the oldest go back to the second. */
const MOST_TRIED = 100;

const NOT_FOUND = 404;

/** Returns the budget in which a plan counts the book of one market: for `auto` the second version's. */
export const orderBookBudget = (version: OrderBookVersion): Budget['name'] =>
  ENDPOINTS[version === 'v3' ? 'orderBookV3' : 'orderBook'].budget.name;

/**
 * Chooses the version of the order book that a client requests. `auto` begins with the second. After a 404 of
 * it, the third is requested for the same market: if that has the book, the second version is gone, and all
 * books are requested from the third; if not, there is no such market.
 */
export class OrderBookChoice {
  private isV3: boolean;
  private readonly isAuto: boolean;
  private readonly onV3: () => void;
  private readonly tried = new Set<string>();

  /** `onV3` is called once, when the third version replaces the second. */
  constructor(version: OrderBookVersion, onV3: () => void) {
    this.isV3 = version === 'v3';
    this.isAuto = version === 'auto';
    this.onV3 = onV3;
  }

  /** Returns the endpoint to request in place of `name`; `market` is null for all markets. */
  endpointOf(name: EndpointName, market: string | null): EndpointName {
    if (!isOfBooks(name)) return name;
    return this.isV3 || this.tried.has(market ?? ALL) ? IN_V3[name] : name;
  }

  /** Learns from the reply of a book's endpoint which version the exchange has. */
  apply(asked: EndpointName, market: string | null, httpStatus: number): void {
    if (!this.isAuto || this.isV3) return;
    const key = market ?? ALL;
    if (isOfBooks(asked)) {
      if (httpStatus !== NOT_FOUND) return;
      this.tried.add(key);
      retainNewest(this.tried, MOST_TRIED);
      return;
    }
    if (!this.tried.has(key)) return;
    if (httpStatus === NOT_FOUND) this.tried.delete(key);
    else if (httpStatus === 200) {
      this.isV3 = true;
      this.onV3();
    }
  }
}
