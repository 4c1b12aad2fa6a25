import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { BacktestRun } from '../../../../src/backtest/backtest-run.ts';
import { runBacktest, type CandleBacktest } from '../../../../src/backtest/run-backtest.ts';
import type { ApartRun } from '../../../../src/backtest/setup/run-apart.ts';
import { checkBacktest, checkPollBacktest } from '../../../../src/backtest/check-backtest.ts';
import type { CandleColumns } from '../../../../src/domain/candle-columns.ts';
import { parseUnits } from '../../../../src/domain/money.ts';
import {
  DEFAULT_ENGINE_TIMES,
  type StrategyInstanceSettings,
} from '../../../../src/engine/engine-settings.ts';
import { defineStrategy, ema } from '../../../../src/strategy/sdk.ts';
import type { StrategyDefinition } from '../../../../src/strategy/definition.ts';
import maCross from '../../../../strategies/ma-cross.ts';
import { FROM_MS, TETHER, walkOf } from '../candle-run.ts';
import { instanceOf, runnerOn } from '../../../support/runner-on.ts';

const columns = walkOf(TETHER, { bars: 600, seed: 7, price: 60_000 });

/** Runs the checks of a strategy, which is made anew for each run, and returns their findings. */
async function checked(
  strategyFor: () => StrategyDefinition,
  which: { readonly lookahead?: boolean; readonly warmUp?: boolean },
  bars: CandleColumns = columns,
): Promise<readonly string[]> {
  const rates = { maker: 1_000, taker: 1_000 };
  const newInstances = async (): Promise<readonly StrategyInstanceSettings[]> => [
    instanceOf(runnerOn(strategyFor(), TETHER.symbol, '1h', { hasBooks: false })),
  ];
  const backtest: CandleBacktest = {
    instances: await newInstances(),
    execution: { ...DEFAULT_ENGINE_TIMES, instance: 'back' },
    markets: [{ market: TETHER, columns: bars }],
    fees: { rls: rates, usdt: rates },
    balances: { usdt: parseUnits('10000') },
    rules: {},
    fromMs: FROM_MS,
    config: null,
    loading: { loadMs: 0, fromCache: false },
    clock: () => 0,
  };
  const reported = runBacktest(backtest);
  const { lookahead = false, warmUp = false } = which;
  return checkBacktest({ backtest, newInstances }, reported, {
    lookahead,
    warmUp,
    onStep: () => {},
  });
}

/** Makes a strategy that holds 0.01 coins while `decide` returns true, by the average of the closes. */
const follower = (
  decide: (bar: {
    readonly index: number;
    readonly close: number;
    readonly average: number | null;
  }) => boolean,
) =>
  defineStrategy({
    name: 'follower',
    params: z.strictObject({}),
    state: z.strictObject({ index: z.int().default(0) }),
    data: ({ market, timeframe }) => ({ bars: market.candles(timeframe) }),
    indicators: ({ bars }) => ({ average: ema(bars, 5) }),
    beforeWarm: 'call',
    on: {
      bars({ state, setState, position, orders, indicators, buy, sell }, { close }) {
        setState({ index: state.index + 1 });
        const isHigh = decide({ index: state.index, close, average: indicators.average });
        if (orders.length > 0 || isHigh === position > 0.001) return;
        if (isHigh) buy({ amount: 0.01 });
        else sell({ amount: position });
      },
    },
  });

/** Makes a strategy that collects closes in its own state, and asks for no history. */
const gatherer = (): StrategyDefinition =>
  defineStrategy({
    name: 'gatherer',
    params: z.strictObject({}),
    state: z.strictObject({ closes: z.array(z.number()).default([]) }),
    data: ({ market, timeframe }) => ({ bars: market.candles(timeframe) }),
    on: {
      bars({ state, setState, position, orders, buy, sell }, { close }) {
        const closes = [...state.closes, close].slice(-100);
        setState({ closes });
        const isHigh = close > closes.reduce((sum, one) => sum + one, 0) / closes.length;
        if (orders.length > 0 || isHigh === position > 0.001) return;
        if (isHigh) buy({ amount: 0.01 });
        else sell({ amount: position });
      },
    },
  });
const holder = (): StrategyDefinition => follower(() => true);

const slices = (): StrategyDefinition =>
  defineStrategy({
    name: 'follower',
    params: z.strictObject({}),
    data: ({ market, timeframe }) => ({ bars: market.candles(timeframe) }),
    on: { bars: ({ twap }) => twap('buy', { amount: 0.004, overMs: 1_800_000, slices: 3 }) },
  });

describe('--check-warmup', () => {
  test('passes a warm strategy that holds something when another start is flat', async () => {
    const [sentence] = await checked(() => maCross, { warmUp: true });
    expect(sentence).toMatch(
      /^Warm-up: 5 of 5 later beginnings, .* wanted the same from the first bar at which both held nothing\.$/,
    );
  });

  test('shows a strategy that gathers its own average without asking for the past, with the time at which it parted', async () => {
    await expect(checked(gatherer, { warmUp: true })).rejects.toThrow(
      /^warm-up: at 2024-01-[^ ]+ the whole run wanted "[^"]+", the one that began at 2024-01-05T04:00:00Z "[^"]+"; both held nothing at 2024-01-/,
    );
  });

  test('says where runs never held nothing at the same time', async () => {
    const [sentence] = await checked(holder, { warmUp: true });
    expect(sentence).toContain('0 of 5 later beginnings');
    expect(sentence).toContain('5 could not be compared: they never held nothing at the same time.');
  });
});

describe('--check-lookahead', () => {
  test('passes an honest strategy, with orders that work inside a bar, too, and says what it can not see', async () => {
    for (const strategyFor of [() => maCross, slices]) {
      const [sentence] = await checked(strategyFor, { lookahead: true });
      expect(sentence).toContain('5 runs on data that end earlier, had the same orders');
      expect(sentence).toContain(
        'can not see what a strategy reads elsewhere (a file, a server, numbers in its own code)',
      );
    }
  });

  test('shows a strategy that remembers one run in the next', async () => {
    const seen: number[] = [];
    const strategyFor = (): StrategyDefinition =>
      follower(({ index, close }) => {
        seen[index] ??= close;
        return (seen[index + 1] ?? 0) > close;
      });
    await expect(checked(strategyFor, { lookahead: true })).rejects.toThrow(
      /^run twice: at 2024-01-01T.* the reported run wanted "nothing", the same run once more "follower BTCUSDT buy market 0.01 [\d.]+ -": the strategy keeps something outside of its state/,
    );
  });

  test('shows a strategy that knows the very next bar', async () => {
    // The columns of the run are within reach of the strategy: they end with its bars.
    let runs = 0;
    const strategyFor = (): StrategyDefinition => {
      runs += 1;
      // The first two runs get all bars; the bars of the third end at the first cut.
      const known = runs <= 2 ? columns.close : columns.close.slice(0, 100);
      return follower(({ index, close }) => (known[index + 1] ?? 0) > close * 100);
    };
    await expect(checked(strategyFor, { lookahead: true })).rejects.toThrow(/^look-ahead: at 2024-01-05T/);
  });

  test('of a recording compares what was wanted before five moments', async () => {
    const reported = { orders: [], fromMs: 0, toMs: 600 } as unknown as BacktestRun;
    const untilMs: (number | null)[] = [];
    const wanting = async (part: ApartRun['wanted']) =>
      checkPollBacktest(reported, {
        lookahead: true,
        warmUp: false,
        onStep: () => {},
        runUntil: async (toMs) => {
          untilMs.push(toMs);
          return { wanted: toMs === null ? [] : part, filledAtMs: [], timeMs: new Float64Array() };
        },
      });
    expect(await wanting([])).toEqual([expect.stringContaining('and 5 runs')]);
    expect(untilMs).toEqual([null, 100, 200, 300, 400, 500]);
    await expect(wanting([{ atMs: 99, text: 'a buy' }])).rejects.toThrow(
      /^look-ahead: at 1970-01-01T00:00:00.099Z the whole run wanted "nothing", the one .* "a buy"/,
    );
  });
});
