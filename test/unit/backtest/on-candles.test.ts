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
import { sma } from '../../../src/strategy/sdk.ts';

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

/** Most objects that one search visits: far more than a strategy receives. */
const MOST_SEEN = 20_000;

/** Returns all objects that can be reached through fields: own ones, hidden ones and getters of classes. */
function reachableFrom(roots: readonly unknown[]): ReadonlySet<object> {
  const seen = new Set<object>();
  const open: unknown[] = [...roots];
  while (open.length > 0 && seen.size < MOST_SEEN) {
    const value = open.pop();
    if ((typeof value !== 'object' && typeof value !== 'function') || value === null || seen.has(value))
      continue;
    seen.add(value);
    if (ArrayBuffer.isView(value)) continue;
    for (
      let at: object | null = value;
      at !== null && at !== Object.prototype;
      at = Object.getPrototypeOf(at)
    ) {
      if (at === Function.prototype || at === Array.prototype) break;
      for (const name of Reflect.ownKeys(at)) open.push(fieldOf(value, at, name));
    }
  }
  return seen;
}

/** Reads a field; undefined where its getter throws, as a class's own does on the class itself. */
function fieldOf(value: object, of: object, name: string | symbol): unknown {
  try {
    return Reflect.get(of, name, value);
  } catch {
    return undefined;
  }
}

/** True if one of the objects is a column of bars, which would show bars of the future. */
const holdsColumns = (values: ReadonlySet<object>): boolean =>
  [...values].some((value) => value instanceof Float64Array);

function looker(look: (...received: readonly unknown[]) => void): StrategyDefinition {
  return defineStrategy({
    name: 'looker',
    params: z.strictObject({}),
    data: ({ market, timeframe }) => ({
      bars: market.candles(timeframe, { history: 5 }),
      price: market.ticker(),
    }),
    indicators: ({ bars }) => ({ average: sma(bars, 3) }),
    beforeWarm: 'call',
    on: {
      bars(ctx, bar) {
        look(ctx, bar);
        look(
          ctx.ages,
          ctx.markets.of('ETHUSDT'),
          ctx.history.bars,
          ctx.data.price,
          ctx.rules,
          ctx.orders,
          ctx.exact,
        );
      },
    },
  });
}

describe('what a strategy receives in a backtest', () => {
  test('leads to no bar that is later, whatever field is looked at', () => {
    let looks = 0;
    let most = 0;
    const strategy = looker((...received) => {
      const seen = reachableFrom(received);
      looks += 1;
      most = Math.max(most, seen.size);
      expect(holdsColumns(seen)).toBe(false);
    });
    const columns = walkOf(TETHER, { bars: 30, seed: 3, price: 60_000 });
    const run = runBars({ market: TETHER, columns, strategy, cash: '10000' });
    expect(run.failures.get('looker')).toBeUndefined();
    expect(looks).toBe(60);
    expect(most).toBeGreaterThan(20);
    expect(most).toBeLessThan(MOST_SEEN);
  });

  test('is searched by something that would find them', () => {
    const columns = walkOf(TETHER, { bars: 3, seed: 3, price: 60_000 });
    class Hiding {
      private readonly source = { columns };
      get deep(): unknown {
        return [{ of: this.source }];
      }
    }
    expect(holdsColumns(reachableFrom([new Hiding()]))).toBe(true);
  });
});
