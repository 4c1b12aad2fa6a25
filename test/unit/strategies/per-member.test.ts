import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { atr, defineStrategy, donchian } from '#sdk';
import { generateBars, runStrategy, type ScriptedRun, type ScriptOptions } from '#testing';
import type { StrategyDefinition } from '../../../src/strategy/definition.ts';
import breakout from '../../../strategies/breakout.ts';
import meanReversion from '../../../strategies/mean-reversion.ts';

const MARKETS = ['BTCUSDT', 'ETHUSDT', 'XRPUSDT'] as const;
/** Bars before the first one that handlers get; markets are ranked by the last day of them. */
const PAST = 60;

const scriptOf = (market: (typeof MARKETS)[number]): ScriptOptions => ({
  market,
  // With a minimum value, the small rest that a sale leaves is never a position.
  minOrderValue: 5,
  bars: generateBars({
    count: 400,
    seed: MARKETS.indexOf(market) + 11,
    from: 100 * (MARKETS.indexOf(market) + 1),
    noise: 2,
    wave: { percent: 12, bars: 40 },
  }),
});

const scripts = MARKETS.map(scriptOf);
const account = { past: PAST, balances: { usdt: 100_000 }, fee: 0.001 };
const everyMarket = { quote: 'usdt', rankBy: 'volume24h', take: 3 } as const;

function inAll(strategy: StrategyDefinition, more: Partial<ScriptOptions> = {}): ScriptedRun {
  const [first, ...others] = scripts as [ScriptOptions, ...ScriptOptions[]];
  return runStrategy(strategy, { ...first, others, ...account, universe: everyMarket, ...more });
}

/** Returns the fills of one market; `isWhole`: with amounts and fees, which depend on the equity. */
const fillsIn = ({ fills }: ScriptedRun, market: string | undefined, isWhole: boolean) =>
  fills
    .filter((fill) => fill.market === market)
    .map(({ side, price, amount, fee, timeMs }) => ({
      side,
      price,
      timeMs,
      ...(isWhole ? { amount, fee } : {}),
    }));

/** The bundled `breakout` with a fixed amount instead of an equity share, and a count of entries. */
const fixed = defineStrategy({
  name: 'fixed',
  params: z.strictObject({ length: z.int().default(20), amount: z.number().default(2) }),
  state: z.strictObject({ highest: z.number().nullable().default(null), entries: z.int().default(0) }),
  data: ({ market, timeframe }) => ({ bars: market.candles(timeframe, { history: 3 }) }),
  indicators: ({ bars }, { params }) => ({ channel: donchian(bars, params.length), range: atr(bars, 5) }),
  trailing: { most: 1 },
  on: {
    bars(ctx, { close }) {
      const { channel, range } = ctx.indicators;
      const { highest, entries } = ctx.state;
      ctx.setState({ highest: channel.upper });
      if (close <= (highest ?? Infinity) || ctx.position > 0 || ctx.orders.length > 0) return;
      ctx.setState({ entries: entries + 1 });
      ctx.bracket({
        entry: { amount: ctx.params.amount },
        trail: { by: { distance: 2 * range } },
        takeProfit: { percent: ctx.history.bars.length },
      });
    },
  },
});

describe('a strategy of one market in each member of a universe', () => {
  test.for([
    { strategy: breakout, params: { length: 10, trailRanges: 1, risk: 0.001 }, isWhole: false },
    { strategy: meanReversion, params: { deviations: 1.5 }, isWhole: false },
    { strategy: fixed, params: {}, isWhole: true },
  ])('trades in each as $strategy.name does in that market alone', ({ strategy, params, isWhole }) => {
    const together = inAll(strategy, { params });
    expect(together.refusals).toEqual([]);
    for (const script of scripts) {
      const alone = runStrategy(strategy, { ...script, ...account, params });
      const expected = fillsIn(alone, script.market, isWhole);
      expect(expected.length).toBeGreaterThan(5);
      expect(fillsIn(together, script.market, isWhole)).toEqual(expected);
    }
  });

  test('keeps a state for each market, which is that of a run in it alone', () => {
    const { state } = inAll(fixed);
    const alone = scripts.map((script) => [
      script.market,
      runStrategy(fixed, { ...script, ...account }).state,
    ]);
    expect(state).toEqual(Object.fromEntries(alone));
  });

  test('goes on from its states after a restart', () => {
    const restarted = inAll(fixed, { restartAfter: [50, 180, 333] });
    const whole = inAll(fixed);
    expect(restarted.state).toEqual(whole.state);
    for (const market of MARKETS)
      expect(fillsIn(restarted, market, true)).toEqual(fillsIn(whole, market, true));
  });
});
