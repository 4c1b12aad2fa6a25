import type { DecimalText } from '../domain/decimal-text.ts';
import { type Units, tooFineIn, unitsAbout } from '../domain/money.ts';
import {
  type VenueOrder,
  venueOrderId,
  venueTradeId,
  venueWalletId,
  walletTransactionId,
  type VenueOrderId,
  type VenueTradeId,
  type VenueWalletId,
  type WalletTransactionId,
} from '../domain/order.ts';
import type { VenueTrade } from '../domain/trade.ts';
import type { EndpointReply } from '../exchange/endpoints.ts';
import type { ExchangeOrder, ExchangeTrade } from '../exchange/order.ts';
import type { UnreadReplyRow } from '../exchange/reply-decoder.ts';
import { readMarket } from '../exchange/reply-types.ts';
import type { UnreadRow, WalletReading, WalletTransaction } from './port.ts';
import { SarrafError } from '../domain/errors.ts';

/**
 * Converts records of the client to the engine's types: ids as text, money in units. A number that is too
 * fine for units is cut, and named by `tooFine`; unless nothing is booked from it, such as an average.
 */
export function venueOrder(order: ExchangeOrder): VenueOrder {
  const { price, stopPrice, amount, matchedAmount } = order;
  return {
    id: orderIdOrNull(order.id),
    side: order.side,
    execution: order.execution,
    tradeKind: order.tradeKind,
    market: order.market,
    price: unitsOrNull(price),
    stopPrice: unitsOrNull(stopPrice),
    amount: unitsAbout(amount),
    matchedAmount: unitsAbout(matchedAmount),
    unmatchedAmount: unitsOrNull(order.unmatchedAmount),
    total: unitsOrNull(order.total),
    orderTotal: unitsOrNull(order.orderTotal),
    fee: unitsOrNull(order.fee),
    averagePrice: unitsOrNull(order.averagePrice),
    status: order.status,
    partial: order.partial,
    createdAtMs: order.createdAtMs,
    clientOrderId: order.clientOrderId,
    pairId: orderIdOrNull(order.pairId),
    tooFine: tooFineIn({ amount, matchedAmount, price, stopPrice }),
  };
}

/** @see venueOrder */
export function venueTrade(trade: ExchangeTrade): VenueTrade {
  const { id, orderId, market, timeMs, side, price, amount, total, fee } = trade;
  return {
    id: tradeIdOf(id),
    orderId: orderIdOrNull(orderId),
    market,
    timeMs,
    side,
    price: unitsAbout(price),
    amount: unitsAbout(amount),
    total: unitsAbout(total),
    fee: unitsAbout(fee),
    feeCurrency: null,
    tooFine: tooFineIn({ price, amount, total, fee }),
  };
}

/** @see venueOrder */
export function walletReading(wallet: EndpointReply<'wallets'>[number]): WalletReading {
  const { currency, id, balance, blocked } = wallet;
  return {
    currency,
    walletId: walletIdOf(id),
    total: unitsAbout(balance),
    held: unitsAbout(blocked),
    tooFine: tooFineIn({ balance, blocked }),
  };
}

/** @see venueOrder */
export function walletTransaction(
  line: EndpointReply<'walletTransactions'>['items'][number],
): WalletTransaction {
  const { id, currency, createdAtMs, amount, description } = line;
  return {
    id: transactionIdOf(id),
    currency: currency ?? '',
    atMs: createdAtMs ?? 0,
    amount: unitsAbout(amount),
    description: description ?? '',
    tooFine: tooFineIn({ amount }),
  };
}

const unitsOrNull = (text: DecimalText | null): Units | null => (text === null ? null : unitsAbout(text));

/** Names in findings for a row of each list. */
const SUBJECTS: Readonly<Record<string, string>> = {
  orders: 'order',
  trades: 'trade',
  transactions: 'line',
  wallets: 'wallet',
  amountPrecisions: 'steps of',
  pricePrecisions: 'steps of',
};

/** Returns the readable parts of a list row that cannot be read as a whole. */
export function unreadRow({ list, place, row, why }: UnreadReplyRow): UnreadRow {
  const fields = typeof row === 'object' && row !== null ? (row as Readonly<Record<string, unknown>>) : {};
  const id = idIn(fields['id']);
  const named = fields['market'] ?? (list === 'orders' || list === 'trades' ? null : place);
  const market = typeof named === 'string' ? (readMarket(named)?.symbol ?? null) : null;
  const isOrder = list === 'orders';
  const currency = list === 'wallets' ? place.toLowerCase() : fields['currency'];
  const name = list === 'wallets' ? place.toLowerCase() : (market ?? place);
  return {
    subject: `${SUBJECTS[list] ?? list} ${isOrder || list === 'trades' ? (id ?? `in place ${place}`) : name}`,
    why,
    venueOrderId: orderIdOrNull(isOrder ? id : idIn(fields['orderId'])),
    market,
    currency: typeof currency === 'string' ? currency.toLowerCase() : null,
  };
}

function idIn(value: unknown): number | null {
  const id = typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value;
  return typeof id === 'number' && Number.isSafeInteger(id) && id > 0 ? id : null;
}

/** Ids of this exchange are whole numbers from 1 on; all code above the venues has them as text. */

export const orderIdOf = (id: number): VenueOrderId => venueOrderId(String(id));

export const orderIdOrNull = (id: number | null): VenueOrderId | null => (id === null ? null : orderIdOf(id));

export const tradeIdOf = (id: number): VenueTradeId => venueTradeId(String(id));

export const walletIdOf = (id: number): VenueWalletId => venueWalletId(String(id));

export const transactionIdOf = (id: number): WalletTransactionId => walletTransactionId(String(id));

/** Returns an id as the number in a request. Throws `INVALID_REQUEST` for a text that is none. */
export function wholeId(id: VenueOrderId | VenueWalletId): number {
  const number = /^\d{1,16}$/.test(id) ? Number(id) : Number.NaN;
  if (Number.isSafeInteger(number)) return number;
  throw new SarrafError(
    'INVALID_REQUEST',
    `expected a whole number below 2^53 for an id, was ${JSON.stringify(id)}`,
  );
}
