import { formatUnits, UNITS_PER_ONE } from '../../domain/money.ts';
import { divideUp } from '../../domain/rounding.ts';
import { sumLive, withWanted } from './live-sums.ts';
import { onlyReduces } from './only-reduces.ts';
import type { RiskCheck } from './risk-check.ts';
import { sayAmount, sayValue } from './say-units.ts';
import { worstLong, worstShort } from './worst-exposure.ts';

/**
 * The value that all strategies together would have in the order's market, long or short, if it and all live orders of its side traded and none of the
 * other side did, before fees. Without any price to value it with the order is refused. An order that only reduces its strategy's position passes.
 */
export const checkMarketExposure: RiskCheck = (view, { maxMarketExposure }) => {
  const { market, side, amount } = view.order;
  const limit = maxMarketExposure?.[market.quote] ?? null;
  if (limit === null) return null;
  const held = view.holdings.get(market.symbol) ?? { position: view.position, price: null };
  const sums = withWanted(sumLive(view.liveOrders, market.symbol), view);
  const worst = side === 'buy' ? worstLong(held, sums) : worstShort(held, sums);
  if ((worst !== null && worst <= limit * UNITS_PER_ONE) || onlyReduces(view)) return null;
  const exposure = worst === null ? null : divideUp(worst, UNITS_PER_ONE);
  const makes =
    exposure === null
      ? `has no price to be valued with`
      : `would make an exposure of ${sayValue(exposure, market.quote)} in ${market.symbol}`;
  return {
    check: 'market-exposure',
    reason: `the order of ${sayAmount(amount, market)} ${makes}, and the limit is ${sayValue(limit, market.quote)}`,
    numbers: {
      amount: formatUnits(amount),
      position: formatUnits(held.position),
      exposure: exposure === null ? null : formatUnits(exposure),
      limit: formatUnits(limit),
    },
  };
};
