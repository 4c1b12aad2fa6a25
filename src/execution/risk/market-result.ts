import { NO_UNITS, type Units } from '../../domain/money.ts';
import { divideHalfEven } from '../../domain/rounding.ts';

/** What was made of one market, in units of its quote currency but for the position, which is in its source currency. */
export interface MarketResult {
  /** Bought less sold, fees taken off; negative when more was sold than bought. */
  readonly position: Units;
  /** Received less paid, fees taken off. */
  readonly cash: Units;
  /** What the position cost at its average; negative where it is short: what its sale brought. `cash` is `realised` less `cost`, always. */
  readonly cost: Units;
  /** What the closed part of all trades brought: each sale less the average cost of what was sold. */
  readonly realised: Units;
  /** The last price that was told; before the first that of a fill. Zero before any. */
  readonly price: Units;
  /** `realised` when the round trip at hand began. */
  readonly tripBeganWith: Units;
  /** How many round trips have ended, and what the last of them brought. */
  readonly trips: number;
  readonly lastTripResult: Units;
}

export const NO_MARKET_RESULT: MarketResult = {
  position: NO_UNITS,
  cash: NO_UNITS,
  cost: NO_UNITS,
  realised: NO_UNITS,
  price: NO_UNITS,
  tripBeganWith: NO_UNITS,
  trips: 0,
  lastTripResult: NO_UNITS,
};

/** What a trade did: `received` of the source currency for `paid` of the quote currency, both negative for a sale. */
export interface TradeEffect {
  readonly received: bigint;
  readonly paid: bigint;
  readonly price: Units;
  /** The smallest amount that can be traded: less than that is dust that a rounded sale leaves behind, and no position. */
  readonly step: Units;
}

/**
 * The result after a trade. What it adds to the position is taken in at its cost; what it takes off is realised against the average cost, half-even; one
 * that turns the position round does both, its money shared by amount. The digits that the share loses go from one part to the other, so cash is exact.
 * A round trip ends when the position turns round or no more than dust is left of it.
 */
export function resultAfterTrade(before: MarketResult, trade: TradeEffect): MarketResult {
  const { received, paid, step } = trade;
  const { cost, gain } = realise(before, trade);
  const position = (before.position + received) as Units;
  const realised = (before.realised + gain) as Units;
  const price = before.price === 0n ? trade.price : before.price;
  const after = { ...before, position, cash: (before.cash - paid) as Units, cost, realised, price };
  const hadPosition = magnitude(before.position) >= step;
  const hasTurned = before.position > 0n !== position > 0n;
  if (!hadPosition || (magnitude(position) >= step && !hasTurned)) return after;
  const lastTripResult = (realised - before.tripBeganWith) as Units;
  return { ...after, tripBeganWith: realised, trips: before.trips + 1, lastTripResult };
}

/** The cost of the position after the trade, and what the trade realises. */
function realise(
  { position, cost }: MarketResult,
  { received, paid }: TradeEffect,
): { readonly cost: Units; readonly gain: bigint } {
  // All of a purchase went into its fee: paid for nothing.
  if (received === 0n) return { cost, gain: 0n - paid };
  if (position === 0n || position > 0n === received > 0n) return { cost: (cost + paid) as Units, gain: 0n };
  const held = magnitude(position);
  const traded = magnitude(received);
  if (traded <= held) {
    const closed = divideHalfEven(cost * traded, held);
    return { cost: (cost - closed) as Units, gain: 0n - paid - closed };
  }
  const paidToClose = divideHalfEven(paid * held, traded);
  return { cost: (paid - paidToClose) as Units, gain: 0n - paidToClose - cost };
}

function magnitude(units: bigint): bigint {
  return units < 0n ? -units : units;
}
