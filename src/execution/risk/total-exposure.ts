import type { QuoteCurrency } from '../../domain/market-symbol.ts';
import { parseMarket } from '../../domain/market-symbol.ts';
import { formatUnits, NO_UNITS, UNITS_PER_ONE } from '../../domain/money.ts';
import { divideUp } from '../../domain/rounding.ts';
import { NO_LIVE_ORDERS, sumLiveByMarket, withWanted, type LiveSums } from './live-sums.ts';
import { onlyReduces } from './only-reduces.ts';
import type { RiskCheck } from './risk-check.ts';
import type { RiskRefusal, RiskView } from './risk-view.ts';
import { sayAmount, sayValue } from './say-units.ts';
import { worstExposure, type HeldPosition } from './worst-exposure.ts';

/**
 * The value that all strategies together would have in all markets of the order's quote currency, each market at its worse side as `market-exposure`
 * has it, before fees. An order that makes its own market's worst no worse passes, as does one that only reduces its strategy's position. Where a market
 * with a holding or live orders has no price, nothing else passes: a limit that can not be checked does not hold.
 */
export const checkTotalExposure: RiskCheck = (view, { maxTotalExposure }) => {
  const { market } = view.order;
  const limit = maxTotalExposure?.[market.quote] ?? null;
  if (limit === null) return null;
  const live = sumLiveByMarket(view.liveOrders);
  const held = view.holdings.get(market.symbol) ?? { position: view.position, price: null };
  const before = live.get(market.symbol) ?? NO_LIVE_ORDERS;
  const after = withWanted(before, view);
  const worstBefore = worstExposure(held, before);
  const worstAfter = worstExposure(held, after);
  if (worstBefore !== null && worstAfter !== null && worstAfter <= worstBefore) return null;
  live.set(market.symbol, after);
  const total = worstOfAll(view, market.quote, live);
  if ((total.unpriced === null && total.sum <= limit * UNITS_PER_ONE) || onlyReduces(view)) return null;
  return refusal(view, { ...total, limit });
};

interface Total {
  /** At twenty decimals. */
  readonly sum: bigint;
  /** A market that has no price to be valued with. */
  readonly unpriced: string | null;
}

function worstOfAll(view: RiskView, quote: QuoteCurrency, live: ReadonlyMap<string, LiveSums>): Total {
  let sum = 0n;
  let unpriced: string | null = null;
  const count = (symbol: string, held: HeldPosition): void => {
    const worst = worstExposure(held, live.get(symbol) ?? NO_LIVE_ORDERS);
    if (worst === null) unpriced = symbol;
    else sum += worst;
  };
  for (const [symbol, holding] of view.holdings) {
    if (holding.market.quote === quote) count(symbol, holding);
  }
  for (const symbol of live.keys()) {
    if (view.holdings.has(symbol)) continue;
    if (symbol === view.order.market.symbol) count(symbol, { position: view.position, price: null });
    else if (parseMarket(symbol).quote === quote) count(symbol, { position: NO_UNITS, price: null });
  }
  return { sum, unpriced };
}

function refusal(view: RiskView, { sum, unpriced, limit }: Total & { readonly limit: bigint }): RiskRefusal {
  const { market, amount } = view.order;
  const exposure = divideUp(sum, UNITS_PER_ONE);
  return {
    check: 'total-exposure',
    reason:
      unpriced === null
        ? `the order of ${sayAmount(amount, market)} would make an exposure of ${sayValue(exposure, market.quote)} in all, above the limit of ${sayValue(limit, market.quote)}`
        : `${unpriced} has no price to be valued with, and all exposure may be at most ${sayValue(limit, market.quote)}`,
    numbers: {
      amount: formatUnits(amount),
      exposure: unpriced === null ? formatUnits(exposure) : null,
      limit: formatUnits(limit),
    },
  };
}
