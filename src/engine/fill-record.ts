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
  /** Position in the list of own trades. */
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

/** Returns the trade id of a fill that stands for an order's trades that did not arrive. */
export function placeholderIdOf(venueOrderId: VenueOrderId): VenueTradeId {
  return venueTradeId(`${PLACEHOLDER}${venueOrderId}`);
}

/** True if a fill comes from an order's own record, until its trades arrive. */
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
