import type { Units } from '../../domain/money.ts';
import type { LiveSums } from './live-sums.ts';

/** What is held in a market, in units of its source currency, and its last price in units of the quote currency; null before the first. */
export interface HeldPosition {
  readonly position: Units;
  readonly price: Units | null;
}

/**
 * The value held in a market once all buys have traded and no sell has, at twenty decimals of the quote currency, so that nothing is rounded; zero
 * where it would still be short. Everything counts at the last price, or at the highest that one of the buys may pay where that is higher. Null where there is no price.
 */
export function worstLong({ position, price }: HeldPosition, { buys, highestBuy }: LiveSums): bigint | null {
  const last = price ?? 0n;
  return valueOf(position + buys, highestBuy > last ? highestBuy : last);
}

/** The value owed once all sells have traded and no buy has, at the last price, or before the first at the highest that one of the sells names. */
export function worstShort({ position, price }: HeldPosition, { sells, highestSell }: LiveSums): bigint | null {
  return valueOf(sells - position, price ?? highestSell);
}

/** The greater of both: what may come to be at risk in the market. */
export function worstExposure(held: HeldPosition, sums: LiveSums): bigint | null {
  const long = worstLong(held, sums);
  const short = worstShort(held, sums);
  if (long === null || short === null) return null;
  return long > short ? long : short;
}

function valueOf(amount: bigint, price: bigint): bigint | null {
  if (amount <= 0n) return 0n;
  return price === 0n ? null : amount * price;
}
