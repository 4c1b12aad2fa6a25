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

/** Every endpoint of the interface. The order is that of the generated pages. */
export const ENDPOINTS = {
  /** The order book of one market, turned the right way round. */
  orderBook,
  /** The same in the form of newer deployments, which have bids and asks the right way round. */
  orderBookV3,
  /** The order books of all markets, by market symbol. */
  allOrderBooks,
  allOrderBooksV3,
  /** The aggregated depth of one market. */
  depth,
  /** The latest trades of one market. They carry no id. */
  publicTrades,
  /** The day of a market: best prices, volumes, range, change. */
  marketStats,
  /** Candles of one market, at most 500 a request. */
  history,
  /** Prices of other providers, by currency and provider. */
  globalStats,
  /** Minimum order values, and the price and amount steps of every market. */
  options,
  /** Markets with margin trading, by symbol. */
  marginMarkets,
  /** Exchanges a user name and password for a token. */
  login,
  /** The user's identity, bank cards and accounts, fee rates. */
  profile,
  /** The latest log-in attempts. */
  loginAttempts,
  /** The referral code and what it brought. Deprecated by the exchange. */
  referralCode,
  /** Permissions of the user, and the used part of the withdrawal limits. */
  limitations,
  /** Makes a deposit address, and the wallet if there is none yet. */
  generateAddress,
  /** Adds a bank card. */
  addCard,
  /** Adds a bank account. */
  addAccount,
  /** The symbols of the favourite markets. */
  favoriteMarkets,
  /** Adds favourite markets. */
  addFavoriteMarkets,
  /** Removes one favourite market, or all. */
  removeFavoriteMarkets,
  /** All wallets. */
  walletsList,
  /** Balances of chosen currencies. */
  wallets,
  /** The balance of one currency. */
  walletBalance,
  /** Amounts that came into and left one wallet. */
  walletTransactions,
  /** Deposits of the last three months at most. */
  deposits,
  /** All withdrawals, of rial and of coins. */
  withdrawals,
  /** Places a limit, market, stop-limit, stop-market or OCO order. */
  addOrder,
  /** One order, by its id or, among open orders, by its clientOrderId. */
  orderStatus,
  /** Orders of the user, filtered and paged. */
  ordersList,
  /** Cancels one open order, and with it the other of an OCO pair that has not executed. */
  updateOrderStatus,
  /** Cancels the active orders that match and are old enough. */
  cancelOldOrders,
  /** The user's trades of the last 180 days. */
  tradesList,
  /** Liquidity pools by currency. */
  liquidityPools,
  /** Moves rial or tether between the spot and the margin wallet. */
  transfer,
  /** Amount that may be delegated in a currency. */
  delegationLimit,
  /** Creates and confirms a rial withdrawal in one step. */
  createWithdrawal,
  /** The state and bank payments of a rial withdrawal. */
  withdrawal,
  /** Cancels a rial withdrawal that is still new, within three minutes. */
  cancelWithdrawal,
  /** Makes an invoice and the token of its payment page. */
  gatewaySend,
  /** Confirms a payment; the hash is checked by `PaymentGateway`. */
  gatewayVerify,
} as const;

export type EndpointName = keyof typeof ENDPOINTS;

/** Request to an endpoint as a caller writes it. */
export type EndpointRequest<Name extends EndpointName> = z.input<(typeof ENDPOINTS)[Name]['request']>;

/** Reply to a caller when the exchange accepts. */
export type EndpointReply<Name extends EndpointName> = z.output<(typeof ENDPOINTS)[Name]['reply']>;
