import { describe, expect, test } from 'vitest';
import { summaryLines, type Summary } from '../../../src/daemon/summary.ts';

const summary: Summary = {
  strategies: [
    {
      strategy: 'ma-cross',
      market: 'BTCIRT',
      orders: 4,
      fills: 3,
      fees: { btc: '0.0000025', rls: '47250' },
      position: '0.001',
      profit: '-126000',
      failure: null,
    },
    {
      strategy: 'market-maker',
      market: 'BTCIRT',
      orders: 0,
      fills: 0,
      fees: { btc: '0', rls: '0' },
      position: '0',
      profit: null,
      failure: 'no idea',
    },
  ],
  endpoints: [{ endpoint: 'ordersList', requests: 40, most: 20, limit: 30, windowMs: 60_000 }],
  openOrders: 0,
};

describe('the summary', () => {
  test('tells orders, fills, fees and profit of each strategy, and requests against their limits', () => {
    const text = summaryLines(summary).join('\n');
    expect(text).toMatch(/ma-cross +4 +3 +-126000 rls \(fees 0.0000025 btc and 47250 rls, position 0.001\)/);
    expect(text).toMatch(/market-maker +0 +0 +- \(fees 0, position 0\) +STOPPED: no idea/);
    expect(text).toMatch(/ordersList +40 +20 \/ 30 in 60 s/);
    expect(text).toContain('No order is left open.');
  });

  test('is loud about orders that may be open', () => {
    expect(summaryLines({ ...summary, openOrders: 2 }).at(-1)).toBe('2 ORDERS ARE NOT KNOWN TO BE CLOSED.');
  });
});
