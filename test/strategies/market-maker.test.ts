import { describe, expect, test } from 'vitest';
import { generateBars, runOnBooks, runStrategy } from '#testing';
import marketMaker from '../../strategies/market-maker.ts';
import { expectSameAfterRestarts, expectSound } from './claims.ts';

const balances = { usdt: 10_000, btc: 100 };
const inventory = { btc: 100 };
const params = { spreadBps: 30, moveBps: 10 };
const still = { bid: 99, ask: 101, amount: 2 };

/** Final value beyond that of its first coins, on a market with a trend. */
function earned(trend: number): number {
  const bars = generateBars({ count: 600, seed: 4, trend });
  const run = runStrategy(marketMaker, { bars, balances, inventory, params, fee: 0.001 });
  expectSound(run, 100);
  expect(run.orders.every(({ execution }) => execution === 'limit')).toBe(true);
  const last = bars.at(-1);
  const close = typeof last === 'object' ? last.close : 0;
  return run.equity - (10_000 + 100 * close);
}

describe('market-maker', () => {
  test('rests on both sides within the spread', async () => {
    const { orders, fills } = await runOnBooks(marketMaker, {
      books: [still, still],
      balances,
      inventory,
      params,
    });
    expect(orders).toMatchObject([
      { side: 'buy', execution: 'limit', price: 99.7, state: 'open' },
      { side: 'sell', execution: 'limit', price: 100.3, state: 'open' },
    ]);
    expect(fills).toEqual([]);
  });

  test('earns its spread when both quotes are taken, a part at a time', async () => {
    const trades = [
      { side: 'sell', price: 99.7, amount: 0.5 },
      { side: 'buy', price: 100.3, amount: 0.5 },
    ] as const;
    const script = { books: [still, { ...still, trades }, still], balances, inventory, params };
    const { orders, fills, equity } = await runOnBooks(marketMaker, script);
    expect(fills).toMatchObject([
      { side: 'buy', price: 99.7, amount: 0.5 },
      { side: 'sell', price: 100.3, amount: 0.5 },
    ]);
    expect(orders[0]?.amount).toBeGreaterThan(0.5);
    // Its coins are valued at the last trade.
    expect(equity).toBeCloseTo(10_000 + 100 * 100.3 + 0.5 * 0.6, 6);
  });

  test('goes on after a restart', () => {
    const bars = generateBars({ count: 20, seed: 3 });
    expectSameAfterRestarts(marketMaker, { bars, balances, inventory, params });
  });

  test('wins where the price comes back, and loses to holding where it runs away', () => {
    expect(earned(0)).toBeGreaterThan(0);
    expect(earned(-0.3)).toBeLessThan(0);
    expect(earned(0.3)).toBeLessThan(0);
  });
});
