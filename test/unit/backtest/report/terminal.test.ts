import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { brailleChart, resultLines, figureGroups } from '../../../../src/backtest/summary-lines.ts';
import { comparisonRows, differentGrounds, figureDifferences } from '../../../../src/backtest/difference.ts';
import { shownMoney, numberText, percentText } from '../../../../src/backtest/value-text.ts';
import { finishRun } from '../../../../src/backtest/finish-run.ts';
import { demoRun, type DemoRunOptions } from '../demo-run.ts';
import { durationText, minuteText } from '../../../../src/domain/time-text.ts';

const kept = (options: DemoRunOptions) => ({
  run: 'a run',
  path: 'a path',
  result: finishRun(demoRun(options)).head,
});

test.each([
  [shownMoney('1234567.895', 'usdt'), '1,234,567.90'],
  [shownMoney('-0.001', 'usdt'), '0.00'],
  [shownMoney('98765432109876543210.5', 'rls'), '98,765,432,109,876,543,210'],
  [shownMoney(-12.345, 'usdt'), '-12.35'],
  [percentText(0.12345), '12.35 %'],
  [percentText(-0.000_001), '0.00 %'],
  [percentText(123.4), '12,340 %'],
  [percentText(null), 'n/a'],
  [numberText(1.234e9), '1.23e+9'],
  [numberText(-1_234.5), '-1,234.50'],
  [durationText(0), '0 s'],
  [durationText(400), '< 1 s'],
  [durationText(61_000), '1 min 1 s'],
  [durationText(7_200_000), '2 h'],
  [durationText(90_061_000), '1 d 1 h'],
  [durationText(-7_200_000), '-2 h'],
  [minuteText(Date.UTC(2024, 1, 3)), '2024-02-03'],
  [minuteText(Date.UTC(2024, 1, 3, 4, 5)), '2024-02-03 04:05'],
])('values before people are written as %s', (text, expected) => {
  expect(text).toBe(expected);
});

describe('a braille chart', () => {
  test('draws a rise from the lower left to the upper right', () => {
    const chart = brailleChart(
      { timeMs: [0, 1, 2, 3, 4, 5, 6, 7], value: [0, 1, 2, 3, 4, 5, 6, 7] },
      { width: 4, height: 2 },
    );
    expect(chart).toEqual(['⠀⠀⡠⠊', '⡠⠊⠀⠀']);
  });

  test('draws what does not move in the middle', () => {
    expect(brailleChart({ timeMs: [0, 1], value: [5, 5] }, { width: 2, height: 1 })).toEqual(['⠒⠒']);
  });

  test('has the size that was asked for, whatever it draws', () => {
    const values = fc.array(fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e9, max: 1e9 }), {
      minLength: 1,
    });
    const size = fc.record({
      width: fc.integer({ min: 1, max: 80 }),
      height: fc.integer({ min: 1, max: 6 }),
    });
    fc.assert(
      fc.property(values, size, (value, { width, height }) => {
        const lines = brailleChart({ timeMs: value.map((_, index) => index), value }, { width, height });
        expect(lines.map((line) => line.length)).toEqual(Array.from({ length: height }, () => width));
        expect(lines.join('')).toMatch(/^[\u2800-\u28ff]+$/);
        expect(lines.join('')).toMatch(/[^\u2800]/);
      }),
    );
  });
});

describe('a summary on a terminal', () => {
  test('fits eighty columns, whatever the run was', () => {
    const runs = fc.record({
      seed: fc.integer(),
      bars: fc.integer({ min: 1, max: 60 }),
      tradeChance: fc.double({ min: 0, max: 1, noNaN: true }),
      cash: fc.constantFrom('1', '10000', '123456789012345.67'),
      warnings: fc.array(fc.string({ maxLength: 300 }), { maxLength: 2 }),
    });
    fc.assert(
      fc.property(runs, (options) => {
        const lines = resultLines(kept(options).result);
        expect(lines.filter((line) => line.length > 80)).toEqual([]);
      }),
      { numRuns: 40 },
    );
  });

  test('has every figure of the summary', () => {
    const { summary } = kept({ requests: 4_000 }).result;
    const names = figureGroups(summary).flatMap(({ figures }) => figures.map(({ name }) => name));
    expect(names.toSorted()).toEqual(Object.keys(summary).toSorted());
    const text = resultLines(kept({ requests: 4_000 }).result).join('\n');
    for (const { figures } of figureGroups(summary)) {
      for (const figure of figures) expect(text).toContain(figure.title);
    }
  });
});

describe('a comparison', () => {
  test('says by how much the second is higher, money to the last digit', () => {
    const [first, second] = [kept({ seed: 1 }).result.summary, kept({ seed: 2 }).result.summary];
    const differences = new Map(figureDifferences(first, second).map((one) => [one.name, one]));
    expect(differences.get('initialEquity')?.difference).toBe('0');
    expect(differences.get('trades')?.difference).toBe(second.trades - first.trades);
    expect(differences.get('quote')?.difference).toBeNull();
    expect(
      figureDifferences(first, { ...second, quote: 'rls' }).find(({ name }) => name === 'profit')?.difference,
    ).toBe(null);
  });

  test('has a row a figure, signed', () => {
    const rows = comparisonRows(kept({ cash: '10000' }), kept({ cash: '10001.5' }));
    expect(rows.find(([title]) => title === 'Initial equity')).toEqual([
      'Initial equity',
      '10,000.00',
      '10,001.50',
      '+1.50',
    ]);
    expect(comparisonRows(kept({}), kept({})).every(([, , , difference]) => difference === '')).toBe(true);
  });

  test('names what else differs, so that nobody compares what can not be', () => {
    expect(differentGrounds(kept({}).result, kept({}).result)).toEqual([]);
    expect(differentGrounds(kept({}).result, kept({ bars: 500 }).result)).toEqual([
      'The runs differ in the span of time.',
      'The runs differ in the markets.',
    ]);
  });
});
