import { SarrafError } from '../domain/errors.ts';
import type { Market } from '../domain/market.ts';
import type { Currency } from '../domain/market-symbol.ts';
import type { Units } from '../domain/money.ts';
import { pathOf } from '../portfolio/holding.ts';
import { MARKET_NAMES } from '../exchange/market-names.ts';

/**
 * The currency of a run's results: the one that was asked for, else rial where any market is priced in it,
 * else tether.
 */
export function runCurrency(
  markets: readonly Pick<Market, 'quote'>[],
  wanted: Currency | null = null,
): Currency {
  const { bridge } = MARKET_NAMES;
  return wanted ?? (markets.some(({ quote }) => quote === bridge.quote) ? bridge.quote : bridge.base);
}

/**
 * Returns true if a run of these markets needs the market of tether in rial, so that all money of its results
 * is in one currency.
 */
export function needsBridge(markets: readonly Pick<Market, 'quote'>[], wanted: Currency | null): boolean {
  const quotes = new Set(markets.map(({ quote }) => quote));
  return quotes.size > 1 || (wanted !== null && !quotes.has(wanted));
}

/**
 * Throws `INVALID_OPTIONS` where something that the run can trade has no way to the currency of its results.
 */
export function refuseUnvalued(markets: readonly Market[], quote: Currency): void {
  const symbols = new Set<string>(markets.map(({ symbol }) => symbol));
  const priceOf = (symbol: string): Units | null => (symbols.has(symbol) ? (1n as Units) : null);
  const unvalued = [...new Set(markets.flatMap(({ base, quote }) => [base, quote]))].filter(
    (currency) => pathOf(quote, currency, { marketNames: MARKET_NAMES, priceOf }) === null,
  );
  if (unvalued.length === 0) return;
  throw new SarrafError(
    'INVALID_OPTIONS',
    `expected markets that value everything in ${quote}, were ${[...symbols].join(', ')}, which do not say what ${unvalued.join(' and ')} is worth: add candles of ${MARKET_NAMES.bridge.market}`,
  );
}
