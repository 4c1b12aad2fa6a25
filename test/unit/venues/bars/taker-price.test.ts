import { describe, expect, test } from 'vitest';
import { createBarRules } from '../../../../src/venues/bar-rules.ts';
import { takerCostsOf, takerPrice } from '../../../../src/venues/bars/fill-bar.ts';
import { createMarket } from '../../../../src/domain/market.ts';
import type { Side } from '../../../../src/domain/order.ts';
import { parseMarket } from '../../../../src/exchange/market-names.ts';

/** A step is the smallest unit of money there is. */
const FINEST = createMarket({ market: parseMarket('SHIBUSDT'), priceStep: '0.0000000001', amountStep: '1' });

describe('the price of what takes', () => {
  test.each<readonly [Side, number]>([
    // Half of the spread is 2.5 units of the price, slippage 2.5 of the range: together 5, and not 3 and 3.
    ['buy', 250_005],
    ['sell', 249_995],
  ])('of a %s is rounded once, by spread and slippage together', (side, price) => {
    const costs = takerCostsOf(
      createBarRules({ spreadBps: 0.2, slippage: { kind: 'range', millionths: 250_000 } }),
    );
    expect(takerPrice({ market: FINEST, side, at: 250_000n, range: 10n, costs })).toBe(price);
  });
});
