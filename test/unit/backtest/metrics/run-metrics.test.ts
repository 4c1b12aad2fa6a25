import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  buyAndHoldReturn,
  exposure,
  feesPaid,
  runMetrics,
  tradedValue,
  turnover,
} from '../../../../src/backtest/metrics/run-metrics.ts';
import { monthlyReturns, returnHistogram } from '../../../../src/backtest/metrics/equity-metrics.ts';
import { parseMarket } from '../../../../src/exchange/market-names.ts';
import { parseUnits } from '../../../../src/domain/money.ts';
import { demoRun } from '../demo-run.ts';
import { requestFigures } from '../../../../src/backtest/finish-run.ts';

const market = (first: string, last: string) => ({
  firstPrice: parseUnits(first),
  lastPrice: parseUnits(last),
});

describe('the figures of a run', () => {
  test('are finite or null, whatever the run was', () => {
    const runs = fc.record({
      seed: fc.integer(),
      bars: fc.integer({ min: 1, max: 60 }),
      tradeChance: fc.double({ min: 0, max: 1, noNaN: true }),
      timeframe: fc.constantFrom('1m' as const, '1h' as const, '1d' as const),
    });
    fc.assert(
      fc.property(runs, (options) => {
        const metrics = runMetrics(demoRun(options), []);
        for (const [name, value] of Object.entries(metrics)) {
          const isRight = value === null || typeof value === 'bigint' || Number.isFinite(value);
          expect(isRight, `${name} is ${value}`).toBe(true);
        }
        expect(metrics.maxDrawdown).toBeGreaterThanOrEqual(0);
        expect(metrics.maxDrawdown).toBeLessThanOrEqual(1);
      }),
    );
  });

  test('know fees and turnover of both sides', () => {
    const run = demoRun();
    const [buy, sell] = run.fills.slice(0, 2);
    if (buy === undefined || sell === undefined) throw new Error('expected two fills');
    const bought = { ...buy, side: 'buy' as const, price: parseUnits('100'), fee: parseUnits('0.5') };
    const sold = { ...sell, side: 'sell' as const, fee: parseUnits('7') };
    // 0.5 coins at a price of 100, and 7 in the quote currency.
    expect(feesPaid([bought, sold])).toBe(parseUnits('57'));
    expect(tradedValue([bought, sold])).toBe(bought.total + sold.total);
    expect(turnover(parseUnits('300'), Float64Array.of(100, 200))).toBe(2);
    expect(turnover(parseUnits('300'), new Float64Array())).toBeNull();
    expect(exposure(Uint8Array.of(1, 0, 0, 1))).toBe(0.5);
    expect(exposure(new Uint8Array())).toBeNull();
  });

  test('set a spread over all markets beside it', () => {
    const btc = { ...market('100', '150'), market: parseMarket('BTCUSDT') };
    const eth = { ...market('10', '9'), market: parseMarket('ETHUSDT') };
    expect(buyAndHoldReturn([btc, eth], 'usdt')).toBeCloseTo(0.2, 12);
    expect(buyAndHoldReturn([], 'usdt')).toBeNull();
  });

  test('hold each coin once, by its prices in the currency of the run', () => {
    const inRial = { ...market('9000', '9900'), market: parseMarket('BTCIRT') };
    const inTether = { ...market('90', '180'), market: parseMarket('BTCUSDT') };
    const eth = { ...market('10', '10'), market: parseMarket('ETHUSDT') };
    const tether = { ...market('100', '120'), market: parseMarket('USDTIRT') };
    // Changes: BTC 10 %, ETH by way of tether 20 %, tether 20 %.
    expect(buyAndHoldReturn([inRial, inTether, eth, tether], 'rls')).toBeCloseTo(0.5 / 3, 12);
    // Changes: BTC 100 %, ETH nothing, rial -16.7 %.
    expect(buyAndHoldReturn([inRial, inTether, eth, tether], 'usdt')).toBeCloseTo((1 - 1 / 6) / 3, 12);
  });
});

describe('monthly returns', () => {
  test('belong to the month that a moment closes', () => {
    const moments: readonly (readonly [number, number])[] = [
      [Date.UTC(2023, 0, 15), 110],
      [Date.UTC(2023, 1, 1), 120],
      [Date.UTC(2023, 1, 1, 1), 90],
      [Date.UTC(2023, 3, 2), 45],
    ];
    const curve = {
      length: moments.length,
      timeMs: Float64Array.from(moments, ([time]) => time),
      equity: Float64Array.from(moments, ([, equity]) => equity),
      isExposed: new Uint8Array(moments.length),
    };
    // 120 / 100, 90 / 120 and 45 / 90; March has no value.
    expect(
      monthlyReturns(100, curve).map(({ year, month, change }) => [year, month, change.toFixed(6)]),
    ).toEqual([
      [2023, 1, '0.200000'],
      [2023, 2, '-0.250000'],
      [2023, 4, '-0.500000'],
    ]);
  });

  test('compound to the return of the run', () => {
    const { curve } = demoRun({ bars: 3_000 });
    const whole = monthlyReturns(10_000, curve).reduce((product, { change }) => product * (1 + change), 1);
    expect(whole).toBeCloseTo((curve.equity[curve.length - 1] ?? 0) / 10_000, 9);
  });
});

describe('a distribution', () => {
  test('counts every value once, and never gains with losses', () => {
    fc.assert(
      fc.property(fc.array(fc.double({ min: -1, max: 10, noNaN: true }), { minLength: 1 }), (values) => {
        const columns = returnHistogram(values);
        expect(columns.reduce((sum, { count }) => sum + count, 0)).toBe(values.length);
        expect(columns.length).toBeLessThanOrEqual(27);
        expect(columns.some(({ from, to }) => from < -1e-12 && to > 1e-12)).toBe(false);
      }),
    );
    expect(returnHistogram([])).toEqual([]);
  });

  test('has columns of a width even where all values are as good as zero', () => {
    expect(returnHistogram([-6.4e-323, 0])).toEqual([
      { from: -0.001, to: 0, count: 1 },
      { from: 0, to: 0.001, count: 1 },
    ]);
  });
});

const { fills } = demoRun({ bars: 300, tradeChance: 0.2 });

test('requests count for each fill', () => {
  const few = fills.slice(0, 4);
  expect(requestFigures({ requests: 10, fills: few })).toEqual({ requests: 10, requestsPerFill: 2.5 });
});

test('without a fill nothing has a cost for each, and on candles nothing is sent', () => {
  expect(requestFigures({ requests: 10, fills: [] })).toEqual({ requests: 10, requestsPerFill: null });
  expect(requestFigures({ requests: null, fills })).toEqual({ requests: null, requestsPerFill: null });
});
