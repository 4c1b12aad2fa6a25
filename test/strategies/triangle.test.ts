import { describe, expect, test } from 'vitest';
import { runStrategy, type ScriptedBar, type ScriptedRun } from '#testing';
import triangle from '../../strategies/triangle.ts';
import { expectSameAfterRestarts } from './claims.ts';

/** Fair price in rial: a coin is a hundred tether, and a tether a million rial. */
const FAIR = 100_000_000;
const CHEAP = 97_000_000;

/** Markets of a run: the coin's rial market has the given bars, the other two stand still. */
const on = (bars: readonly ScriptedBar[]) => ({
  market: 'BTCIRT',
  priceStep: 10,
  bars,
  others: [
    { market: 'BTCUSDT', bars: bars.map(() => 100) },
    { market: 'USDTIRT', priceStep: 10, bars: bars.map(() => 1_000_000) },
  ],
  balances: { rls: 1_000_000_000, usdt: 1_000, btc: 10 },
  inventory: { btc: 10 },
});
const legs = ({ fills }: ScriptedRun): readonly string[] =>
  fills.map(({ market, side, amount }) => `${side} ${amount} ${market}`);

/** Value of the account at the beginning at fair prices: 3 billion rial. */
const START = 3_000_000_000;

describe('triangle', () => {
  test('waits while the markets agree', () => {
    expect(runStrategy(triangle, on([FAIR, FAIR, FAIR])).orders).toEqual([]);
  });

  test('buys where the coin is cheap, sells it where it is dear, and turns the tether into rial', () => {
    const run = runStrategy(triangle, on([FAIR, CHEAP, FAIR, FAIR]));
    expect(legs(run)).toEqual(['buy 1 BTCIRT', 'sell 1 BTCUSDT', 'sell 100 USDTIRT']);
    expect(run.equity).toBe(START + FAIR - CHEAP);
  });

  test('goes the other way round where the coin is dear', () => {
    const run = runStrategy(triangle, on([FAIR, 103_000_000, FAIR, FAIR]));
    expect(legs(run).map((leg) => leg.split(' ')[0])).toEqual(['sell', 'buy', 'buy']);
    expect(run.equity).toBe(START + 3_000_000);
  });

  test('pauses between two rounds, over a restart too', () => {
    const market = on([FAIR, CHEAP, CHEAP, CHEAP, FAIR, FAIR]);
    const params = { pauseMs: 7_200_000 };
    expect(runStrategy(triangle, { ...market, params }).fills).toHaveLength(6);
    expectSameAfterRestarts(triangle, { ...market, params });
  });

  test('loses where a leg fills late, and where three fees are more than the edge', () => {
    const late = runStrategy(triangle, on([FAIR, CHEAP, { open: 103_000_000, close: FAIR }, FAIR]));
    expect(late.equity).toBe(START - 3_000_000);
    const dear = runStrategy(triangle, { ...on([FAIR, CHEAP, FAIR, FAIR]), fee: 0.0125 });
    expect(dear.equity).toBeLessThan(START);
  });
});
