import { parseMarket } from '../../exchange/market-names.ts';
import { readOrderName } from '../../execution/order-names.ts';
import type { ExchangeTruth, TrueFill, TrueOrder } from './exchange-truth.ts';

/** What strategies were given of coins, by the name of both: `maker btc`. */
export type GivenCoins = ReadonlyMap<string, bigint>;

export const NOTHING_GIVEN: GivenCoins = new Map();

/**
 * Whether an order is for more than its strategy was given and its other orders had brought, or taken, of the
 * coin.
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

/** What a trade brought of an asset, or took: a coin that is also a quote currency moves in both ways. */
export function broughtOf(asset: string, { market, side, amount, total, fee }: TrueFill): bigint {
  const { base, quote } = parseMarket(market);
  const isBuy = side === 'buy';
  if (base === asset) return isBuy ? amount - fee : -amount;
  if (quote === asset) return isBuy ? -total : total - fee;
  return 0n;
}
