import { expect, test } from 'vitest';
import type { RoundTrip } from '../../../../src/portfolio/round-trips.ts';
import { parseUnits } from '../../../../src/domain/money.ts';
import { heldPositions, COSTS } from '../../../../src/study/stress/stress-task.ts';
import { FROM_MS, TETHER, walkOf } from '../../backtest/candle-run.ts';
import { tradeChanges } from '../../../../src/study/stress/stress-run.ts';
import { barRulesOf, pollRulesOf } from '../../../../src/backtest/run-setup.ts';
import { createPollRules } from '../../../../src/venues/fill-rules.ts';
import { doubledCosts, paidCosts, type RunCosts } from '../../../../src/study/stress/stress-runs.ts';
import { inEnglish } from '../in-english.ts';

const HOUR_MS = 3_600_000;
const NONE = parseUnits('0');
const bars = walkOf(TETHER, { bars: 20, seed: 1, price: 500 });
/** Equity of 1,000 to the end of hour 9, and of 2,000 from then on. */
const curve = {
  length: 20,
  timeMs: bars.openTimeMs.map((openMs) => openMs + HOUR_MS),
  equity: bars.openTimeMs.map((_, bar) => (bar < 9 ? 1_000 : 2_000)),
};

/** Makes a trip that is bought and sold at hours of the range; null: never sold. */
const trip = (from: number, to: number | null, cost: string): RoundTrip => ({
  number: 1,
  market: 'BTCUSDT',
  strategy: 'told',
  entryOrder: null,
  exitOrder: null,
  openedAtMs: FROM_MS + from * HOUR_MS,
  closedAtMs: to === null ? null : FROM_MS + to * HOUR_MS,
  amount: NONE,
  entryPrice: NONE,
  exitPrice: NONE,
  cost: parseUnits(cost),
  proceeds: NONE,
  fees: NONE,
  profit: NONE,
  isOpen: to === null,
  isOfMoney: false,
  hasUnvaluedFee: false,
});

const held = (trips: readonly RoundTrip[]) =>
  heldPositions(trips, { bars: [bars], curve, initialEquity: parseUnits('800') });

test('a position is held from bar to bar, with a share of what there was as it began', () => {
  const trips = [trip(0, 2, '400'), trip(3, 7, '250'), trip(12, null, '500')];
  expect(held(trips)).toEqual([
    {
      market: 'BTCUSDT',
      positions: [
        { heldBars: 2, share: 0.5 },
        { heldBars: 4, share: 0.25 },
        { heldBars: 8, share: 0.25 },
      ],
    },
  ]);
});

test('trips that overlap are one position, with what was invested on the mean', () => {
  // 300 for 4 bars and 100 for 4 bars, on the mean of the 6 bars from hour 3 to 8, with an equity of 1,000.
  expect(held([trip(3, 7, '300'), trip(5, 9, '100')])[0]?.positions).toEqual([
    { heldBars: 6, share: 1_600 / 6 / 1_000 },
  ]);
  // A trip that begins right when another ends is a position of its own.
  expect(held([trip(3, 5, '300'), trip(5, 9, '100')])[0]?.positions.map(({ heldBars }) => heldBars)).toEqual([
    2, 4,
  ]);
});

test('what is bought and sold within one bar is held for one, and a share is at most all', () => {
  expect(held([trip(4, 4, '9000')])[0]?.positions).toEqual([{ heldBars: 1, share: 1 }]);
});

test('a market without a trade has no positions', () => {
  expect(held([])).toEqual([]);
});

/** Makes a trade that ended at an hour with a profit. */
const changedTrip = (number: number, closedAtMs: number | null, profit: string): RoundTrip => ({
  number,
  market: 'BTCUSDT',
  strategy: 'told',
  entryOrder: null,
  exitOrder: null,
  openedAtMs: 0,
  closedAtMs,
  amount: NONE,
  entryPrice: NONE,
  exitPrice: NONE,
  cost: NONE,
  proceeds: NONE,
  fees: NONE,
  profit: parseUnits(profit),
  isOpen: closedAtMs === null,
  isOfMoney: false,
  hasUnvaluedFee: false,
});

const changesOf = (trips: readonly RoundTrip[], equity = '1000'): readonly number[] =>
  tradeChanges(trips, parseUnits(equity));

test('trades change the equity that those that ended before them left, whatever their number is', () => {
  // 100 of 1,000; then -220 of 1,100; then 88 of 880. The open trade does not count.
  const trips = [
    changedTrip(1, 30, '88'),
    changedTrip(2, 10, '100'),
    changedTrip(3, 20, '-220'),
    changedTrip(4, null, '500'),
  ];
  expect(changesOf(trips)).toEqual([0.1, -0.2, 0.1]);
  expect(changesOf([])).toEqual([]);
});

test('compounded they are the initial equity with all profits', () => {
  const profits = ['12.3456789', '-45.6', '78.901', '-0.0000000001', '3'];
  const changes = changesOf(profits.map((profit, index) => changedTrip(index + 1, 10, profit)));
  const end = changes.reduce((equity, change) => equity * (1 + change), 1_000);
  const whole = profits.reduce((sum, profit) => sum + parseUnits(profit), parseUnits('1000') as bigint);
  expect(end).toBeCloseTo(Number(whole) / 1e10, 9);
});

test('nothing can not change', () => {
  expect(changesOf([changedTrip(1, 10, '-1000'), changedTrip(2, 20, '5')])).toEqual([-1, 0]);
});

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
