import { parseMarket } from './market-symbol.ts';
import type { VenueCall, VenueCallKind } from './venue-call.ts';

/** Calls that anybody may make: they tell of markets, and of nobody's account. */
export const MARKET_CALLS: ReadonlySet<VenueCallKind> = new Set([
  'book',
  'books',
  'stats',
  'public-trades',
  'candles',
  'options',
]);

/** The question for the statistics of some markets. Others whose currencies are all among theirs are answered too. Throws `INVALID_MARKET`. */
export function statsCall(markets: readonly string[]): Extract<VenueCall, { kind: 'stats' }> {
  const names = markets.map((market) => parseMarket(market));
  return {
    kind: 'stats',
    base: [...new Set(names.map(({ base }) => base))],
    quote: [...new Set(names.map(({ quote }) => quote))],
  };
}
