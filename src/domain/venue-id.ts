import { z } from 'zod';
import type { Brand } from './brand.ts';

/**
 * An order's id at the venue, as text: some venues count, others draw. Two ids are equal or not; which is
 * newer is for the cursors of the venue's profile to say (`OwnList`).
 */
export type VenueOrderId = Brand<string, 'VenueOrderId'>;

/** The same of a trade of ours. */
export type VenueTradeId = Brand<string, 'VenueTradeId'>;

export function venueOrderId(text: string): VenueOrderId {
  return text as VenueOrderId;
}

export function venueTradeId(text: string): VenueTradeId {
  return text as VenueTradeId;
}

const storedId = z.string().min(1);

/** Ids as JSON. */
export const storedOrderId = storedId.transform(venueOrderId);
export const storedTradeId = storedId.transform(venueTradeId);
