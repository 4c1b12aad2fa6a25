import { z } from 'zod';
import type { Brand } from './brand.ts';

/**
 * Position in one of the account's own lists: a number that rises along it, such as an id or a time in ms.
 * Its meaning depends on the venue; see `OwnList`.
 */
export type ListCursor = number;

/**
 * An order's id at the venue, as text: some venues count, others draw. Two ids are equal or not; which is
 * newer is for the cursors of the venue's profile to say (`OwnList`).
 */
export type VenueOrderId = Brand<string, 'VenueOrderId'>;

/** The same of a trade of ours. */
export type VenueTradeId = Brand<string, 'VenueTradeId'>;

/** The id of a wallet of ours. */
export type VenueWalletId = Brand<string, 'VenueWalletId'>;

/** The id of a line of a wallet's history. */
export type WalletTransactionId = Brand<string, 'WalletTransactionId'>;

export function venueOrderId(text: string): VenueOrderId {
  return text as VenueOrderId;
}

export function venueTradeId(text: string): VenueTradeId {
  return text as VenueTradeId;
}

export function venueWalletId(text: string): VenueWalletId {
  return text as VenueWalletId;
}

export function walletTransactionId(text: string): WalletTransactionId {
  return text as WalletTransactionId;
}

const storedId = z.string().min(1);

/** Ids as JSON. */
export const storedOrderId = storedId.transform(venueOrderId);
export const storedTradeId = storedId.transform(venueTradeId);
export const storedWalletTransactionId = storedId.transform(walletTransactionId);
