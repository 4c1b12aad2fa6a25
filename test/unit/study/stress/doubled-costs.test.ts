import { expect, test } from 'vitest';
import { barRulesOf, pollRulesOf } from '../../../../src/backtest/run-setup.ts';
import { createPollRules } from '../../../../src/venues/poll-rules.ts';
import { doubledCosts, paidCosts, type RunCosts } from '../../../../src/study/stress/stress-runs.ts';
import { COSTS } from '../../../../src/study/stress/stress-task.ts';
import { inEnglish } from '../in-english.ts';

const fees = { rls: { maker: 2_000, taker: 2_500 }, usdt: { maker: 1_000, taker: 1_000 } };
const onBars = (options: Parameters<typeof barRulesOf>[0]): RunCosts['fill'] => ({
  fidelity: 'candles',
  rules: barRulesOf(options),
});
const onBooks = (latency: number): RunCosts['fill'] => ({
  fidelity: 'poll',
  rules: createPollRules(pollRulesOf({ latency })),
});
const options = { spreadBps: 2, slippageBps: 1.5 };
const fill = onBars(options);

test('a cost that is doubled is twice as high, and the others are as they were', () => {
  const twice = { rls: { maker: 4_000, taker: 5_000 }, usdt: { maker: 2_000, taker: 2_000 } };
  expect(doubledCosts({ fees, fill }, ['fees'])).toEqual({ fees: twice, fill });
  expect(doubledCosts({ fees, fill }, ['spread'])).toEqual({
    fees,
    fill: onBars({ ...options, spreadBps: 4 }),
  });
  expect(doubledCosts({ fees, fill }, ['slippage']).fill).toEqual(onBars({ ...options, slippageBps: 3 }));
  expect(doubledCosts({ fees, fill: onBars({ slippageRange: 4 }) }, COSTS)).toEqual({
    fees: twice,
    fill: onBars({ slippageRange: 8 }),
  });
  expect(doubledCosts({ fees, fill }, [])).toEqual({ fees, fill });
});

test('on recorded books latency is a cost, and what the books say is none', () => {
  expect(doubledCosts({ fees, fill: onBooks(40) }, COSTS).fill).toEqual(onBooks(80));
  expect(doubledCosts({ fees, fill: onBooks(40) }, ['fees']).fill).toEqual(onBooks(40));
  expect(inEnglish(paidCosts({ fees, fill: onBooks(40) }, ['usdt']))).toEqual([
    { cost: 'fees', from: '0.1 %', to: '0.2 %' },
    { cost: 'latency', from: '40 ms out and 40 ms back', to: '80 ms out and 80 ms back' },
  ]);
  expect(inEnglish(paidCosts({ fees, fill: onBooks(0) }, ['usdt']))).toHaveLength(1);
});

test('costs are said as people write them, and those that are 0 are none', () => {
  expect(inEnglish(paidCosts({ fees, fill }, ['usdt']))).toEqual([
    { cost: 'fees', from: '0.1 %', to: '0.2 %' },
    { cost: 'spread', from: '2 bps', to: '4 bps' },
    { cost: 'slippage', from: '1.5 bps', to: '3 bps' },
  ]);
  const ofRange = onBars({ slippageRange: 4 });
  expect(inEnglish(paidCosts({ fees, fill: ofRange }, ['usdt', 'rls']))).toEqual([
    { cost: 'fees', from: '0.1 %, 0.2 % and 0.25 %', to: '0.2 %, 0.4 % and 0.5 %' },
    { cost: 'slippage', from: '4 % of the range', to: '8 % of the range' },
  ]);
  const free = { rls: { maker: 0, taker: 0 }, usdt: { maker: 0, taker: 0 } };
  expect(inEnglish(paidCosts({ fees: free, fill: onBars({}) }, ['usdt']))).toEqual([]);
});
