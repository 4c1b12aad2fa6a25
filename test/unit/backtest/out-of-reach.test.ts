import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { defineStrategy, type StrategyDefinition } from '../../../src/strategy/definition.ts';
import { sma } from '../../../src/strategy/sdk.ts';
import { runBars, TETHER, walkOf } from './candle-run.ts';

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
      for (const name of Reflect.ownKeys(at)) {
        open.push(fieldOf(value, at, name));
      }
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
