import { formatUnits, UNITS_PER_ONE, type Units } from '../../domain/money.ts';
import { divideHalfEven } from '../../domain/rounding.ts';
import { sentence } from '../../language/sentences/sentence.ts';
import { canBeOrdered, onPriceGrid } from '../../execution/algorithms/market-grid.ts';
import type { MarketDataCache } from '../market-data-cache.ts';
import type { ClosingLeg } from './by-hand-record.ts';

/** Result of closing one coin of a position. */
export interface LegOutcome {
  /** True if nothing is left except an amount too small for an order. */
  readonly ok: boolean;
  readonly text: string;
}

/** `left`: what is held now, negative for what is owed. `why`: what kept it from its end, or null. */
export function outcomeOfLeg(
  leg: ClosingLeg,
  of: { readonly left: Units; readonly why: string | null; readonly markets: MarketDataCache },
): LegOutcome {
  const { left, why, markets } = of;
  const market = markets.get(leg.market)?.market;
  const price = markets.priceOf(leg.market);
  const coin = leg.asset.toUpperCase();
  const done = leg.traded === 0n ? [] : [tradedText(leg, market?.priceStep ?? null)];
  if (left === 0n) return { ok: true, text: [...done, sentence('close-none-left', { coin })].join(', ') };
  const size = left < 0n ? ((0n - left) as Units) : left;
  const isDust = market !== undefined && price !== null && !canBeOrdered(market, { amount: size, price });
  const because = isDust ? sentence('close-dust') : (why ?? leg.end ?? sentence('close-unsold'));
  const rest = { amount: `${formatUnits(size)} ${coin}`, reason: because };
  const restText = sentence(left < 0n ? 'close-owed' : 'close-left', rest);
  return { ok: isDust, text: [...done, restText].join(', ') };
}

function tradedText({ held, traded, total, market, asset }: ClosingLeg, priceStep: Units | null): string {
  const exact = divideHalfEven(total * UNITS_PER_ONE, traded) as Units;
  const price = priceStep === null ? exact : onPriceGrid(exact, priceStep);
  const amount = `${formatUnits(traded)} ${asset.toUpperCase()}`;
  return sentence(held < 0n ? 'close-bought' : 'close-sold', { amount, market, price: formatUnits(price) });
}
