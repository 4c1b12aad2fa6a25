import { describe, expect, test } from 'vitest';
import { generateBars, runOnBooks, runStrategy } from '#testing';
import grid from '../../strategies/grid.ts';
import { expectSameAfterRestarts } from './claims.ts';

/** Params of a grid with the prices 98, 99, 100, 101 and 102. */
const params = { low: 98, high: 102, levels: 5, equityShare: 0.1 };

describe('grid', () => {
  test('buys at each price below the market, and sells what it got one price higher', () => {
    const { orders, fills } = runStrategy(grid, {
      params,
      bars: [100.5, 100.5, 98.5, 98.5, 101.5],
    });
    const [first, second, third] = orders;
    expect([first?.price, second?.price, third?.price]).toEqual([100, 99, 98]);
    const traded = fills.map(({ side, price }) => `${side} ${price}`);
    expect(traded.toSorted()).toEqual(['buy 100', 'buy 99', 'sell 100', 'sell 101']);
  });

  test('rests on books as on bars', async () => {
    const books = [100, 99.5, 99, 99.5, 100.5].map((price) => ({ bid: price - 0.01, ask: price + 0.01 }));
    const { fills } = await runOnBooks(grid, { books });
    expect(fills.map(({ side }) => side)).toEqual(['buy', 'buy', 'sell', 'sell']);
  });

  test('goes on after a restart', () => {
    const bars = [100.5, 100.5, 98.5, 98.5, 101.5, 99.5, 100.5, 97, 99.5, 102.5];
    expectSameAfterRestarts(grid, { params, bars });
  });

  test('wins while the price comes back, and holds all that it bought where it falls through', () => {
    const sideways = runStrategy(grid, {
      bars: generateBars({ count: 600, seed: 4 }),
      fee: 0.0005,
    });
    expect(sideways.equity).toBeGreaterThan(10_000);
    const bars = generateBars({ count: 600, seed: 4, trend: -0.15 });
    const falling = runStrategy(grid, { bars, fee: 0.0005 });
    expect(falling.refusals).toEqual([]);
    expect(falling.equity).toBeLessThan(9_500);
    const waiting = falling.orders.filter(({ side, state }) => side === 'sell' && state === 'open');
    expect(waiting.length).toBeGreaterThan(3);
    expect(falling.fills.at(-1)?.side).toBe('buy');
  });
});
