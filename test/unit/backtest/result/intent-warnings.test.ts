import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { finishRun, intentWarnings } from '../../../../src/backtest/finish-run.ts';
import { createResult } from '../../../../src/backtest/backtest.ts';
import { CSV_FILES } from '../../../../src/backtest/result/result-tables.ts';
import { reportHtml } from '../../../../src/backtest/report/report-html.ts';
import { resultLines } from '../../../../src/backtest/summary-lines.ts';
import { english } from '../../../../src/language/sentence.ts';
import { defineStrategy } from '../../../../src/strategy/definition.ts';
import { sma } from '../../../../src/strategy/sdk.ts';
import { runBars, TETHER, walkOf } from '../candle-run.ts';
import { demoRun } from '../demo-run.ts';
import { written } from './written.ts';
import { reportVoice } from '../../../../src/backtest/report-voice.ts';

const refusal = (code: string, count: number, what = 'place') => ({
  what,
  code,
  count,
  example: 'the price of <5> is too high',
  firstAtMs: Date.UTC(2024, 0, 1),
  lastAtMs: Date.UTC(2024, 0, 2),
});

const { orders } = demoRun();
const warningsOf = (count: number, refusals: readonly ReturnType<typeof refusal>[], placed = 10) =>
  intentWarnings({
    intents: [{ strategy: 'ma-cross', count, refusals }],
    orders: orders.slice(0, placed),
  }).map(reportVoice('en').format);

describe('a warning', () => {
  test('says that a strategy placed nothing, how much it wanted, and why it was refused', () => {
    expect(warningsOf(0, [], 0)).toEqual(['ma-cross placed no order: it had no intent']);
    expect(warningsOf(3, [], 0)).toEqual([
      'ma-cross placed no order: it made 3 intents, none of which became an order',
    ]);
    expect(warningsOf(695, [refusal('risk data-age', 695)], 0)).toEqual([
      'ma-cross placed no order: it made 695 intents, and was refused: 695 place by risk data-age (2024-01-01: the price of <5> is too high)',
    ]);
  });

  test('says that more than a tenth was refused, and not a tenth', () => {
    expect(warningsOf(10, [refusal('fit', 1)], 9)).toEqual([]);
    expect(warningsOf(10, [refusal('fit', 2)], 9)).toEqual([
      expect.stringContaining('2 of 11 orders that it wanted were refused (18 %)'),
    ]);
  });

  test('counts an order that was placed and rejected once, and no cancels', () => {
    expect(warningsOf(10, [refusal('OverValueOrder', 1, 'order')], 10)).toEqual([]);
    expect(warningsOf(10, [refusal('OverValueOrder', 2, 'order')], 10)).toEqual([
      expect.stringContaining('2 of 10'),
    ]);
    expect(warningsOf(99, [refusal('unknown', 80, 'cancel')], 10)).toEqual([]);
  });

  test('names three reasons', () => {
    const refusals = ['a', 'b', 'c', 'd', 'e'].map((code) => refusal(code, 5));
    expect(warningsOf(25, refusals, 0)[0]).toMatch(/5 place by c \(.*\); and 2 more reasons$/);
  });
});

describe('a result', () => {
  const run = {
    ...demoRun(),
    intents: [
      {
        strategy: 'ma-cross',
        count: 900,
        refusals: [refusal('risk data-age', 695), refusal('fit', 2), refusal('OverValueOrder', 1, 'order')],
      },
    ],
  };
  const finished = finishRun(run);
  const result = finished.head;

  test('counts what was refused in its summary, by reason, on the terminal, in its table and on its page', () => {
    expect(result.summary).toMatchObject({ intents: 900, refused: 698 });
    expect(result.refusals.map(({ strategy, code, count }) => [strategy, code, count])).toEqual([
      ['ma-cross', 'risk data-age', 695],
      ['ma-cross', 'fit', 2],
      ['ma-cross', 'OverValueOrder', 1],
    ]);
    const lines = resultLines(result);
    const from = lines.indexOf('  695  risk data-age (place), ma-cross');
    expect(lines.slice(from, from + 7)).toEqual([
      '  695  risk data-age (place), ma-cross',
      '       First: the price of <5> is too high',
      '    2  fit (place), ma-cross',
      '       First: the price of <5> is too high',
      '    1  OverValueOrder (order), ma-cross',
      '       The order is worth more than the usable balance. First: the price of <5>',
      '       is too high',
    ]);
    expect(lines.every((line) => line.length <= 80)).toBe(true);
    const tables = { ...createResult(run), curve: run.curve };
    expect(written((out) => CSV_FILES['refusals.csv'](tables, out))).toContain(
      'ma-cross,risk data-age,place,695,,the price of <5> is too high,2024-01-01T00:00:00.000Z',
    );
    const page = reportHtml(finished);
    expect(page).toContain('id="refusals"');
    expect(page).toContain('the price of &lt;5&gt; is too high');
    expect(page).toContain('The order is worth more than the usable balance.<br>the price of');
  });

  test('says on a terminal the beginning of a long reason', () => {
    const long = { ...refusal('fit', 1), example: 'a word '.repeat(60) };
    const lines = resultLines(
      finishRun({ ...run, intents: [{ strategy: 'a', count: 1, refusals: [long] }] }).head,
    );
    const from = lines.indexOf('  1  fit (place), a');
    expect(lines.slice(from + 1, from + 5).map((line) => line.trim().length > 0)).toEqual([
      true,
      true,
      true,
      false,
    ]);
    expect(lines[from + 3]).toMatch(/^ {5}.*…$/);
    expect(lines.every((line) => line.length <= 80)).toBe(true);
  });

  test('names indicators that the run was too short for, and how many candles they need', () => {
    const strategy = defineStrategy({
      name: 'slow',
      data: ({ market }) => ({ bars: market.candles('1h') }),
      indicators: ({ bars }) => ({ fast: sma(bars, 2), trend: sma(bars, 200) }),
      on: { bars: ({ buy }) => buy({ amount: 1 }) },
    });
    const columns = walkOf(TETHER, { bars: 20, seed: 5, price: 60_000 });
    const { intents } = runBars({ market: TETHER, columns, strategy, cash: '10000' });
    expect(intentWarnings({ intents, orders: [] }).map(reportVoice('en').format)).toEqual([
      'slow placed no order: it had no intent',
      'slow: the run is too short for trend, without a value to its end: 200 candles are needed for the first; give it more of them, or a shorter length',
    ]);
  });

  test('has what a strategy was refused in a run', () => {
    const strategy = defineStrategy({
      name: 'greedy',
      params: z.strictObject({}),
      data: ({ market }) => ({ bars: market.candles('1h') }),
      on: {
        bars({ buy, cancel }) {
          buy({ amount: 0.000_000_1 });
          buy({ amount: 1, price: 900_000 });
          buy({ amount: 5000 });
          buy({ amount: 0.1, stopPrice: 100 });
          cancel('nobody-1');
        },
      },
    });
    const columns = walkOf(TETHER, { bars: 20, seed: 5, price: 60_000 });
    const { intents } = runBars({ market: TETHER, columns, strategy, cash: '10000' });
    expect(intents).toHaveLength(1);
    expect(intents[0]?.count).toBe(100);
    const exampleOf = (wanted: string) =>
      english(intents[0]?.refusals.find(({ code }) => code === wanted)?.example ?? '');
    expect(exampleOf('PriceConditionFailed')).toMatch(
      /^\S+: PriceConditionFailed: buy 0\.1 in BTCUSDT at the market once 100 is reached$/,
    );
    expect(exampleOf('funds')).toMatch(
      /^expected at most 10000 USDT to be spent, was [0-9.]+: the account has 10000$/,
    );
    const counts = intents[0]?.refusals.map(({ what, code, count }) => `${count} ${what} by ${code}`) ?? [];
    expect(counts.toSorted()).toEqual([
      '20 cancel by unknown',
      '20 order by PriceConditionFailed',
      '20 place by fit',
      '20 place by funds',
      '20 place by risk price-collar',
    ]);
  });
});
