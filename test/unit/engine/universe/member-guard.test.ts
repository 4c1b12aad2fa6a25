import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { defineStrategy } from '#sdk';
import { runStrategy, type ScriptedRun } from '#testing';
import { MemberRecords } from '../../../../src/engine/universe-manager.ts';
import type { MarketContext } from '../../../../src/strategy/context.ts';
import { memberRecord } from '../../backtest/run-records.ts';

const DAYS = (hours: number): number => hours * 24;

/** Two markets that are traded in turn: the second has more volume after two days, and the first leaves. */
const scripts = (['BTCUSDT', 'ETHUSDT'] as const).map((market, index) => ({
  market,
  minOrderValue: 5,
  bars: Array.from({ length: 96 }, (_, hour) => ({
    close: 100,
    volume: hour < DAYS(2) === (index === 0) ? 9 : 1,
  })),
}));

/** Runs a strategy that calls `act` at each bar of the market that has left the universe. */
function afterLeaving(act: (ctx: MarketContext) => void): ScriptedRun {
  const strategy = defineStrategy({
    name: 'leaving',
    state: z.strictObject({ hasBought: z.boolean().default(false), bars: z.int().default(0) }),
    data: ({ market, timeframe }) => ({ bars: market.candles(timeframe) }),
    on: {
      bars(ctx) {
        ctx.setState({ bars: ctx.state.bars + 1 });
        if (!ctx.state.hasBought) {
          ctx.setState({ hasBought: true });
          ctx.buy({ amount: 2 });
        } else if (ctx.nowMs > START_MS + DAYS(3) * HOUR_MS + HOUR_MS && ctx.market === 'BTCUSDT') act(ctx);
      },
    },
  });
  const [first, second] = scripts;
  if (first === undefined || second === undefined) throw new Error('expected two markets');
  return runStrategy(strategy, {
    ...first,
    others: [second],
    past: DAYS(1),
    universe: { quote: 'usdt', rankBy: 'volume24h', take: 1, reserve: 1, hysteresis: 0, refreshMs: HOUR_MS },
  });
}

const HOUR_MS = 3_600_000;
const START_MS = 1_704_067_200_000;

const soldOf = ({ fills }: ScriptedRun, side: 'buy' | 'sell'): number =>
  fills
    .filter((fill) => fill.market === 'BTCUSDT' && fill.side === side)
    .reduce((sum, { amount }) => sum + amount, 0);

describe('a market that has left the universe of a strategy per member', () => {
  test.for([
    ['buy', (ctx: MarketContext) => ctx.buy({ amount: 1 })],
    [
      'oco',
      (ctx: MarketContext) => ctx.oco('buy', { amount: 1, price: 90, stopPrice: 110, stopLimitPrice: 111 }),
    ],
    ['target', (ctx: MarketContext) => ctx.target({ position: 3 })],
    ['value', (ctx: MarketContext) => ctx.target({ value: 50 })],
    ['twap', (ctx: MarketContext) => ctx.twap('buy', { amount: 1, overMs: 60_000, slices: 2 })],
    ['iceberg', (ctx: MarketContext) => ctx.iceberg('buy', { amount: 1, visible: 0.5, price: 101 })],
    ['dca', (ctx: MarketContext) => ctx.dca({ value: 10, everyMs: 60_000 })],
    ['bracket', (ctx: MarketContext) => ctx.bracket({ entry: { amount: 1 }, stopLoss: { percent: 1 } })],
    ['quotes', (ctx: MarketContext) => ctx.quotes([{ side: 'buy', price: 101, amount: 1 }])],
  ] as const)('takes no purchase: %s', ([, act]) => {
    const run = afterLeaving(act);
    expect(soldOf(run, 'buy')).toBe(2);
    expect(run.refusals).toEqual([
      expect.stringMatching(
        /^member: expected a sale in BTCUSDT, which is no member of the universe \(.+\), was a purchase$/,
      ),
    ]);
  });

  test.for([
    ['sell', (ctx: MarketContext) => ctx.sell({ amount: ctx.position })],
    ['target', (ctx: MarketContext) => ctx.target({ position: 0 })],
    ['value', (ctx: MarketContext) => ctx.target({ value: 0 })],
    ['twap', (ctx: MarketContext) => ctx.twap('sell', { amount: ctx.position, overMs: 60_000, slices: 1 })],
  ] as const)('takes a sale: %s', ([, act]) => {
    const run = afterLeaving((ctx) => {
      if (ctx.position > 0) act(ctx);
    });
    expect(run.refusals).toEqual([]);
    expect([soldOf(run, 'buy'), soldOf(run, 'sell')]).toEqual([2, 2]);
  });

  test('keeps the sale of a set of quotes whose purchase is refused', () => {
    const run = afterLeaving((ctx) =>
      ctx.quotes([
        { side: 'buy', price: 101, amount: 1 },
        { side: 'sell', price: 99, amount: 1 },
      ]),
    );
    expect([soldOf(run, 'buy'), soldOf(run, 'sell')]).toEqual([2, 2]);
    expect(run.refusals[0]).toContain('member: expected a sale in BTCUSDT');
  });
});

test('changes of members are remembered up to a bound, and counted beyond it', () => {
  const records = new MemberRecords();
  const { atMs, strategy, universe, rankBy, ...change } = memberRecord({
    market: 'BTCIRT',
    kind: 'entered',
    atMs: 7,
  });
  records.note([change], { atMs, strategy, universe, rankBy });
  const many = Array.from({ length: 20_001 }, () => ({ ...change, market: 'ETHIRT' }));
  records.note(many, { atMs: 8, strategy, universe, rankBy });
  const { records: kept, more } = records.history();
  expect(kept).toHaveLength(20_000);
  expect(kept.slice(0, 2).map(({ market, atMs: toldMs }) => [market, toldMs])).toEqual([
    ['BTCIRT', 7],
    ['ETHIRT', 8],
  ]);
  expect(more).toBe(2);
});
