import { z } from 'zod';
import { addUnits, NO_UNITS, type Units } from '../domain/money.ts';
import type { MarketName } from '../domain/market-symbol.ts';
import type { TradeAmounts } from '../domain/trade.ts';
import { venueTradeId, type VenueOrderId, type VenueTradeId } from '../domain/order.ts';
import {
  emptyOf,
  field,
  namesOf,
  optional,
  shapeOf,
  STORED_CODECS,
  type RecordOf,
  type ValuesWith,
} from './field.ts';

/** Fields of one trade of the account, as the list of own trades has it. */
export const FILL = {
  tradeId: field('tradeId'),
  /** Position in the list of own trades. */
  cursor: field('cursor'),
  /** Order id at the exchange. A trade with oneself has two records of one trade id, one for each order. */
  venueOrderId: optional('orderId'),
  /** Key of the bot's order. */
  orderKey: optional('name', 'Null for one that is not of the bot.'),
  strategy: optional('name'),
  market: field('name'),
  side: field('side'),
  atMs: field('time'),
  /** In the quote currency. */
  price: field('money'),
  /** In the base currency, before the fee. */
  amount: field('amount'),
  /** In the quote currency. */
  total: field('money', 'Before the fee.'),
  fee: field('amount'),
  feeCurrency: optional('name', 'Null for the currency received: base of a buy, quote of a sell.'),
  feeValue: optional('money', 'Of a fee in another currency, when it was booked; null if it had no price.'),
};

export interface FillRecord extends RecordOf<typeof FILL> {}

/** The fee of a fill, and its currency. */
export interface FeeOfFill extends Pick<FillRecord, 'fee' | 'feeCurrency' | 'feeValue'> {}

/** Returns the base currency that a trade brings (above zero) or takes, after a fee in it. */
export function baseMoved({ side, amount, fee, feeCurrency }: TradeAmounts, base: string): Units {
  if (feeCurrency === null) return (side === 'buy' ? amount - fee : -amount) as Units;
  const moved = side === 'buy' ? amount : -amount;
  return (feeCurrency === base ? moved - fee : moved) as Units;
}

/** Returns the quote currency that a trade brings (above zero) or takes, after a fee in it. */
export function quoteMoved({ side, total, fee, feeCurrency }: TradeAmounts, quote: string): Units {
  if (feeCurrency === null) return (side === 'buy' ? -total : total - fee) as Units;
  const moved = side === 'buy' ? -total : total;
  return (feeCurrency === quote ? moved - fee : moved) as Units;
}

/** Returns the currency of a fee that is neither the base nor the quote currency of its market; else null. */
export function thirdCurrencyOf(
  { feeCurrency }: Pick<TradeAmounts, 'feeCurrency'>,
  { base, quote }: Pick<MarketName, 'base' | 'quote'>,
): string | null {
  return feeCurrency === base || feeCurrency === quote ? null : feeCurrency;
}

/** Returns the currency of a fee. */
export function feeCurrencyOf(
  { side, feeCurrency }: Pick<TradeAmounts, 'side' | 'feeCurrency'>,
  { base, quote }: Pick<MarketName, 'base' | 'quote'>,
): string {
  return feeCurrency ?? (side === 'buy' ? base : quote);
}

/** Returns the fees of fills that were not taken from what these brought, by currency. */
export function otherFeesOf(fills: readonly FeeOfFill[]): ReadonlyMap<string, Units> {
  const fees = new Map<string, Units>();
  for (const { fee, feeCurrency } of fills)
    if (feeCurrency !== null) fees.set(feeCurrency, addUnits(fees.get(feeCurrency) ?? NO_UNITS, fee));
  return fees;
}

/** A fill with its money and amounts in another type, such as text. */
export type FillWith<Decimal> = RecordOf<typeof FILL, ValuesWith<Decimal>>;

/** The optional fields of a fill, all null. */
export const EMPTY_FILL = emptyOf(FILL);

/** Fields that the control API shows, in its order. */
export const FILL_ITEM = [
  'tradeId',
  'orderKey',
  ...namesOf(FILL, ['tradeId', 'orderKey', 'cursor']),
] as const;

/** Fields that a result shows, in its order. */
export const FILL_RESULT = namesOf(FILL, ['cursor', 'venueOrderId', 'feeValue']);

/** Start of a placeholder's trade id. It has a space, which no exchange's id has. */
export const PLACEHOLDER = 'placeholder ';

/** Returns the trade id of a fill that stands for an order's trades that did not arrive. */
export function placeholderIdOf(venueOrderId: VenueOrderId): VenueTradeId {
  return venueTradeId(`${PLACEHOLDER}${venueOrderId}`);
}

/** True if a fill comes from an order's own record, until its trades arrive. */
export function isPlaceholder({ tradeId }: Pick<FillRecord, 'tradeId'>): boolean {
  return tradeId.startsWith(PLACEHOLDER);
}

const STORED = shapeOf(FILL, namesOf(FILL), STORED_CODECS);

/** Schema of a fill as stored JSON. Older versions stored no currency of the fee. */
export const storedFillRecord = z.object({
  ...STORED,
  feeCurrency: STORED.feeCurrency.default(null),
  feeValue: STORED.feeValue.default(null),
});
