import { expect, test } from 'vitest';
import { barRulesOf } from '../../../../src/backtest/setup/bar-rules-of.ts';
import { doubledCosts, paidCosts } from '../../../../src/study/stress/doubled-costs.ts';
import { COSTS } from '../../../../src/study/stress/stress-task.ts';

const fees = { rls: { maker: 2_000, taker: 2_500 }, usdt: { maker: 1_000, taker: 1_000 } };
const rules = barRulesOf({ spreadBps: 2, slippageBps: 1.5 });

test('a cost that is doubled is twice as high, and the others are as they were', () => {
  const twice = { rls: { maker: 4_000, taker: 5_000 }, usdt: { maker: 2_000, taker: 2_000 } };
  expect(doubledCosts({ fees, rules }, ['fees'])).toEqual({ fees: twice, rules });
  expect(doubledCosts({ fees, rules }, ['spread'])).toEqual({ fees, rules: { ...rules, spreadBps: 4 } });
  expect(doubledCosts({ fees, rules }, ['slippage']).rules.slippage).toEqual({ kind: 'bps', bps: 3 });
  const ofRange = barRulesOf({ slippageRange: 4 });
  expect(doubledCosts({ fees, rules: ofRange }, COSTS)).toEqual({
    fees: twice,
    rules: { ...ofRange, slippage: { kind: 'range', millionths: 80_000 } },
  });
  expect(doubledCosts({ fees, rules }, [])).toEqual({ fees, rules });
});

test('costs are said as people write them, and those that are 0 are none', () => {
  expect(paidCosts({ fees, rules }, ['usdt'])).toEqual([
    { cost: 'fees', from: '0.1 %', to: '0.2 %' },
    { cost: 'spread', from: '2 bps', to: '4 bps' },
    { cost: 'slippage', from: '1.5 bps', to: '3 bps' },
  ]);
  const ofRange = barRulesOf({ slippageRange: 4 });
  expect(paidCosts({ fees, rules: ofRange }, ['usdt', 'rls'])).toEqual([
    { cost: 'fees', from: '0.1 %, 0.2 % and 0.25 %', to: '0.2 %, 0.4 % and 0.5 %' },
    { cost: 'slippage', from: '4 % of the range', to: '8 % of the range' },
  ]);
  const free = { rls: { maker: 0, taker: 0 }, usdt: { maker: 0, taker: 0 } };
  expect(paidCosts({ fees: free, rules: barRulesOf({}) }, ['usdt'])).toEqual([]);
});
