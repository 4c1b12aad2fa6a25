import type { DecimalText } from '../domain/decimal-text.ts';
import type { MarketName } from '../domain/market-symbol.ts';
import { tooFineIn, unitsAbout, type Units } from '../domain/money.ts';
import {
  venueOrderId,
  venueTradeId,
  venueWalletId,
  walletTransactionId,
  type VenueOrder,
  type VenueOrderId,
  type VenueTradeId,
  type VenueWalletId,
  type WalletTransactionId,
} from '../domain/order.ts';
import type { VenueTrade } from '../domain/trade.ts';
import { parseMarket } from '../exchange/market-names.ts';
import type { WalletReading, WalletTransaction } from './port.ts';

type Id = VenueOrderId | VenueTradeId | VenueWalletId | WalletTransactionId;

/** A field as a package writes it: ids and symbols of markets as texts, money as decimal texts. */
type Written<Value> = Value extends Units ? DecimalText : Value extends Id | MarketName ? string : Value;

type WrittenOf<Item, Field extends keyof Item> = { readonly [Name in Field]: Written<Item[Name]> };

/** An order as a package reads it from a reply. What the reply does not say is null. */
export type RestOrder = WrittenOf<
  VenueOrder,
  | 'id'
  | 'clientOrderId'
  | 'market'
  | 'side'
  | 'execution'
  | 'amount'
  | 'matchedAmount'
  | 'price'
  | 'stopPrice'
  | 'total'
  | 'fee'
  | 'status'
  | 'createdAtMs'
>;

const orNull = <Text, Value>(text: Text | null, read: (text: Text) => Value): Value | null =>
  text === null ? null : read(text);

/** Returns an order for the engine. */
export function restOrder(order: RestOrder): VenueOrder {
  const { id, market, amount, matchedAmount, price, stopPrice, total, fee, ...rest } = order;
  return {
    ...rest,
    id: orNull(id, venueOrderId),
    market: orNull(market, parseMarket),
    tradeKind: 'Spot',
    price: orNull(price, unitsAbout),
    stopPrice: orNull(stopPrice, unitsAbout),
    amount: unitsAbout(amount),
    matchedAmount: unitsAbout(matchedAmount),
    unmatchedAmount: null,
    total: orNull(total, unitsAbout),
    orderTotal: null,
    fee: orNull(fee, unitsAbout),
    averagePrice: null,
    partial: null,
    pairId: null,
    tooFine: tooFineIn({ amount, matchedAmount, price, stopPrice }),
  };
}

/** A trade of the account as a package reads it from a reply; `fee` is in the currency received. */
export type RestTrade = WrittenOf<VenueTrade, Exclude<keyof VenueTrade, 'tooFine'>>;

/** Returns a trade of the account for the engine. */
export function restTrade({
  id,
  orderId,
  market,
  price,
  amount,
  total,
  fee,
  ...rest
}: RestTrade): VenueTrade {
  return {
    ...rest,
    id: venueTradeId(id),
    orderId: orNull(orderId, venueOrderId),
    market: orNull(market, parseMarket),
    price: unitsAbout(price),
    amount: unitsAbout(amount),
    total: unitsAbout(total),
    fee: unitsAbout(fee),
    tooFine: tooFineIn({ price, amount, total, fee }),
  };
}

/** Returns a wallet for the engine; `held` is the part that orders and withdrawals reserve. */
export function restWallet(
  wallet: WrittenOf<WalletReading, Exclude<keyof WalletReading, 'tooFine'>>,
): WalletReading {
  const { currency, walletId, total, held } = wallet;
  return {
    currency,
    walletId: venueWalletId(walletId),
    total: unitsAbout(total),
    held: unitsAbout(held),
    tooFine: tooFineIn({ total, held }),
  };
}

/** Returns a line of a wallet's history for the engine; `amount` is negative if it left the wallet. */
export function restTransaction({
  id,
  amount,
  ...line
}: WrittenOf<WalletTransaction, Exclude<keyof WalletTransaction, 'tooFine'>>): WalletTransaction {
  return { ...line, id: walletTransactionId(id), amount: unitsAbout(amount), tooFine: tooFineIn({ amount }) };
}
