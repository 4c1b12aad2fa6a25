import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { reportHtml } from '../../../../src/backtest/report/report-html.ts';
import { reportData } from '../../../../src/backtest/report/report-data.ts';
import type { ReportData } from '../../../../src/page/run-data.ts';
import { thinCandles, thinEquity, timeGrid } from '../../../../src/backtest/report/thinning.ts';
import { TEHRAN_BARS } from '../../../../src/domain/candle.ts';
import { finishRun } from '../../../../src/backtest/finish-run.ts';
import type { PlottedSeries, BacktestRun } from '../../../../src/backtest/backtest-run.ts';
import type { ExitKind } from '../../../../src/domain/order.ts';
import { parseUnits } from '../../../../src/domain/money.ts';
import type { OrderRecord } from '../../../../src/records/order.ts';
import { demoRun } from '../demo-run.ts';
import { lockRecord } from '../run-records.ts';
import { reportVoice } from '../../../../src/backtest/report-voice.ts';
import { distributionSection } from '../../../../src/backtest/report/sections/return-sections.ts';
import { withoutDirectionMarks } from '../../../../src/language/isolate.ts';

const dataOf = (run: BacktestRun): ReportData => reportData(finishRun(run));

const inRials = (column: Float64Array): Float64Array => column.map((value) => value * 600_000 + 10);

const isRising = (values: readonly number[]): boolean =>
  values.every((value, index) => index === 0 || value > (values[index - 1] ?? 0));

test('closed trades are grouped by time and label, all of them in each, by the clock of the page', () => {
  const finished = finishRun(demoRun({ bars: 24 * 90, tradeChance: 0.3 }));
  const closed = finished.trips.filter(({ isOpen }) => !isOpen);
  const profit = closed.reduce((sum, trip) => sum + trip.profit, 0n);
  for (const [language, beginsAt] of [
    ['en', 0],
    ['fa', 20.5 * 3_600_000],
  ] as const) {
    const { profits } = reportData(finished, reportVoice(language));
    for (const [by, groups] of Object.entries(profits)) {
      const sum = groups.reduce((all, group) => all + parseUnits(group.profit), 0n);
      const trips = groups.reduce((all, group) => all + group.trips, 0);
      expect({ by, sum, trips }).toEqual({ by, sum: profit, trips: closed.length });
    }
    expect(profits.day.every(({ fromMs }) => (fromMs ?? 0) % 86_400_000 === beginsAt)).toBe(true);
    expect(profits.month.length).toBeGreaterThan(2);
    const all = Object.entries(profits).flatMap(([by, groups]) => groups.map((group) => ({ by, ...group })));
    if (language === 'en') expect(finished.head.profits).toEqual(all);
  }
});

describe('thinned bars', () => {
  test('keep the first open, the last close and the extremes, on any grid', () => {
    const lengths = fc.record({
      seed: fc.integer(),
      bars: fc.integer({ min: 1, max: 400 }),
      factor: fc.nat(60),
    });
    fc.assert(
      fc.property(lengths, ({ seed, bars, factor }) => {
        const { markets, fromMs, curve, barMs } = demoRun({ seed, bars, tradeChance: 0.3 });
        const candles = markets[0]?.candles;
        if (candles === undefined) throw new Error('expected a market');
        const grid = { startMs: fromMs, stepMs: barMs * (factor + 1), isThinned: true };
        const thin = thinCandles(candles, grid);
        expect(thin.at).toHaveLength(Math.ceil(bars / (factor + 1)));
        expect(isRising(thin.at)).toBe(true);
        expect(Math.max(...thin.high)).toBe(Math.max(...candles.high));
        expect(Math.min(...thin.low)).toBe(Math.min(...candles.low));
        expect(thin.open[0]).toBe(candles.open[0]);
        expect(thin.close.at(-1)).toBe(candles.close.at(-1));
        const traded = candles.volume.reduce((sum, volume) => sum + volume, 0) / 1_000;
        expect(thin.volume.reduce((sum, volume) => sum + volume, 0)).toBeCloseTo(traded, 6);
        const equity = thinEquity(curve, 10_000, grid);
        expect(equity.at).toEqual(thin.at);
        expect(Math.max(...equity.high)).toBe(Math.max(...curve.equity));
        expect(Math.min(...equity.low)).toBe(Math.min(...curve.equity));
        expect(equity.last.at(-1)).toBe(curve.equity.at(-1));
      }),
      { numRuns: 50 },
    );
  });

  test('are the bars themselves where there are few', () => {
    const sevenYears = { ...demoRun({ bars: 2 }), fromMs: 0 };
    const until = (bars: number): BacktestRun => ({ ...sevenYears, toMs: bars * 3_600_000 });
    expect(timeGrid(until(64_000))).toMatchObject({ stepMs: 3_600_000, isThinned: false });
    expect(timeGrid(until(64_001))).toMatchObject({ stepMs: 7_200_000, isThinned: true });
  });

  test('of Tehran share a step with what is known at their close', () => {
    const run = demoRun({ bars: 40, timeframe: '1d', fromMs: Date.parse('2026-01-01T20:30Z') });
    const [market] = run.markets;
    if (market === undefined) throw new Error('expected a market');
    const candles = { ...market.candles, anchors: TEHRAN_BARS };
    const grid = timeGrid({ ...run, markets: [{ ...market, candles }] });
    expect(grid).toMatchObject({ startMs: run.fromMs, stepMs: 86_400_000 });
    expect(thinEquity(run.curve, 10_000, grid).at).toEqual(thinCandles(candles, grid).at);
  });
});

describe('the data of a report', () => {
  test('keeps the trades that mattered most where there are more than a page can hold', () => {
    const run = demoRun({ bars: 20_000, tradeChance: 0.9 });
    const finished = finishRun(run);
    const { trades, fills } = reportData(finished);
    expect(finished.trips.length).toBeGreaterThan(5_000);
    expect(trades.number).toHaveLength(5_000);
    const sizes = finished.trips.map(({ profit }) => Math.abs(Number(profit) / 1e10));
    const largest = sizes.toSorted((left, right) => right - left).slice(0, 5_000);
    const shown = trades.profit.map(Math.abs).toSorted((left, right) => right - left);
    for (const index of [0, 1, 2_500, 4_999]) expect(shown[index]).toBeCloseTo(largest[index] ?? 0, 4);
    expect(trades.number.every((step) => step > 0)).toBe(true);
    expect(fills.at.length).toBeLessThanOrEqual(10_000);
  });

  test('has the extremes of the equity where a step is several bars, and else its ends alone', () => {
    const { equity } = dataOf(demoRun({ bars: 100 }));
    expect([equity.low, equity.high]).toEqual([null, null]);
    const run = demoRun({ bars: 70_000 });
    const thinned = dataOf(run).equity;
    for (const column of [thinned.last, thinned.low, thinned.high])
      expect(column?.steps).toHaveLength(thinned.at.length);
    const first = run.curve.equity.slice(0, 2);
    expect(Number(thinned.low?.steps[0]) / 10 ** (thinned.low?.decimals ?? 0)).toBeCloseTo(
      Math.min(...first),
      1,
    );
  });
});

describe('plots in a report', () => {
  const HOUR_MS = 3_600_000;
  const run = demoRun({ bars: 4 });
  const plotted = (values: readonly (readonly [hours: number, value: number])[]): PlottedSeries => ({
    strategy: 'ma-cross',
    market: 'BTCUSDT',
    name: 'fast',
    pane: null,
    style: 'line',
    color: null,
    every: 1,
    length: values.length,
    atMs: Float64Array.from(values, ([hours]) => run.fromMs + hours * HOUR_MS),
    value: Float64Array.from(values, ([, value]) => value),
  });

  test('are at the bars that close with them, the last value of each, and name their gaps', () => {
    const plots = [
      plotted([
        [0, 7],
        [1, 8],
        [2, Number.NaN],
        [2.5, 9],
        [4, 10.5],
        [3, Number.NaN],
      ]),
    ];
    const [column] = dataOf({ ...run, plots }).plots;
    expect(column).toMatchObject({ market: 0, name: 'fast', pane: null, at: [0, 1, 1, 1], gaps: [1, 2] });
    const { decimals = 0, steps = [] } = column?.values ?? {};
    let sum = 0;
    expect(steps.map((step) => (sum += step) / 10 ** decimals)).toEqual([8, 0, 0, 10.5]);
  });

  test('are named by their strategies where there are several, and left out in markets without bars', () => {
    const strategies = [...run.strategies, ...run.strategies];
    const plots = [plotted([[1, 1]]), { ...plotted([[1, 1]]), market: 'ETHUSDT' }];
    const names = dataOf({ ...run, strategies, plots }).plots.map(({ name }) => name);
    expect(names).toEqual(['ma-cross: fast']);
  });

  test('say so where values were left out', () => {
    const html = reportHtml(finishRun({ ...run, plots: [{ ...plotted([[1, 1]]), every: 4 }] }));
    expect(html).toContain('as a series has 65,536 at most: fast (one of 4).');
    expect(reportHtml(finishRun({ ...run, plots: [plotted([[1, 1]])] }))).not.toContain('65,536 at most');
  });
});

describe('the exits of brackets in a report', () => {
  const HOUR_MS = 3_600_000;
  const run = demoRun({ bars: 100, tradeChance: 0.5 });
  const [entry, exit] = run.orders;
  if (entry === undefined || exit === undefined) throw new Error('expected two orders');
  /** Makes an exit order of one bracket that rested from one hour to another. */
  const exitOf = (
    kind: ExitKind,
    of: { readonly price: string; readonly from: number; readonly to: number | null },
  ): OrderRecord => ({
    ...exit,
    key: `${kind}-${of.from}`,
    intentId: 'bracket',
    exit: kind,
    price: kind === 'take-profit' ? parseUnits(of.price) : null,
    stopPrice: kind === 'take-profit' ? null : parseUnits(of.price),
    sentAtMs: run.fromMs + of.from * HOUR_MS,
    closedAtMs: of.to === null ? null : run.fromMs + of.to * HOUR_MS,
    state: of.to === null ? 'open' : 'cancelled',
  });

  test('rest from step to step, a stop that moved behind the one before it', () => {
    const orders = [
      ...run.orders,
      exitOf('trail', { price: '95', from: 2, to: 5 }),
      exitOf('take-profit', { price: '120', from: 2, to: null }),
      exitOf('trail', { price: '97.5', from: 5, to: null }),
    ];
    expect(dataOf({ ...run, orders }).exits).toEqual({
      market: [0, 0, 0],
      from: [2, 2, 5],
      to: [4, 99, 99],
      isTarget: [0, 1, 0],
      price: [95, 120, 97.5],
      before: [-1, -1, 0],
    });
  });

  test('say by which exit a trade ended, and what its entry was called', () => {
    const orders = run.orders.map((order) => ({ ...order, tag: 'dip', exit: 'stop-loss' as const }));
    const { trades } = dataOf({ ...run, orders });
    expect(new Set(trades.tag)).toEqual(new Set(['dip']));
    expect(trades.exit[0]).toBe('stop-loss');
    expect(dataOf(run).trades.exit.every((name) => name === '')).toBe(true);
  });

  test('say whose trade it was where there are several strategies', () => {
    expect(dataOf(run).trades.strategy).toEqual([]);
    const finished = finishRun(run);
    const trips = finished.trips.map((trip, index) => ({ ...trip, strategy: index === 0 ? 'grid' : 'dca' }));
    const { strategy } = reportData({ ...finished, trips }).trades;
    expect([strategy.length, strategy[0], strategy.at(-1)]).toEqual([trips.length, 'grid', 'dca']);
  });

  test('are those of the trades that are shown where there are too many', () => {
    const many = Array.from({ length: 10_001 }, (_, index) =>
      exitOf('trail', { price: (90 + index / 1_000).toFixed(3), from: index % 90, to: (index % 90) + 1 }),
    );
    expect(dataOf({ ...run, orders: [...run.orders, ...many] }).exits.price).toEqual([]);
    const own = many.map((order) => ({ ...order, intentId: exit.intentId }));
    const known = run.orders.map((order) =>
      order === exit ? { ...exit, exit: 'trail' as const, stopPrice: parseUnits('90') } : order,
    );
    expect(dataOf({ ...run, orders: [...known, ...own] }).exits.price).toHaveLength(10_000);
  });
});

describe('a report', () => {
  test('of a million bars, tens of thousands of trades and thousands of locks is below three megabytes', () => {
    const run = demoRun({ bars: 1_051_200, timeframe: '1m', tradeChance: 0.05 });
    const inRial = run.markets.map((traded) => {
      const { candles } = traded;
      const { open, high, low, close } = candles;
      return {
        ...traded,
        candles: {
          ...candles,
          open: inRials(open),
          high: inRials(high),
          low: inRials(low),
          close: inRials(close),
        },
      };
    });
    const records = Array.from({ length: 10_000 }, (_, index) =>
      lockRecord({
        beganAtMs: run.fromMs + index * 6_000_007,
        endedAtMs: run.fromMs + index * 6_000_007 + 1_000_003 + index,
        reason: `equity fell ${index / 1_000} % within 7 d, from ${index * 7_919} to ${index * 7_907} rls`,
      }),
    );
    const html = reportHtml(finishRun({ ...run, markets: inRial, locks: { records, more: 0 } }));
    expect(html.length).toBeLessThan(3_000_000);
    expect(html).toContain('each bar above stands for 17 min');
  });

  test('holds its data packed, and names nothing outside but the source of its charts', () => {
    const run = demoRun({ bars: 50 });
    const html = reportHtml(finishRun(run));
    const packed = /id="data">([^<]+)</.exec(html)?.[1] ?? '';
    expect(JSON.parse(gunzipSync(Buffer.from(packed, 'base64')).toString())).toEqual(
      JSON.parse(JSON.stringify(dataOf(run))),
    );
    expect(html).toContain(`content="default-src 'none'`);
    const markup = html.replaceAll(/<script>.*?<\/script>/gs, '');
    expect(markup.length).toBeLessThan(40_000);
    expect(markup).not.toMatch(/ src=|<link|@import|url\(/);
    expect(markup.match(/https?:[^"]*/g)).toEqual(['https://www.tradingview.com/']);
  });

  test('shows text of the run as text', () => {
    const run = demoRun({
      bars: 50,
      warnings: ['</script><img src=x onerror=alert(1)>'],
      strategy: '<i>"x"</i>',
    });
    const html = reportHtml(finishRun(run));
    expect(html).not.toContain('<img');
    expect(html).not.toContain('<i>');
    expect(html).toContain('&lt;img src=x onerror=alert(1)&gt;');
  });
});

/** Returns the labels of bin edges for closed trades with these returns, in hundredths of a percent. */
function edgesOf(returnsBps: readonly number[], language: 'en' | 'fa'): readonly string[] {
  const trips = returnsBps.map((bps) => ({
    isOpen: false,
    profit: parseUnits(String(bps)),
    cost: parseUnits('10000'),
  }));
  const html = distributionSection(trips, reportVoice(language));
  return [...html.matchAll(/text-anchor="(?:start|middle)">([^<]*[%٪][^<]*)</g)].map(([, text = '']) =>
    withoutDirectionMarks(text),
  );
}

test('edges of columns have as few decimals as tell them apart, since three look like thousands', () => {
  expect(edgesOf([-120, -40, 10, 90], 'fa')).toContain('-۱٫۲٪');
  expect(edgesOf([-12, -4, 1, 9], 'en')).toContain('-0.12 %');
  // Labels of quarter percents have two decimals, and no edge is rounded away.
  expect(edgesOf([-300, 0, 280], 'en')).toContain('-2.25 %');
  expect(edgesOf([-1.2, 0.9], 'en')).toContain('-0.012 %');
});
