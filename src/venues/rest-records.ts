import type { DecimalText } from '../domain/decimal-text.ts';
import { tooFineIn, unitsAbout } from '../domain/money.ts';
import {
  venueOrderId,
  venueTradeId,
  venueWalletId,
  walletTransactionId,
  type Execution,
  type Side,
  type VenueOrder,
} from '../domain/order.ts';
import type { VenueTrade } from '../domain/trade.ts';
import { parseMarket } from '../exchange/market-names.ts';
import type { WalletReading, WalletTransaction } from './port.ts';

/**
 * Records of a REST reply as its package reads them: ids as text, unique at the exchange; markets as symbols
 * such as `BTCUSDT`; decimals as text; times in ms since 1970. What a reply does not say is null.
 */
export interface RestOrder {
  readonly id: string;
  readonly clientOrderId: string | null;
  readonly market: string;
  readonly side: Side;
  readonly execution: Execution | null;
  readonly amount: DecimalText;
  /** Part of the amount that is traded. */
  readonly matched: DecimalText;
  readonly price: DecimalText | null;
  readonly stopPrice: DecimalText | null;
  /** Value of what is traded, before the fee. */
  readonly total: DecimalText | null;
  /** Its state in the exchange's own word. */
  readonly status: string;
  readonly createdAtMs: number | null;
}

/** @see RestOrder */
export function restOrder(order: RestOrder): VenueOrder {
  const { id, market, amount, matched, price, stopPrice, total, ...rest } = order;
  return {
    ...rest,
    id: venueOrderId(id),
    market: parseMarket(market),
    tradeKind: 'Spot',
    price: price === null ? null : unitsAbout(price),
    stopPrice: stopPrice === null ? null : unitsAbout(stopPrice),
    amount: unitsAbout(amount),
    matchedAmount: unitsAbout(matched),
    unmatchedAmount: null,
    total: total === null ? null : unitsAbout(total),
    orderTotal: null,
    fee: null,
    averagePrice: null,
    partial: null,
    pairId: null,
    tooFine: tooFineIn({ amount, matchedAmount: matched, price, stopPrice }),
  };
}

/** A trade of the account; `fee` is in the currency received. @see RestOrder */
export interface RestTrade {
  readonly id: string;
  readonly orderId: string;
  readonly market: string;
  readonly atMs: number;
  readonly side: Side;
  readonly price: DecimalText;
  readonly amount: DecimalText;
  /** Before the fee. */
  readonly total: DecimalText;
  readonly fee: DecimalText;
}

/** @see RestTrade */
export function restTrade({ price, amount, total, fee, ...trade }: RestTrade): VenueTrade {
  return {
    id: venueTradeId(trade.id),
    orderId: venueOrderId(trade.orderId),
    market: parseMarket(trade.market),
    timeMs: trade.atMs,
    side: trade.side,
    price: unitsAbout(price),
    amount: unitsAbout(amount),
    total: unitsAbout(total),
    fee: unitsAbout(fee),
    tooFine: tooFineIn({ price, amount, total, fee }),
  };
}

/** Returns a wallet; `held` is the part that orders and withdrawals reserve. */
export function restWallet(wallet: {
  readonly id: string;
  readonly currency: string;
  readonly total: DecimalText;
  readonly held: DecimalText;
}): WalletReading {
  const { id, currency, total, held } = wallet;
  return {
    currency,
    walletId: venueWalletId(id),
    total: unitsAbout(total),
    held: unitsAbout(held),
    tooFine: tooFineIn({ total, held }),
  };
}

/** Returns a line of a wallet's history; `amount` is negative if it left the wallet. */
export function restTransaction(line: {
  readonly id: string;
  readonly currency: string;
  readonly atMs: number;
  readonly amount: DecimalText;
  readonly description: string;
}): WalletTransaction {
  const { id, amount, ...rest } = line;
  return {
    ...rest,
    id: walletTransactionId(id),
    amount: unitsAbout(amount),
    tooFine: tooFineIn({ amount }),
  };
}
