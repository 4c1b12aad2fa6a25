import { describe, expect, test } from 'vitest';
import { formatUnits, parseUnits } from '../../../src/domain/money.ts';
import { StrategyAccount, type AccountedFill } from '../../../src/portfolio/strategy-account.ts';

const fill = (side: 'buy' | 'sell', amount: string, total: string, fee: string): AccountedFill => ({
  side,
  amount: parseUnits(amount),
  total: parseUnits(total),
  fee: parseUnits(fee),
});

describe('the account of a strategy', () => {
  test('takes the fee of a buy from what it bought, and of a sale from what it received', () => {
    const account = new StrategyAccount();
    account.apply(fill('buy', '0.000001', '12600.0000000001', '0.0000000025'));
    expect([formatUnits(account.position), formatUnits(account.cash)]).toEqual(['0.0000009975', '-12600.0000000001']);
    account.apply(fill('sell', '0.0000005', '6300', '15.75'));
    expect([formatUnits(account.position), formatUnits(account.cash)]).toEqual(['0.0000004975', '-6315.7500000001']);
    expect([formatUnits(account.sourceFees), formatUnits(account.quoteFees), account.fills]).toEqual([
      '0.0000000025',
      '15.75',
      2,
    ]);
  });

  test('has made what its position is worth and what flowed', () => {
    const account = new StrategyAccount();
    account.apply(fill('buy', '2', '25200000000', '0'));
    expect(formatUnits(account.profitAt(parseUnits('12700000000')))).toBe('200000000');
    account.apply(fill('sell', '3', '38100000000', '0'));
    expect(formatUnits(account.profitAt(parseUnits('12700000000')))).toBe('200000000');
    expect(formatUnits(account.position)).toBe('-1');
  });
});
