import { parseMarket } from '../../exchange/market-names.ts';
import { readOrderName } from '../../engine/order-names.ts';
import type { ExchangeTruth, TrueFill, TrueOrder } from './exchange-truth.ts';

/** Coins given to strategies, by the names of both: `maker btc`. */
export type GivenCoins = ReadonlyMap<string, bigint>;

export const NOTHING_GIVEN: GivenCoins = new Map();

/**
 * True if an order is for more of the coin than its strategy was given and its other orders had added or
 * removed.
 */
export function addsRisk(
  { id, openedAtMs, side, amount, market }: TrueOrder,
  {
    truth,
    nameOf,
    given,
  }: {
    readonly truth: ExchangeTruth;
    readonly nameOf: ReadonlyMap<number, string>;
    readonly given: GivenCoins;
  },
): boolean {
  const { base } = parseMarket(market);
  const name = nameOf.get(id) ?? null;
  const strategy = readOrderName(name)?.strategy;
  let position = given.get(`${strategy} ${base}`) ?? 0n;
  for (const fill of truth.fills) {
    const other = nameOf.get(fill.orderId) ?? null;
    // It may trade at the moment at which it is accepted, and so may the other leg of its pair.
    if (other === null || other === name || fill.atMs > openedAtMs) continue;
    if (readOrderName(other)?.strategy === strategy) position += broughtOf(base, fill);
  }
  return amount > (side === 'sell' ? position : -position);
}

/**
 * Returns the amount of an asset that a trade added or removed: a coin that is also a quote currency moves in
 * both directions.
 */
export function broughtOf(asset: string, { market, side, amount, total, fee }: TrueFill): bigint {
  const { base, quote } = parseMarket(market);
  const isBuy = side === 'buy';
  if (base === asset) return isBuy ? amount - fee : -amount;
  if (quote === asset) return isBuy ? -total : total - fee;
  return 0n;
}
