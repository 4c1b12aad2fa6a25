import {
  BRIDGE,
  BRIDGE_QUOTE,
  otherQuote,
  perQuote,
  symbolOf,
  type QuoteCurrency,
} from '../domain/market-symbol.ts';
import { type Units, UNITS_PER_ONE } from '../domain/money.ts';
import { divideHalfEven } from '../domain/rounding.ts';

/** The last price of a market by its symbol, in units of its quote currency; null where none is known. */
export type PriceOf = (market: string) => Units | null;

const WHOLE_SQUARED = UNITS_PER_ONE * UNITS_PER_ONE;

/** Symbols that were asked for before: every valuation asks. Emptied when they are full. */
const SYMBOLS: Readonly<Record<QuoteCurrency, Map<string, string>>> = perQuote(new Map(), new Map());
const MOST_SYMBOLS = 1_000;

/**
 * The market of a currency priced in a quote currency, by its symbol. Whether there is one is for the
 * exchange to say.
 */
export function symbolIn(asset: string, quote: QuoteCurrency): string {
  const symbols = SYMBOLS[quote];
  const known = symbols.get(asset);
  if (known !== undefined) return known;
  if (symbols.size >= MOST_SYMBOLS) symbols.clear();
  const symbol = symbolOf(asset, quote);
  symbols.set(asset, symbol);
  return symbol;
}

/**
 * The one rule by which something held is valued in a quote currency. By the market of both, where that has a
 * price; else by the asset's market in the other quote currency and `USDTIRT`; else not at all (null). So the
 * way has two markets at most. The product is rounded once, half-even at ten decimals. Nothing held is worth
 * nothing without any price.
 */
export function valueIn(
  into: QuoteCurrency,
  { asset, amount }: { readonly asset: string; readonly amount: bigint },
  priceOf: PriceOf,
): Units | null {
  if (amount === 0n || asset === into) return amount as Units;
  const direct = asset === BRIDGE_QUOTE ? null : priceOf(symbolIn(asset, into));
  if (direct !== null) return divideHalfEven(amount * direct, UNITS_PER_ONE) as Units;
  const bridge = priceOf(BRIDGE);
  if (bridge === null) return null;
  if (asset === BRIDGE_QUOTE) return divideHalfEven(amount * UNITS_PER_ONE, bridge) as Units;
  const other = priceOf(symbolIn(asset, otherQuote(into)));
  if (other === null) return null;
  const product = amount * other;
  return (
    into === BRIDGE_QUOTE ? divideHalfEven(product * bridge, WHOLE_SQUARED) : divideHalfEven(product, bridge)
  ) as Units;
}

/** The markets by which `valueIn` goes, in their order; null where it has none. */
export function pathOf(into: QuoteCurrency, asset: string, priceOf: PriceOf): readonly string[] | null {
  if (asset === into) return [];
  if (asset === BRIDGE_QUOTE) return priceOf(BRIDGE) === null ? null : [BRIDGE];
  const direct = symbolIn(asset, into);
  if (priceOf(direct) !== null) return [direct];
  const other = symbolIn(asset, otherQuote(into));
  return priceOf(other) === null || priceOf(BRIDGE) === null ? null : [other, BRIDGE];
}
