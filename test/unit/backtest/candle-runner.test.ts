import { expect, test } from 'vitest';
import { z } from 'zod';
import type { CandleRun } from '../../../src/backtest/candle-runner.ts';
import type { CandleColumns } from '../../../src/domain/candle-columns.ts';
import { formatUnits } from '../../../src/domain/money.ts';
import type { OrderRecord } from '../../../src/records/order.ts';
import { defineStrategy } from '../../../src/strategy/definition.ts';
import type { Intent } from '../../../src/strategy/intents.ts';
import { buy, twap } from '../../support/intents.ts';
import { issue } from '../../support/issue.ts';
import { runBars, TETHER, walkOf } from './candle-run.ts';
import { english } from '../../../src/language/sentence.ts';

test('a run has each order once, as it was in the end, in the order in which they were planned', () => {
  const strategy = defineStrategy({
    name: 'patient',
    params: z.strictObject({}),
    state: z.strictObject({ bars: z.int().default(0) }),
    data: ({ market }) => ({ bars: market.candles('1h') }),
    on: {
      bars({ state, setState, buy }, { close }) {
        setState({ bars: state.bars + 1 });
        if (state.bars > 0) return;
        buy({ amount: 0.001, price: 45_000, tag: 'deep' });
        buy({ amount: 0.001, price: close, tag: 'near' });
        buy({ amount: 0.001, tag: 'now' });
        buy({ amount: 0.001, stopPrice: close / 2, tag: 'late' });
      },
    },
  });
  const columns = walkOf(TETHER, { bars: 50, seed: 5, price: 60_000 });
  const { orders } = runBars({ market: TETHER, columns, strategy, cash: '10000' });
  expect(orders.map(({ tag, state }) => `${tag} ${state}`)).toEqual([
    'deep open',
    'near filled',
    'now filled',
    'late rejected',
  ]);
});

/** What a strategy that wants something with its first bar had for it. */
function wanted(intents: readonly Intent[]): readonly OrderRecord[] {
  const strategy = defineStrategy({
    name: 'once',
    params: z.strictObject({}),
    state: z.strictObject({ isDone: z.boolean().default(false) }),
    data: ({ market }) => ({ bars: market.candles('1m') }),
    on: {
      bars(ctx) {
        if (!ctx.state.isDone) issue(ctx, intents);
        ctx.setState({ isDone: true });
      },
    },
  });
  const columns = walkOf(TETHER, { bars: 5, seed: 5, price: 60_000, timeframe: '1m' });
  return runBars({ market: TETHER, columns, strategy, cash: '10000' }).orders;
}

test('a TWAP of ten equal slices in twenty seconds trades ten equal slices', () => {
  const symbol = TETHER.symbol as string;
  const orders = wanted([twap(symbol, 'buy', { amount: '0.01', overMs: 20_000, slices: 10 })]);
  expect(orders.map(({ state, filled }) => `${state} ${formatUnits(filled)}`)).toEqual(
    Array(10).fill('filled 0.001'),
  );
});

test('six identical orders are six where the strategy allows it, and else one at once', () => {
  const symbol = TETHER.symbol as string;
  const six = (wish: object) => Array.from({ length: 6 }, () => buy(symbol, { amount: '0.001', ...wish }));
  expect(wanted(six({ allowIdentical: true })).map(({ state }) => state)).toEqual(Array(6).fill('filled'));
  const held = wanted(six({}));
  expect(held.map(({ state }) => state)).toEqual(['filled', 'filled', ...Array(4).fill('rejected')]);
  expect(english(held.at(-1)?.reason ?? null)).toMatch(/^IdenticalOrder: .* it may be repeated in \d+ ms/);
});

/** Waits, trades at once, cancels, and is woken between bars; its bars alone, or longer ones beside them. */
const busy = (beside: boolean) =>
  defineStrategy({
    name: 'busy',
    state: z.strictObject({ bars: z.int().default(0) }),
    data: ({ market, timer }) => ({
      bars: market.candles('1h'),
      nightly: timer('30 3 * * *'),
      sharp: timer('0 12 * * 2'),
      ...(beside ? { days: market.candles('1d') } : {}),
    }),
    on: {
      bars({ state, setState, buy, sell, cancelAll, isTradable, position }, { close }) {
        setState({ bars: state.bars + 1 });
        const turn = state.bars % 37;
        if (turn === 5) buy({ amount: 0.01, price: Math.round(close * 0.99) });
        if (turn === 9) buy({ amount: 0.01 });
        if (turn === 20) cancelAll();
        if (turn === 30 && isTradable(position, close)) sell({ amount: position });
        if (turn === 31) buy({ amount: 1_000 });
      },
      nightly: ({ buy, log }) => {
        log('night');
        buy({ amount: 0.001 });
      },
      sharp: ({ buy }) => buy({ amount: 0.002 }),
    },
  });

const isKept = (_: number, index: number): boolean => index % 41 !== 0 && (index < 300 || index > 330);

/** A walk in which some bars are missing. */
function gappedWalk(seed: number): CandleColumns {
  const columns = walkOf(TETHER, { bars: 1_500, seed, price: 60_000 });
  const { openTimeMs, open, high, low, close, volume } = columns;
  const cells = { openTimeMs, open, high, low, close, volume };
  const entries = Object.entries(cells).map(([name, column]) => [name, column.filter(isKept)] as const);
  const left = Object.fromEntries(entries) as typeof cells;
  return { ...columns, ...left, length: left.openTimeMs.length };
}

test.each([
  [1, 'next-open'],
  [2, 'this-close'],
] as const)(
  'bars in which nothing else happens are passed as if each were gone through: walk %i, %s',
  (seed, arrival) => {
    const columns = gappedWalk(seed);
    const run = (beside: boolean): CandleRun =>
      runBars({ market: TETHER, columns, strategy: busy(beside), cash: '100000', rules: { arrival } });
    const [passed, gone] = [run(false), run(true)];
    expect(passed.failures).toEqual(new Map());
    expect(passed.fills.length).toBeGreaterThan(100);
    expect(passed).toEqual(gone);
  },
);

test('a strategy that answers each of its fills with an order that fills at once ends the run', () => {
  // Two identical orders within seconds wait for each other.
  let answers = 0;
  const other = (amount: number): number => amount + (answers += 1) / 1e6;
  const strategy = defineStrategy({
    name: 'restless',
    data: ({ market }) => ({ bars: market.candles('1h') }),
    on: {
      bars: ({ buy }) => buy({ amount: 0.01 }),
      fill: ({ buy, sell }, { side }) => {
        if (side === 'buy') sell({ amount: other(0.0098) });
        else buy({ amount: other(0.01) });
      },
    },
  });
  const columns = walkOf(TETHER, { bars: 20, seed: 3, price: 60_000 });
  const rules = { arrival: 'this-close' } as const;
  const limits = { maxOrdersPerMinute: null };
  expect(() => runBars({ market: TETHER, columns, strategy, cash: '100000', rules, limits })).toThrow(
    'expected at most 5000 requests in one moment, were more at 2024-01-01T',
  );
  expect(runBars({ market: TETHER, columns, strategy, cash: '100000', rules }).orders.length).toBeLessThan(
    1_300,
  );
});
