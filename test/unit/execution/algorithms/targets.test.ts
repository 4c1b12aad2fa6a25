import { describe, expect, test } from 'vitest';
import { createMarket } from '../../../../src/domain/market.ts';
import { noTradeBand } from '../../../../src/engine/algorithms/targets.ts';
import { parseMarket } from '../../../../src/exchange/market-names.ts';
import { refusalOf } from './algorithm-table.ts';

const marketOf = (symbol: string) =>
  createMarket({ market: parseMarket(symbol), priceStep: '1', amountStep: '0.001' });

describe('a set of shares', () => {
  test.each<[Readonly<Record<string, string>>, string]>([
    [{}, 'expected shares of 1 to 100 markets, was 0'],
    [{ BTCIRT: '0.5', ETHIRT: '0.5' }, 'taken'],
    [
      { BTCIRT: '0.5', ETHIRT: '0.5000000001' },
      'expected shares of at most 1 together, was 1.0000000001: BTCIRT 0.5, ETHIRT 0.5000000001',
    ],
    [
      { BTCIRT: '0.5', BTCUSDT: '0.1' },
      'expected markets of one quote currency, were BTCIRT, BTCUSDT: say one set for each, with its part of the equity',
    ],
  ])('%j is taken or refused with the numbers', (shares, reason) => {
    const [market = ''] = Object.keys(shares);
    expect(refusalOf({ kind: 'targets', market, shares }, { marketOf })).toBe(reason);
  });

  test('has a band that costs widen by their cube root, widest at a half and nothing at the ends', () => {
    // (1.5 x 0.0025 x 0.0625)^(1/3)
    expect(noTradeBand(0.5, 0.0025)).toBeCloseTo(0.061_655, 6);
    expect(noTradeBand(0.5, 0.02) / noTradeBand(0.5, 0.0025)).toBeCloseTo(2, 12);
    expect(noTradeBand(0.2, 0.0025)).toBeCloseTo(noTradeBand(0.8, 0.0025), 12);
    expect([noTradeBand(0, 0.01), noTradeBand(1, 0.01), noTradeBand(0.5, 0)]).toEqual([0, 0, 0]);
  });
});
