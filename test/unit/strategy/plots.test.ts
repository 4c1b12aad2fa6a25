import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { defineStrategy, type PlotOptions, type StrategyContext } from '../../../src/strategy/sdk.ts';
import { runOnBooks, runStrategy, type ScriptedRun } from '../../../src/testing.ts';

/** Makes a strategy that only plots, at each bar. */
const drawing = (draw: (ctx: StrategyContext, close: number) => void) =>
  defineStrategy({
    name: 'drawing',
    data: ({ market, timeframe }) => ({ bars: market.candles(timeframe) }),
    on: { bars: (ctx, { close }) => draw(ctx, close) },
  });

const runOf = (draw: Parameters<typeof drawing>[0], bars: readonly number[] = [100, 110, 121]): ScriptedRun =>
  runStrategy(drawing(draw), { bars: [...bars] });

const HOUR_MS = 3_600_000;

/** Makes a strategy that buys at every second bar; `draws`: it plots as well. */
const buying = (draws: boolean) =>
  defineStrategy({
    name: 'trader',
    state: z.strictObject({ seen: z.int().default(0) }),
    data: ({ market, timeframe }) => ({ bars: market.candles(timeframe) }),
    on: {
      bars(ctx, { close }) {
        if (draws) ctx.plot('close', close);
        ctx.setState({ seen: ctx.state.seen + 1 });
        if (ctx.state.seen % 2 === 1) ctx.buy({ value: 100 });
      },
    },
  });

describe('ctx.plot', () => {
  test('draws a value a bar, at the close of the bar, over the bars without another word', () => {
    const [plot] = runOf((ctx, close) => ctx.plot('half', close / 2)).plots;
    expect(plot).toMatchObject({ market: 'BTCUSDT', name: 'half', pane: null, style: 'line', color: null });
    expect(plot?.values).toEqual([50, 55, 60.5]);
    const [first = 0] = plot?.timesMs ?? [];
    expect(first % HOUR_MS).toBe(0);
    expect(plot?.timesMs).toEqual([first, first + HOUR_MS, first + 2 * HOUR_MS]);
  });

  test('keeps the last value of a moment, and null as a gap', () => {
    const { plots } = runOf((ctx, close) => {
      ctx.plot('x', 1);
      ctx.plot('x', close > 105 ? close : null);
    });
    expect(plots.map(({ values }) => values)).toEqual([[null, 110, 121]]);
  });

  test('draws in a pane of its own, and in another market', () => {
    const twoMarkets = defineStrategy({
      name: 'two',
      data: ({ market, markets, timeframe }) => ({
        bars: market.candles(timeframe),
        other: markets.of('ETHUSDT').candles(timeframe),
      }),
      on: {
        bars: (ctx, { close }) => ctx.plot('strength', close, { pane: 'rsi', style: 'bars', color: 'red' }),
        other: (ctx, { close }) => ctx.markets.of('ETHUSDT').plot('strength', close),
      },
    });
    const { plots } = runStrategy(twoMarkets, {
      bars: [100, 101],
      others: [{ market: 'ETHUSDT', bars: [10, 11] }],
    });
    expect(plots).toMatchObject([
      { market: 'BTCUSDT', pane: 'rsi', style: 'bars', color: 'red', values: [100, 101] },
      { market: 'ETHUSDT', pane: null, values: [10, 11] },
    ]);
  });

  test('goes on in the same series after a restart', () => {
    const strategy = drawing((ctx, close) => ctx.plot('close', close));
    const bars = [100, 110, 121, 130];
    expect(runStrategy(strategy, { bars, restartAfter: [2] }).plots).toEqual(
      runStrategy(strategy, { bars }).plots,
    );
  });

  test('draws what books bring at the time of the run', async () => {
    const strategy = defineStrategy({
      name: 'watcher',
      data: ({ market }) => ({ book: market.book() }),
      on: { book: (ctx, { bids }) => ctx.plot('bid', bids[0]?.price ?? null) },
    });
    const { plots } = await runOnBooks(strategy, {
      books: [
        { bid: 99, ask: 101 },
        { bid: 100, ask: 102 },
      ],
    });
    expect(new Set(plots[0]?.values)).toEqual(new Set([99, 100]));
  });

  test.each([
    ['fast', Number.NaN, 'ctx.plot "fast": expected a finite number, or null for a gap, was NaN'],
    ['fast', Number.POSITIVE_INFINITY, 'ctx.plot "fast": expected a finite number'],
    ['fast', '12', 'ctx.plot "fast": expected a finite number, or null for a gap, was "12"'],
    ['fast', undefined, 'was undefined'],
    ['', 1, 'ctx.plot: expected a name of 1 to 40 characters first, was ""'],
    [7, 1, 'ctx.plot: expected a name of 1 to 40 characters first, was 7'],
  ])('refuses %s of %s', (name, value, sentence) => {
    expect(() => runOf((ctx) => ctx.plot(name as string, value as number))).toThrow(sentence);
  });

  test.each([
    [{ pane: '' }, 'ctx.plot "x": pane: expected a title of 1 to 40 characters, was ""'],
    [{ style: 'dashes' }, 'ctx.plot "x": style: expected one of line, steps, points, bars, was "dashes"'],
    [{ color: '#ff0000' }, 'ctx.plot "x": color: expected one of blue, orange'],
    [{ panel: 'rsi' }, 'ctx.plot "x": expected pane, style or color, was "panel"'],
    ['rsi', 'ctx.plot "x": expected options such as { pane: "rsi" }, was "rsi"'],
  ])('refuses the options %j', (options, sentence) => {
    expect(() => runOf((ctx) => ctx.plot('x', 1, options as PlotOptions))).toThrow(sentence);
  });

  test('refuses a series that is drawn in two ways, and a call outside of its handler', () => {
    expect(() => runOf((ctx, close) => ctx.plot('x', 1, close > 105 ? { pane: 'rsi' } : {}))).toThrow(
      'ctx.plot "x": expected the pane, style and color of its first value',
    );
    let kept: StrategyContext['plot'] | null = null;
    runOf((ctx) => {
      kept = ctx.plot;
    });
    expect(() => kept?.('x', 1)).toThrow('expected ctx to be used during its call only');
  });

  test('draws no more than a hundred series, and the log says so once', () => {
    const { plots, log } = runOf((ctx) => {
      for (let index = 0; index < 105; index += 1) ctx.plot(`level ${index}`, index);
    });
    expect(plots).toHaveLength(100);
    expect(log).toEqual(['plot: expected at most 100 series, "level 100" is one more']);
  });

  test('changes no order, state or equity', () => {
    const bars = [100, 101, 102, 103, 104];
    const { plots, ...drawn } = runStrategy(buying(true), { bars });
    const { plots: none, ...plain } = runStrategy(buying(false), { bars });
    expect([plots.length, none.length]).toEqual([1, 0]);
    expect(drawn).toEqual(plain);
  });
});
