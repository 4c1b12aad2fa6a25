import { z } from 'zod';
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
  /** In the base currency for a buy, in the quote currency for a sell. */
  fee: field('amount', 'In the currency received.'),
};

export interface FillRecord extends RecordOf<typeof FILL> {}

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
export const FILL_RESULT = namesOf(FILL, ['cursor', 'venueOrderId']);

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

/** Schema of a fill as stored JSON. */
export const storedFillRecord = z.object(shapeOf(FILL, namesOf(FILL), STORED_CODECS));
