import { describe, expect, test } from 'vitest';
import { budgetTable } from '../../../src/exchange/client-options.ts';

const limitsOf = (headroom?: number) => {
  const limits = {
    'orders/list': { limit: 50, windowMs: 60_000 },
    'v2/wallets': { limit: 1, windowMs: 60_000 },
  };
  const table = budgetTable(limits, headroom);
  return ['orders/list', 'v2/wallets', 'orders/add', 'users/markets/favorite'].map(
    (name) => table.get(name)?.limit,
  );
};

describe('the headroom of budgets', () => {
  test('leaves 98 % of each limit by default, rounded down and never below one', () => {
    expect(limitsOf()).toEqual([49, 1, 294, 5]);
  });

  test('can be another, or none', () => {
    expect(limitsOf(0)).toEqual([50, 1, 300, 6]);
    expect(limitsOf(0.5)).toEqual([25, 1, 150, 3]);
  });

  test.each([-0.01, 1, Number.NaN])('refuses %s', (headroom) => {
    expect(() => budgetTable({}, headroom)).toThrow(/expected a headroom from 0 to below 1/);
  });
});
