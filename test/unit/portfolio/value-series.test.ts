import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseUnits, type Units } from '../../../src/domain/money.ts';
import {
  drawdownOf,
  profitOfTehranDay,
  valuesOf,
  withoutDeposits,
  type ValueAt,
} from '../../../src/portfolio/value-series.ts';

const HOUR_MS = 3_600_000;
/** 2 April 2026, 00:00 in Tehran. */
const MIDNIGHT_MS = Date.parse('2026-04-01T20:30:00Z');

const at = (atMs: number, value: string): ValueAt => ({ atMs, value: parseUnits(value) });
const series = (...values: readonly string[]): readonly ValueAt[] =>
  values.map((value, index) => at(index, value));

describe('the profit of a day in Tehran', () => {
  const yesterday = at(MIDNIGHT_MS - HOUR_MS, '90');

  test.each([
    [
      'begins with the value of midnight',
      [yesterday, at(MIDNIGHT_MS + 5, '100'), at(MIDNIGHT_MS + HOUR_MS, '103.5')],
      '3.5',
      MIDNIGHT_MS + 5,
    ],
    [
      'begins with the last value before it, where the bot began later',
      [yesterday, at(MIDNIGHT_MS + 5 * HOUR_MS, '103.5')],
      '13.5',
      yesterday.atMs,
    ],
    [
      'begins with its first value, where there is none before',
      [at(MIDNIGHT_MS + HOUR_MS, '100'), at(MIDNIGHT_MS + 2 * HOUR_MS, '99')],
      '-1',
      MIDNIGHT_MS + HOUR_MS,
    ],
    [
      'ends with midnight',
      [at(MIDNIGHT_MS, '100'), at(MIDNIGHT_MS + 23 * HOUR_MS, '104'), at(MIDNIGHT_MS + 24 * HOUR_MS, '200')],
      '4',
      MIDNIGHT_MS,
    ],
  ] as const)('%s', (_, values, profit, sinceMs) => {
    expect(profitOfTehranDay(values, MIDNIGHT_MS + 12 * HOUR_MS)).toEqual({
      profit: parseUnits(profit),
      sinceMs,
    });
  });

  test('is not known without a value of the day', () => {
    expect(profitOfTehranDay([yesterday], MIDNIGHT_MS + HOUR_MS)).toBeNull();
    expect(profitOfTehranDay([], MIDNIGHT_MS)).toBeNull();
  });
});

describe('a drawdown', () => {
  test('is from the highest so far to now, and the deepest of all', () => {
    const { now, deepest } = drawdownOf(series('100', '120', '90', '130', '117')) ?? {};
    expect(now).toEqual({
      low: parseUnits('117'),
      depth: parseUnits('13'),
      depthBps: 1_000,
    });
    expect(deepest).toMatchObject({ low: parseUnits('90'), depth: parseUnits('30'), depthBps: 2_500 });
  });

  test('is none at the highest, and has no share of nothing', () => {
    expect(drawdownOf(series('1', '2'))).toMatchObject({ now: { depth: 0n, depthBps: 0 } });
    expect(drawdownOf(series('-2', '-5'))).toMatchObject({ now: { depth: parseUnits('3'), depthBps: null } });
    expect(drawdownOf([])).toBeNull();
  });

  test('is as deep as the deepest of all pairs', () => {
    fc.assert(
      fc.property(fc.array(fc.bigInt(-50n, 50n), { minLength: 1, maxLength: 30 }), (numbers) => {
        const values = numbers.map((value, atMs) => ({ atMs, value: value as Units }));
        const falls = numbers.flatMap((high, index) => numbers.slice(index).map((low) => high - low));
        const most = falls.reduce((left, right) => (left > right ? left : right));
        expect(drawdownOf(values)?.deepest.depth).toBe(most);
      }),
    );
  });
});

test('equity without deposits falls and rises by profits alone, and ends with what there is', () => {
  const profits = series('0', '5', '-3');
  expect(withoutDeposits(profits, parseUnits('1000'))).toEqual(series('1003', '1008', '1000'));
  expect(withoutDeposits([], parseUnits('1000'))).toEqual([]);
});

test('the values of a series are read to the last digit, without its gaps', () => {
  const figures = [
    { atMs: 1, value: '12600000000.0000000001' },
    { atMs: 2, value: null },
  ];
  expect(valuesOf(figures)).toEqual([{ atMs: 1, value: 126_000_000_000_000_000_001n }]);
});
