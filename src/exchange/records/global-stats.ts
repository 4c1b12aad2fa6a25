import { z } from 'zod';
import type { DecimalText } from '../../domain/decimal-text.ts';
import { readDecimal } from '../reply-types.ts';

/** Prices of other providers: currency (lower case) -> provider -> price. */
export type GlobalStats = Readonly<Record<string, Readonly<Record<string, DecimalText>>>>;

type Prices = Record<string, Record<string, DecimalText>>;

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function priceOf(value: unknown): DecimalText | null {
  const raw = isObject(value) ? value['price'] : value;
  return typeof raw === 'string' || typeof raw === 'number' ? readDecimal(raw) : null;
}

function put(prices: Prices, place: { readonly currency: string; readonly provider: string }, value: unknown): void {
  const price = priceOf(value);
  if (price === null) return;
  const ofCurrency = (prices[place.currency.toLowerCase()] ??= {});
  ofCurrency[place.provider] = price;
}

/**
 * Both forms in use: `{currency: {provider: {price}}}`, and `{markets: {provider: {currency: number}}}`. Entries without a readable price are
 * passed over: these are other people's prices, and one bad one is no reason to lose the rest.
 */
export const globalStatsReply = z.record(z.string(), z.unknown()).transform((body): GlobalStats => {
  const prices: Prices = {};
  const byProvider = body['markets'];
  const outer = isObject(byProvider) ? byProvider : body;
  for (const [outerKey, inner] of Object.entries(outer)) {
    if (!isObject(inner)) continue;
    for (const [innerKey, value] of Object.entries(inner)) {
      const place =
        outer === body ? { currency: outerKey, provider: innerKey } : { currency: innerKey, provider: outerKey };
      put(prices, place, value);
    }
  }
  return prices;
});
