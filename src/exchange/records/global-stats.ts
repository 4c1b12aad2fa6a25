import { z } from 'zod';
import type { DecimalText } from '../../domain/decimal-text.ts';
import { readDecimal, recordOf, withoutPrototype } from '../reply-types.ts';

/** Prices of other providers: currency (lower case) -> provider -> price. */
type GlobalStats = Readonly<Record<string, Readonly<Record<string, DecimalText>>>>;

type Prices = Map<string, Map<string, DecimalText>>;

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function priceOf(value: unknown): DecimalText | null {
  const raw = isObject(value) ? value['price'] : value;
  return typeof raw === 'string' || typeof raw === 'number' ? readDecimal(raw) : null;
}

/** Puts a price in its place, unless there is one. */
function put(
  prices: Prices,
  place: { readonly currency: string; readonly provider: string },
  value: unknown,
): void {
  const price = priceOf(value);
  if (price === null) return;
  const currency = place.currency.toLowerCase();
  let ofCurrency = prices.get(currency);
  if (ofCurrency === undefined) prices.set(currency, (ofCurrency = new Map()));
  if (!ofCurrency.has(place.provider)) ofCurrency.set(place.provider, price);
}

/** The prices of the two levels of an object. */
function* leaves(outer: unknown): Generator<readonly [outer: string, inner: string, value: unknown]> {
  if (!isObject(outer)) return;
  for (const [outerKey, inner] of Object.entries(outer)) {
    if (!isObject(inner)) continue;
    for (const [innerKey, value] of Object.entries(inner)) yield [outerKey, innerKey, value];
  }
}

/**
 * Both forms in use, also in one reply: the interface's own `{currency: {provider: {price}}}`, which counts
 * where they differ, and `{markets: {provider: {currency: number}}}`. Entries without a readable price are
 * skipped: these are prices of other providers, and one bad entry is no reason to lose the rest.
 */
export const globalStatsReply = recordOf(z.unknown()).transform(({ markets, ...own }): GlobalStats => {
  const prices: Prices = new Map();
  for (const [currency, provider, value] of leaves(own)) put(prices, { currency, provider }, value);
  for (const [provider, currency, value] of leaves(markets)) put(prices, { currency, provider }, value);
  return withoutPrototype(
    [...prices].map(([currency, ofCurrency]) => [currency, withoutPrototype(ofCurrency)]),
  );
});
