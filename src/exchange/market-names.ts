import { createMarketNames } from '../domain/market-symbol.ts';

/**
 * Market names of the interface. There are two quote currencies, rial (not toman) and tether, and they meet
 * in `USDTIRT`. Source: the interface specification, "Spot trading".
 */
const QUOTES = [
  { currency: 'rls', name: 'rial', ending: 'IRT', decimals: 0 },
  { currency: 'usdt', name: 'tether', ending: 'USDT', decimals: 2 },
] as const;

/** The currencies that its markets are priced in. */
export type QuoteCurrency = (typeof QUOTES)[number]['currency'];

export const MARKET_NAMES = createMarketNames(QUOTES);

export const { parseMarket, marketOfCurrencies, decimalsOf } = MARKET_NAMES;
