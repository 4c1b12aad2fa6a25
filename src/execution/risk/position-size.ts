import { formatUnits } from '../../domain/money.ts';
import { liveAmount } from './live-amounts.ts';
import { onlyReduces } from './only-reduces.ts';
import type { RiskCheck } from './risk-check.ts';
import { sayAmount } from './say-units.ts';

/**
 * The position that a strategy would have in the coin, long or short, over all its markets, if this order and all its live orders that go the same way traded
 * and none that go the other way did. Orders of unknown outcome count whole. An order that only reduces the position passes.
 */
export const checkPositionSize: RiskCheck = (view, { maxPosition }) => {
  const { order, position, liveOrders } = view;
  const { market, side, strategy, amount } = order;
  const limit = maxPosition?.[market.base];
  if (limit === undefined) return null;
  const added = liveAmount(liveOrders, { asset: market.base, side, strategy }) + amount;
  const worst = side === 'buy' ? position + added : added - position;
  if (worst <= limit || onlyReduces(view)) return null;
  return {
    check: 'position-size',
    reason: `the order of ${sayAmount(amount, market)} would make a ${side === 'buy' ? '' : 'short '}position of ${sayAmount(worst, market)}, above the limit of ${sayAmount(limit, market)}`,
    numbers: {
      amount: formatUnits(amount),
      position: formatUnits(position),
      live: formatUnits(added - amount),
      worst: formatUnits(worst),
      limit: formatUnits(limit),
    },
  };
};
