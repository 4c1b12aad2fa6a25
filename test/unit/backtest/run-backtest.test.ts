import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { firstDifference } from '../../../src/backtest/check-backtest.ts';
import {
  cutAfter,
  repeatRun,
  wantedOf,
  type CandleBacktest,
  runBacktest,
} from '../../../src/backtest/run-backtest.ts';
import { columnScale, type CandleColumns } from '../../../src/domain/candle-columns.ts';
import { parseUnits, UNITS_PER_ONE } from '../../../src/domain/money.ts';
import { DEFAULT_ENGINE_TIMES } from '../../../src/engine/engine-settings.ts';
import { createRiskLimits, type RiskLimits } from '../../../src/engine/risk-limits.ts';
import { defineStrategy, type StrategyDefinition } from '../../../src/strategy/definition.ts';
import maCross from '../../../strategies/ma-cross.ts';
import { FROM_MS, RIAL, TETHER, walkOf } from './candle-run.ts';
import { reportVoice } from '../../../src/backtest/report-voice.ts';
import { instanceOf, runnerOn } from '../../support/runner-on.ts';

const HOUR_MS = 3_600_000;
const FEES = { maker: 2_000, taker: 2_500 };

function backtestOf(
  columns: CandleColumns,
  of: {
    readonly strategy?: StrategyDefinition;
    readonly limits?: Partial<RiskLimits>;
    readonly params?: Record<string, unknown>;
  } = {},
): CandleBacktest {
  const {
    strategy = maCross,
    limits = {},
    params = strategy === maCross ? { fast: 5, slow: 12, share: 0.5 } : {},
  } = of;
  const market = columns.market === TETHER.symbol ? TETHER : RIAL;
  const runner = runnerOn(strategy, market.symbol, '1h', { params });
  return {
    instances: [instanceOf(runner, { limits: { ...createRiskLimits(), ...limits } })],
    execution: { ...DEFAULT_ENGINE_TIMES, instance: 'back' },
    markets: [{ market, columns }],
    fees: { rls: FEES, usdt: FEES },
    balances: { [market.quote]: parseUnits('5000000000') },
    rules: { volumeShareMillionths: null },
    fromMs: FROM_MS,
    config: {},
    loading: { loadMs: 0, fromCache: false },
    clock: () => 0,
  };
}

const rialWalk = (bars = 800, seed = 4): CandleColumns => walkOf(RIAL, { bars, seed, price: 12_600_000_000 });

describe('a backtest on bars', () => {
  it('ends with what its fills add up to, and the coins at the last close', () => {
    const columns = rialWalk();
    const run = runBacktest(backtestOf(columns));
    let [cash, coins] = [parseUnits('5000000000') as bigint, 0n];
    for (const { side, amount, total, fee } of run.fills) {
      cash += side === 'buy' ? 0n - total : total - fee;
      coins += side === 'buy' ? amount - fee : 0n - amount;
    }
    const close = BigInt(columns.close[columns.length - 1] ?? 0) * columnScale(0);
    expect(run.fills.length).toBeGreaterThan(20);
    expect(run.finalEquity).toBe(cash + (coins * close + UNITS_PER_ONE / 2n) / UNITS_PER_ONE);
    expect(run.curve.equity[run.curve.length - 1]).toBeCloseTo(Number(run.finalEquity) / 1e10, 3);
  });

  it('does the same again', () => {
    const [first, second] = [runBacktest(backtestOf(rialWalk())), runBacktest(backtestOf(rialWalk()))];
    expect(second.orders).toEqual(first.orders);
    expect(second.finalEquity).toBe(first.finalEquity);
  });

  it('obeys the risk checks of the live engine', () => {
    const columns = rialWalk();
    const free = runBacktest(backtestOf(columns));
    const bound = runBacktest(
      backtestOf(columns, { limits: { maxOrderValue: { rls: parseUnits('1000000000'), usdt: null } } }),
    );
    expect(free.orders.length).toBeGreaterThan(10);
    expect(bound.orders).toEqual([]);
  });

  it('fills what the journal of its engine says, and nothing else', () => {
    const run = runBacktest(backtestOf(rialWalk()));
    const filled = new Map(run.orders.map(({ key, filled: units }) => [key, units as bigint]));
    for (const { orderKey, amount } of run.fills) {
      const left = (filled.get(orderKey ?? '') ?? 0n) - amount;
      expect(left).toBeGreaterThanOrEqual(0n);
      filled.set(orderKey ?? '', left);
    }
    expect([...filled.values()].filter((left) => left !== 0n)).toEqual([]);
  });

  it('says what bars are missing', () => {
    const columns = rialWalk(100);
    columns.openTimeMs.forEach((openMs, index) => {
      if (index >= 50) columns.openTimeMs[index] = openMs + 7 * HOUR_MS;
    });
    expect(runBacktest(backtestOf(columns)).warnings.map(reportVoice('en').format)).toEqual([
      'BTCIRT: 7 bars are missing between the others; nothing was traded in them',
    ]);
  });

  it('counts the bars that finer ones do not reach through, and says that the others are walked on those', () => {
    const columns = rialWalk(24);
    const { close, open } = columns;
    const halves = Array.from({ length: 6 }, (_, half) => half >> 1);
    const cells = (of: (hour: number, isFirst: boolean) => number | undefined): Float64Array =>
      Float64Array.from(halves, (hour, half) => of(hour, half % 2 === 0) ?? Number.NaN);
    const detail: CandleColumns = {
      ...columns,
      timeframe: '30m',
      length: 6,
      openTimeMs: Float64Array.from(halves, (_, half) => FROM_MS + (half * HOUR_MS) / 2),
      open: cells((hour, isFirst) => (isFirst ? open : close)[hour]),
      high: cells((hour) => columns.high[hour]),
      low: cells((hour) => columns.low[hour]),
      close: cells((hour) => close[hour]),
      volume: cells(() => 1),
    };
    const backtest = backtestOf(columns);
    const markets = backtest.markets.map((market) => ({ ...market, detail }));
    const { warnings, fidelity } = runBacktest({ ...backtest, markets });
    expect(warnings.map(reportVoice('en').format)).toEqual([
      'BTCIRT: 21 of 24 bars were walked whole: no bars of 30m reach through them with the same open, high, low and close',
    ]);
    expect(warnings.map(reportVoice('fa').format)[0]).toContain('یک‌جا پیموده شد');
    const told = fidelity.rules.map(({ setting }) => reportVoice('en').format(setting));
    expect(told).toContainEqual(expect.stringContaining('each bar is walked on those of 30m'));
    const bare = runBacktest(backtest).fidelity.rules.map(({ rule }) => rule.fact);
    expect(bare).not.toContain('bars.detail');
  });

  it('refuses a range without bars', () => {
    expect(() => runBacktest({ ...backtestOf(rialWalk(10)), fromMs: FROM_MS + 100 * HOUR_MS })).toThrow(
      /were none in this range/,
    );
  });

  it('tells of the strategy that threw, and at which moment it stopped', () => {
    const strategy = defineStrategy({
      name: 'breaks',
      params: z.strictObject({}),
      state: z.strictObject({ seen: z.int().default(0) }),
      data: ({ market, timeframe }) => ({ bars: market.candles(timeframe) }),
      on: {
        bars({ state, setState }) {
          if (state.seen === 5) throw new Error('six is too many');
          setState({ seen: state.seen + 1 });
        },
      },
    });
    expect(runBacktest(backtestOf(rialWalk(20), { strategy })).strategies[0]?.failure).toMatch(
      /six is too many/,
    );
  });
});

/** Makes a strategy that cheats: it looks ten bars ahead in an array that is not part of its data. */
const cheating = (future: { closes: Float64Array }): StrategyDefinition =>
  defineStrategy({
    name: 'oracle',
    params: z.strictObject({}),
    state: z.strictObject({ index: z.int().default(0) }),
    data: ({ market, timeframe }) => ({ bars: market.candles(timeframe) }),
    on: {
      bars({ state, setState, position, orders, buy, sell }) {
        const index = state.index + 1;
        const isHigherInTen = (future.closes[index + 10] ?? 0) > (future.closes[index] ?? 0);
        setState({ index });
        if (orders.length > 0) return;
        if (isHigherInTen && position < 0.001) buy({ amount: 0.01 });
        if (!isHigherInTen && position > 0.001) sell({ amount: position });
      },
    },
  });

const cut = (columns: CandleColumns, strategyFor: (seen: CandleColumns) => StrategyDefinition) => {
  const untilMs = FROM_MS + 300 * HOUR_MS;
  const whole = backtestOf(columns, { strategy: strategyFor(columns) });
  const markets = cutAfter(whole.markets, untilMs);
  const seen = markets[0]?.columns ?? columns;
  const part = backtestOf(columns, { strategy: strategyFor(seen) });
  const range = { fromMs: FROM_MS, untilMs };
  return firstDifference(
    wantedOf(repeatRun(whole, { markets: whole.markets, fromMs: FROM_MS }).orders),
    wantedOf(repeatRun(part, { markets, fromMs: FROM_MS }).orders),
    range,
  );
};

describe('a run on fewer bars', () => {
  it('wants the same up to its end', () => {
    expect(cut(rialWalk(), () => maCross)).toBeNull();
  });

  it('has arrays that end with its bars', () => {
    const columns = rialWalk();
    const [market] = cutAfter(backtestOf(columns).markets, FROM_MS + 300 * HOUR_MS);
    const { close, openTimeMs, length } = market!.columns;
    expect([length, close.length, openTimeMs.length]).toEqual([300, 300, 300]);
    expect(close.buffer.byteLength).toBe(300 * 8);
  });

  it('shows a strategy that knows what comes', () => {
    // The strategy reads the very arrays of its run.
    const difference = cut(rialWalk(), (seen) => cheating({ closes: seen.close }));
    expect(difference?.atMs).toBeGreaterThan(FROM_MS + 280 * HOUR_MS);
  });
});
