import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { defineStrategy, sma } from '#sdk';
import { generateBars, runStrategy, type GeneratedBars } from '#testing';
import maCross from '../../../strategies/ma-cross.ts';

/** Buys for a twentieth of its equity after a fall, and sells one percent higher. */
const dips = defineStrategy({
  name: 'dips',
  params: z.strictObject({ share: z.number().default(0.05) }),
  state: z.strictObject({ last: z.number().nullable().default(null) }),
  data: ({ market, timeframe }) => ({ bars: market.candles(timeframe) }),
  on: {
    bars({ state, setState, params, buy, log }, { close }) {
      setState({ last: close });
      if (state.last === null || close >= state.last) return;
      log('a dip');
      buy({ equityShare: params.share, tag: 'dip' });
    },
    fill({ sell }, { side, price, amount }) {
      if (side === 'buy') sell({ amount, price: price * 1.01 });
    },
  },
});

test('each bundled strategy is under 50 lines, code and comments', () => {
  const lengths = readdirSync('strategies').map((file) => [
    file,
    readFileSync(`strategies/${file}`, 'utf8').split('\n').length - 1,
  ]);
  expect(lengths).toHaveLength(10);
  expect(lengths.filter(([, lines]) => Number(lines) > 49)).toEqual([]);
});

test('ma-cross buys when the fast average rises above the slow one, and sells when it falls below', () => {
  const { fills } = runStrategy(maCross, { bars: [100, 100, 100, 100, 110, 120, 90, 80, 80] });
  expect(fills.map(({ side }) => side)).toEqual(['buy', 'sell']);
});

test('a share of the equity buys for it at the best price, and a limit order waits for its own', () => {
  const run = runStrategy(dips, { bars: [100, 98, 98, { close: 98, high: 99.5 }] });
  expect(run.orders).toMatchObject([
    { side: 'buy', execution: 'market', state: 'filled', tag: 'dip' },
    { side: 'sell', execution: 'limit', state: 'filled' },
  ]);
  const [bought, sold] = run.fills;
  expect((bought?.amount ?? 0) * (bought?.price ?? 0)).toBeCloseTo(500, 0);
  expect((sold?.price ?? 0) / (bought?.price ?? 1)).toBeCloseTo(1.01, 3);
  expect(run).toMatchObject({ log: ['a dip'], state: { last: 98 }, refusals: [] });
  expect(run.equity).toBeGreaterThan(10_000);
});

test('a value in the quote currency buys for it, in rial as in tether', () => {
  const once = defineStrategy({
    name: 'once',
    params: z.strictObject({}),
    state: z.strictObject({ isDone: z.boolean().default(false) }),
    data: ({ market, timeframe }) => ({ bars: market.candles(timeframe) }),
    on: {
      bars({ state, setState, buy }, { close }) {
        if (!state.isDone) buy({ value: 50_000_000, price: close });
        setState({ isDone: true });
      },
    },
  });
  const script = { market: 'BTCIRT', priceStep: 10, bars: [12_600_000_000, 12_600_000_000, 12_500_000_000] };
  const { fills } = runStrategy(once, { ...script, balances: { rls: 1_000_000_000 } });
  expect(fills).toMatchObject([{ amount: 0.003968 }]);
});

test('a refusal is reported with its code, and what a handler throws ends the test', () => {
  const poor = runStrategy(dips, { bars: [100, 90], params: { share: 0.000_000_001 } });
  expect(poor.refusals).toEqual([expect.stringMatching(/^fit: expected an amount of at least one step/)]);
  const broken = defineStrategy({
    name: 'broken',
    params: z.strictObject({}),
    data: ({ market, timeframe }) => ({ bars: market.candles(timeframe) }),
    on: { bars: ({ buy }) => buy({ amount: Number.NaN }) },
  });
  expect(() => runStrategy(broken, { bars: [100] })).toThrow(
    'broken: on.bars: ctx.buy.amount: expected a positive',
  );
  expect(() => runStrategy(dips, { bars: [100, -1] })).toThrow('bars.1: expected prices above 0');
});

test('a restart gives back the state, the position and the orders, and nothing that lay beside them', () => {
  let starts = 0;
  const holder = defineStrategy({
    name: 'holder',
    state: z.strictObject({ bars: z.int().default(0) }),
    data: ({ market, timeframe }) => ({ bars: market.candles(timeframe) }),
    indicators: ({ bars }) => ({ mean: sma(bars, 2) }),
    on: {
      start({ log, position, orders, indicators }, { isRestart }) {
        starts += 1;
        log(
          `${isRestart ? 'restart' : 'start'} with ${position} and ${orders.length}, mean ${indicators.mean}`,
        );
      },
      bars({ state, setState, position, buy, sell, orders }, { close }) {
        setState({ bars: state.bars + 1 });
        if (position === 0) buy({ amount: 1 });
        else if (orders.length === 0) sell({ amount: position, price: close * 1.1 });
      },
    },
  });
  const { log, state, orders } = runStrategy(holder, {
    bars: [100, 102, 104, 106, 108, 110],
    past: 2,
    restartAfter: [2, 3],
  });
  expect(starts).toBe(3);
  expect(log).toEqual([
    'start with 0 and 0, mean 101',
    'restart with 1 and 1, mean 105',
    'restart with 1 and 1, mean 107',
  ]);
  expect(state).toEqual({ bars: 4 });
  expect(orders.map(({ side, state: is }) => `${side} ${is}`)).toEqual(['buy filled', 'sell open']);
});

const closes = (options: GeneratedBars): readonly number[] =>
  generateBars(options).map((bar) => (typeof bar === 'number' ? bar : bar.close));

test('generated bars are the same for a seed, and go where they are told', () => {
  expect(closes({ count: 50, seed: 1 })).toEqual(closes({ count: 50, seed: 1 }));
  expect(closes({ count: 50, seed: 1 })).not.toEqual(closes({ count: 50, seed: 2 }));
  expect(closes({ count: 100, seed: 1, trend: -0.5 }).at(-1)).toBeLessThan(65);
  expect(Math.max(...closes({ count: 100, seed: 1, wave: { percent: 20, bars: 50 } }))).toBeGreaterThan(115);
  expect(Math.abs((closes({ count: 500, seed: 3 }).at(-1) ?? 0) - 100)).toBeLessThan(3);
});

test('a share of the volume lets an order fill over several bars, in each of several markets', () => {
  const both = defineStrategy({
    name: 'both',
    data: ({ market, markets, timeframe }) => ({
      bars: market.candles(timeframe),
      other: markets.of('ETHUSDT').candles(timeframe),
    }),
    on: {
      bars({ orders, position, buy }) {
        if (position === 0 && orders.length === 0) buy({ amount: 3, price: 101 });
      },
      other({ markets, orders }) {
        const ether = markets.of('ETHUSDT');
        if (ether.position === 0 && orders.length < 2) ether.buy({ amount: 2, price: 11 });
      },
    },
  });
  const bars = Array.from({ length: 6 }, () => ({ close: 100, volume: 10 }));
  const { fills } = runStrategy(both, {
    bars,
    others: [{ market: 'ETHUSDT', bars: [10, 10, 10, 10, 10, 10] }],
    volumeShare: 10,
  });
  const amounts = (market: string): readonly number[] =>
    fills.flatMap((fill) => (fill.market === market ? [fill.amount] : []));
  expect(amounts('BTCUSDT')).toEqual([1, 1, 1]);
  expect(amounts('ETHUSDT')).toEqual([2]);
});
