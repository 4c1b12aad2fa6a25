import type { Market } from '../domain/market.ts';
import { formatUnits, UNITS_PER_ONE, type Units } from '../domain/money.ts';
import type { Side } from '../domain/order.ts';
import { divideDown } from '../domain/rounding.ts';
import { positiveWishUnits } from '../execution/algorithms/wish-units.ts';
import type { DecimalInput, Intent } from '../strategy/intents.ts';

/** An intent that says how much it wants: by amount, by value or by share of the equity. */
export type SizedIntent = Extract<Intent, { kind: 'place' | 'oco' | 'twap' | 'iceberg' }>;

/** What a size is worked out with. */
export interface SizeView {
  readonly market: Market;
  /** The best price that an order of a side meets, units of 1e-10; null while none is known. */
  readonly priceFor: (side: Side) => Units | null;
  /** The strategy's equity in the quote currency; null without a price. */
  readonly equity: () => Units | null;
}

export type Sized<Kind extends SizedIntent> =
  | { readonly ok: true; readonly intent: Kind & { readonly amount: DecimalInput } }
  | { readonly ok: false; readonly reason: string };

/**
 * The intent with its amount: a value or a share of the equity is divided by the order's own price (limit,
 * else stop), or else by the best price of its side, and rounded down to 1e-10. Fees are not taken off.
 */
export function sizedIntent<Kind extends SizedIntent>(intent: Kind, view: SizeView): Sized<Kind> {
  if (intent.amount !== undefined) return { ok: true, intent: { ...intent, amount: intent.amount } };
  const value = valueOf(intent, view);
  if (typeof value === 'string') return { ok: false, reason: value };
  const price = ownPrice(intent) ?? view.priceFor(intent.side);
  if (price === null) {
    const { symbol } = view.market;
    return {
      ok: false,
      reason: `expected a price of ${symbol} to turn a value into an amount, none is known yet`,
    };
  }
  const amount = divideDown(value * UNITS_PER_ONE, price) as Units;
  return { ok: true, intent: { ...intent, amount: formatUnits(amount) } };
}

/** What it is to be worth, in the quote currency, or why that is not known. */
function valueOf({ value, equityShare }: SizedIntent, { market, equity }: SizeView): Units | string {
  if (value !== undefined)
    return positiveWishUnits(value) ?? `expected a positive value, was ${String(value)}`;
  const share = equityShare === undefined ? null : positiveWishUnits(equityShare);
  if (share === null) return 'expected one of amount, value, equityShare, was none';
  const all = equity();
  if (all === null) return `expected a known equity in ${market.quote}, a price is missing`;
  if (all <= 0n) return `expected an equity above 0 ${market.quote}, was ${formatUnits(all)}`;
  return divideDown(all * share, UNITS_PER_ONE) as Units;
}

function ownPrice(intent: SizedIntent): Units | null {
  if (intent.price !== undefined) return positiveWishUnits(intent.price);
  const stopPrice = intent.kind === 'place' ? intent.stopPrice : undefined;
  return stopPrice === undefined ? null : positiveWishUnits(stopPrice);
}
