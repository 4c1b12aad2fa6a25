import type { Market } from '../domain/market.ts';
import type { MarketName } from '../domain/market-symbol.ts';
import { marketOfCurrencies } from '../exchange/market-names.ts';

const NAMES = new WeakMap<Market, MarketName>();

/**
 * The name of a market without its steps, as records carry it: they are written as JSON, which has no bigint.
 */
export function nameOfMarket(market: Market): MarketName {
  const known = NAMES.get(market);
  if (known !== undefined) return known;
  const name = marketOfCurrencies(market.base, market.quote);
  NAMES.set(market, name);
  return name;
}
