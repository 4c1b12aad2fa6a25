import { SarrafError } from '../domain/errors.ts';
import {
  venueOrderId,
  venueTradeId,
  venueWalletId,
  walletTransactionId,
  type VenueOrderId,
  type VenueTradeId,
  type VenueWalletId,
  type WalletTransactionId,
} from '../domain/venue-id.ts';

/** The ids of this exchange are whole numbers from 1 on; everybody above the venues has them as text. */

export function orderIdOf(id: number): VenueOrderId {
  return venueOrderId(String(id));
}

export function orderIdOrNull(id: number | null): VenueOrderId | null {
  return id === null ? null : orderIdOf(id);
}

export function tradeIdOf(id: number): VenueTradeId {
  return venueTradeId(String(id));
}

export function walletIdOf(id: number): VenueWalletId {
  return venueWalletId(String(id));
}

export function transactionIdOf(id: number): WalletTransactionId {
  return walletTransactionId(String(id));
}

/**
 * The number that an id is on the wire. Throws `INVALID_REQUEST` for a text that is no number which a request
 * can hold: no order and no wallet has such an id.
 */
export function wholeId(id: VenueOrderId | VenueWalletId): number {
  const number = /^\d{1,16}$/.test(id) ? Number(id) : Number.NaN;
  if (Number.isSafeInteger(number)) return number;
  throw new SarrafError(
    'INVALID_REQUEST',
    `expected a whole number below 2^53 for an id, was ${JSON.stringify(id)}`,
  );
}
