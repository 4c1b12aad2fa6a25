import { present } from '../../domain/invariant.ts';
import type { Currency } from '../../domain/market-symbol.ts';
import type { PortfolioLook } from '../algorithms/algorithm-step.ts';
import type { MarketDataCache } from '../feeds/market-data-cache.ts';
import type { OwnExits } from '../orders/own-exits.ts';
import type { Reservations } from '../risk/reservations.ts';
import type { StrategyInstance } from '../strategy-instance.ts';

/** Returns the view that an algorithm of several markets has of them, and of the money for them. */
export function portfolioLook(
  { instance, intentId }: { readonly instance: StrategyInstance; readonly intentId: string },
  of: {
    readonly markets: MarketDataCache;
    readonly reservations: Reservations;
    readonly quote: Currency;
    readonly exits: OwnExits;
  },
): PortfolioLook {
  const { markets, reservations, quote, exits } = of;
  return {
    of: (symbol) => {
      const { market } = present(markets.get(symbol), () => `the market ${symbol} of a portfolio`);
      const { base } = market;
      const inExits = exits.heldOf(instance, base);
      return { market, book: markets.seenBook(symbol), position: instance.position(base), inExits };
    },
    spendable: () => reservations.spendable(instance, quote, intentId),
  };
}
