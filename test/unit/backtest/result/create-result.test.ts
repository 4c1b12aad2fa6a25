import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createResult } from '../../../../src/backtest/backtest.ts';
import { finishRun, runSummary } from '../../../../src/backtest/finish-run.ts';
import {
  parseResultHead,
  writeResultJson,
  writeResultLine,
} from '../../../../src/backtest/read-run-folder.ts';
import {
  backtestResultSchema,
  resultSchemaText,
  summarySchema,
} from '../../../../src/backtest/result-schema.ts';
import { parseUnits } from '../../../../src/domain/money.ts';
import { demoRun } from '../demo-run.ts';
import { written } from './written.ts';

const CREATED_MS = Date.UTC(2024, 0, 31, 12);

describe('a result', () => {
  test('is what its schema says, whatever the run was', () => {
    const runs = fc.record({
      seed: fc.integer(),
      bars: fc.integer({ min: 1, max: 80 }),
      tradeChance: fc.double({ min: 0, max: 1, noNaN: true }),
    });
    fc.assert(
      fc.property(runs, (options) => {
        const run = demoRun(options);
        const result = createResult(run, CREATED_MS);
        const finished = finishRun(run, CREATED_MS);
        const text = written((out) => writeResultJson(finished, out));
        expect(backtestResultSchema.parse(JSON.parse(text))).toEqual(result);
        const line = written((out) => writeResultLine(finished, { folder: 'a/b' }, out));
        expect(JSON.parse(line)).toEqual({ ...result, folder: 'a/b' });
        expect(line.indexOf('\n')).toBe(line.length - 1);
      }),
      { numRuns: 30 },
    );
  });

  test('has its schema as a JSON Schema in the reference (npx vitest run -u writes it)', async () => {
    await expect(resultSchemaText()).toMatchFileSnapshot(
      '../../../../docs/reference/backtest-result.schema.json',
    );
  });

  test('explains every figure of its summary in docs/metrics.md, and no other', () => {
    const page = readFileSync('docs/metrics.md', 'utf8');
    const explained = [...page.matchAll(/^\| `(\w+)`/gm)].map((match) => match[1] ?? '');
    expect(explained.toSorted()).toEqual(Object.keys(summarySchema.shape).toSorted());
  });

  test('makes each table once, from what the run did', () => {
    const run = demoRun();
    const result = createResult(run, CREATED_MS);
    expect(result.orders).toBe(result.orders);
    expect(result.orders.key).toEqual(run.orders.map(({ key }) => key));
    expect(structuredClone(result)).toEqual({ ...result });
  });

  test('has money to the last digit', () => {
    const run = demoRun();
    const { summary } = createResult(run, CREATED_MS);
    expect(summary.initialEquity).toBe('10000');
    expect(parseUnits(summary.finalEquity)).toBe(run.finalEquity);
    expect(parseUnits(summary.profit)).toBe(run.finalEquity - run.initialEquity);
  });

  test('counts closed trades as trades, and lists the open one beside them', () => {
    const { summary, trades } = createResult(demoRun(), CREATED_MS);
    expect(trades.isOpen).toHaveLength(summary.trades + summary.openTrades);
    expect(trades.isOpen.filter(Boolean)).toHaveLength(summary.openTrades);
    expect(trades.number).toEqual(trades.number.map((_, index) => index + 1));
  });

  test('has timing with events by the second', () => {
    const run = demoRun({ bars: 50 });
    const timing = { loadMs: 1, fromCache: false, runMs: 200, events: 50 };
    expect(createResult({ ...run, timing }).timing).toEqual({ ...timing, eventsPerS: 250 });
    expect(createResult({ ...run, timing: { ...timing, runMs: 0 } }).timing.eventsPerS).toBeNull();
  });

  test('warns of a strategy that stopped, and of sales that no buy had brought', () => {
    const run = demoRun({ warnings: ['Known before.'] });
    const [strategy] = run.strategies;
    const sell = run.fills.find(({ side }) => side === 'sell');
    if (strategy === undefined || sell === undefined) throw new Error('expected a strategy and a sale');
    const strategies = [{ ...strategy, failure: 'it threw at candle 7' }];
    const { warnings } = createResult({ ...run, strategies, fills: [sell] });
    expect(warnings).toEqual([
      'Known before.',
      'ma-cross on BTCUSDT stopped before the end: it threw at candle 7',
      expect.stringMatching(/^ma-cross sold [\d.]+ on BTCUSDT that no buy of it had brought in this run/),
    ]);
  });

  test('has no figure of a year of less than 30 days, and says why; a study compares by them', () => {
    const year = /^no figure of a year .* is shown: the run is 29 d 23 h long, and less than 30 days say/;
    const none = { cagr: null, volatility: null, sharpe: null, sortino: null, calmar: null };
    const short = demoRun({ bars: 24 * 30 - 1 });
    expect(createResult(short).warnings).toEqual([expect.stringMatching(year)]);
    expect(createResult(short).summary).toEqual({ ...runSummary(short), ...none });
    expect(runSummary(short).sharpe).not.toBeNull();
    const long = demoRun({ bars: 24 * 30 });
    expect(createResult(long).warnings).toEqual([]);
    expect(createResult(long).summary).toEqual(runSummary(long));
    expect(createResult(long).summary.sharpe).not.toBeNull();
  });

  test('warns that much of the time has no bars', () => {
    const run = demoRun({ bars: 24 * 31 });
    const curve = (length: number) => ({ ...run, curve: { ...run.curve, length } });
    expect(createResult(curve(24 * 30)).warnings).toEqual([]);
    expect(createResult(curve(24 * 16)).warnings).toEqual([
      '48 % of the time has no bars: volatility, Sharpe and Sortino are annualised by the 384 bars there are, and what happened in a gap is one return',
    ]);
  });

  test('keeps the extremes of its curve in the sketch', () => {
    const run = demoRun({ bars: 5_000 });
    const { sketch } = createResult(run);
    const values = run.curve.equity;
    expect(sketch.equity.length).toBeLessThanOrEqual(320);
    expect(Math.max(...sketch.equity)).toBe(Math.max(...values));
    expect(Math.min(...sketch.equity)).toBe(Math.min(...values));
    expect(sketch.timeMs).toEqual(sketch.timeMs.toSorted((left, right) => left - right));
    expect(sketch.equity.at(-1)).toBe(values.at(-1));
  });

  test('is read where it was written before there were locks and members', () => {
    const { locks, ...before } = finishRun(demoRun(), CREATED_MS).head;
    expect(parseResultHead(JSON.stringify(before))).toEqual({ ...before, locks });
  });

  test('is read again without its tables, and refused when it is of another version', () => {
    const { head } = finishRun(demoRun(), CREATED_MS);
    expect(parseResultHead(JSON.stringify(head))).toEqual(head);
    expect(() => parseResultHead(JSON.stringify({ ...head, schema: 1 }))).toThrow('schema');
  });
});
