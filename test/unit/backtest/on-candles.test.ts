import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { refuseUnserved } from '../../../src/backtest/candle-backtest.ts';
import { SarrafError } from '../../../src/domain/errors.ts';
import { formatUnits } from '../../../src/domain/money.ts';
import { defineStrategy, type StrategyDefinition } from '../../../src/strategy/definition.ts';
import dca from '../../../strategies/dca.ts';
import grid from '../../../strategies/grid.ts';
import maCross from '../../../strategies/ma-cross.ts';
import marketMaker from '../../../strategies/market-maker.ts';
import rebalance from '../../../strategies/rebalance.ts';
import { FROM_MS, RIAL, runBars, TETHER, walkOf } from './candle-run.ts';
import { runnerOn } from '../../support/runner-on.ts';

const DAY_MS = 86_400_000;

const instanceOf = (definition: StrategyDefinition) => ({
  runner: runnerOn(definition, 'BTCUSDT', '1h', { hasBooks: false }),
});

const wanting = (data: StrategyDefinition['data']): StrategyDefinition =>
  defineStrategy({ name: 'nosy', params: z.strictObject({}), data, on: {} });

describe('a run on candles', () => {
  test('is refused where a strategy subscribes to margin', () => {
    const bad = [wanting(({ margin }) => ({ pools: margin.pools(), limit: margin.delegationLimit('btc') }))];
    expect(() => refuseUnserved(bad.map(instanceOf))).toThrow(
      new SarrafError(
        'INVALID_OPTIONS',
        'expected subscriptions that a backtest can serve: nosy subscribes to pools, nosy subscribes to delegation-limit btc, and nobody records margin. Run it with mode embedded or live',
      ),
    );
  });

  test('is refused where a strategy subscribes to what candles do not hold', () => {
    const bad = [
      wanting(({ market, markets }) => ({
        book: market.book(),
        bars: market.candles('1h'),
        tape: markets.of('ETHUSDT').trades(),
        day: market.stats(),
      })),
    ];
    expect(() => refuseUnserved(bad.map(instanceOf))).toThrow(
      new SarrafError(
        'INVALID_OPTIONS',
        'expected subscriptions that candles can serve: nosy subscribes to the book of BTCUSDT, nosy subscribes to the trades of ETHUSDT, nosy subscribes to the statistics of BTCUSDT, which candles do not hold. Run it with --fidelity poll on recorded books and trades ("sarraf record", or "sarraf data import --kind depth"), or let it declare market.ticker() or candles where "hasBooks" of data is false',
      ),
    );
  });

  test('takes candles and timers, and what asks for books only where there are some', () => {
    const polite = wanting(({ hasBooks, market, timeframe, timer }) => ({
      day: timer('0 0 * * *'),
      price: hasBooks ? market.book() : market.candles(timeframe),
    }));
    expect(() =>
      refuseUnserved([polite, maCross, dca, rebalance, grid, marketMaker].map(instanceOf)),
    ).not.toThrow();
    expect(runnerOn(polite, 'BTCUSDT', '1h').subscriptions[1]?.kind).toBe('book');
  });
});

describe('on candles', () => {
  test.each([
    [TETHER, 60_000, '20', '100000'],
    [RIAL, 12_600_000_000, '20000000', '900000000000'],
  ] as const)('dca buys each morning for its money, in %o', (market, price, spend, cash) => {
    const columns = walkOf(market, { bars: 24 * 10, seed: 3, price });
    const { fills, orders, intents } = runBars({ market, columns, strategy: dca, cash, feeMillionths: 0 });
    expect(intents[0]).toMatchObject({ count: 10, refusals: [] });
    expect(orders.map(({ plannedAtMs }) => (plannedAtMs - FROM_MS) % DAY_MS)).toEqual(
      Array.from({ length: 10 }, () => 9 * 3_600_000),
    );
    expect(fills).toHaveLength(10);
    for (const { total } of fills)
      expect(Math.abs(Number(formatUnits(total)) / Number(spend) - 1)).toBeLessThan(0.01);
  });

  test('dca makes up for a morning without a price with the first candle', () => {
    const columns = walkOf(TETHER, { bars: 30, seed: 3, price: 60_000 });
    const params = { cron: '30 0 * * *' };
    const late = { ...columns, openTimeMs: columns.openTimeMs.map((at) => at + 3_600_000) };
    const { orders } = runBars({ market: TETHER, columns: late, strategy: dca, params, cash: '1000' });
    expect((orders[0]?.plannedAtMs ?? 0) - FROM_MS).toBe(2 * 3_600_000);
    expect(orders).toHaveLength(2);
  });

  test('rebalance keeps its share of the equity within its band', () => {
    const columns = walkOf(TETHER, { bars: 24 * 20, seed: 9, price: 60_000 });
    const { fills, curve } = runBars({ market: TETHER, columns, strategy: rebalance, cash: '10000' });
    expect(fills.length).toBeGreaterThan(5);
    const coins = fills.reduce(
      (sum, { side, amount, fee }) => (side === 'buy' ? sum + amount - fee : sum - amount),
      0n,
    );
    const value = (Number(coins) / 1e10) * ((columns.close[columns.length - 1] ?? 0) / 100);
    const share = value / (curve.equity[curve.length - 1] ?? 1);
    expect(Math.abs(share - 0.5)).toBeLessThan(0.03);
  });
});
