import { parseMarket, type QuoteCurrency } from '../domain/market-symbol.ts';

/**
 * The two currencies of a market by its symbol, as `free` spells them: `BTCIRT` is `btc` priced in `rls`.
 * Throws `INVALID_MARKET` for no market.
 */
export function currenciesOf(market: string): { readonly base: string; readonly quote: QuoteCurrency } {
  const { base, quote } = parseMarket(market);
  return { base, quote };
}
