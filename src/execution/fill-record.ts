import { z } from 'zod';
import type { Units } from '../domain/money.ts';
import type { Side } from '../domain/order.ts';
import { storedCount, storedTimeMs, storedUnits } from '../domain/stored-json.ts';
import {
  storedOrderId,
  storedTradeId,
  venueTradeId,
  type VenueOrderId,
  type VenueTradeId,
} from '../domain/venue-id.ts';
import type { ListCursor } from '../venues/port.ts';

/**
 * One trade of the account, as the trades list tells it. All in units; `total` is before the fee, which is in
 * the currency received.
 */
export interface FillRecord {
  readonly tradeId: VenueTradeId;
  /** Where it stands in the list of own trades. */
  readonly cursor: ListCursor;
  /**
   * The exchange's id of the order. With oneself a trade has two records of one id, so both make the name.
   */
  readonly venueOrderId: VenueOrderId | null;
  /** The order of ours by its key; null for a foreign one. */
  readonly orderKey: string | null;
  readonly strategy: string | null;
  readonly market: string;
  readonly side: Side;
  readonly atMs: number;
  readonly price: Units;
  readonly amount: Units;
  readonly total: Units;
  readonly fee: Units;
}

/** No exchange gives an id with a space. */
export const PLACEHOLDER = 'placeholder ';

/** What a fill has as its trade's id that stands for trades of an order that did not come. */
export function placeholderIdOf(venueOrderId: VenueOrderId): VenueTradeId {
  return venueTradeId(`${PLACEHOLDER}${venueOrderId}`);
}

/** Whether a fill is of an order's own record, until its trades come. */
export function isPlaceholder({ tradeId }: Pick<FillRecord, 'tradeId'>): boolean {
  return tradeId.startsWith(PLACEHOLDER);
}

/** The same as JSON. */
export const storedFillRecord = z.object({
  tradeId: storedTradeId,
  cursor: storedCount,
  venueOrderId: storedOrderId.nullable(),
  orderKey: z.string().nullable(),
  strategy: z.string().nullable(),
  market: z.string(),
  side: z.enum(['buy', 'sell']),
  atMs: storedTimeMs,
  price: storedUnits,
  amount: storedUnits,
  total: storedUnits,
  fee: storedUnits,
}) satisfies z.ZodType<FillRecord>;
