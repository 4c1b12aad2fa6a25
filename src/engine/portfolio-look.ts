import { present } from '../domain/invariant.ts';
import type { Currency } from '../domain/market-symbol.ts';
import type { PortfolioLook } from '../execution/algorithms/algorithm-step.ts';
import type { MarketDataCache } from './market-data-cache.ts';
import type { Reservations } from './reservations.ts';
import type { StrategyInstance } from './strategy-instance.ts';

/** What an algorithm of several markets sees of them, and of the money for them. */
export function portfolioLook(
  { instance, intentId }: { readonly instance: StrategyInstance; readonly intentId: string },
  of: {
    readonly markets: MarketDataCache;
    readonly reservations: Reservations;
    readonly quote: Currency;
  },
): PortfolioLook {
  const { markets, reservations, quote } = of;
  return {
    of: (symbol) => {
      const { market } = present(markets.get(symbol), () => `the market ${symbol} of a portfolio`);
      return { market, book: markets.seenBook(symbol), position: instance.held(market.base) };
    },
    spendable: () => reservations.spendable(instance, quote, intentId),
  };
}
