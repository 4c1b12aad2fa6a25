import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseUnits } from '../../../../src/domain/money.ts';
import { sharedOut } from '../../../../src/engine/algorithms/algorithms.ts';
import { refusalOf, runAlgorithm } from './algorithm-table.ts';

const four = {
  kind: 'vwap',
  market: 'BTCUSDT',
  side: 'buy',
  amount: '10',
  overMs: 40_000,
  profile: ['1', '4', '3', '2'],
} as const;

describe('a VWAP', () => {
  test('places slices as large as their volume, each at its time', () =>
    runAlgorithm(four)(`
      book 99 100 => place buy 1, wake 10000
      1 filled => wake 10000
      at 10000 => place buy 4, wake 20000
      2 filled => wake 20000
      at 20000 => place buy 3, wake 30000
      3 filled => wake 30000
      at 30000 => place buy 2, wake 40000
      4 filled => done filled
    `));

  test('gives what rounding leaves to the largest remainders', () =>
    runAlgorithm({ ...four, amount: '1', overMs: 30_000, profile: ['1', '1', '1'] })(`
      book 99 100 => place buy 0.334, wake 10000
      1 filled => wake 10000
      at 10000 => place buy 0.333, wake 20000
      2 filled => wake 20000
      at 20000 => place buy 0.333, wake 30000
      3 filled => done filled
    `));

  test('places nothing in a time without volume, and holds what is too little for an order', () =>
    runAlgorithm({ ...four, profile: ['0', '0.03', '6', '3.97'] })(`
      book 99 100 => wake 10000
      at 10000 => wake 20000                       # 0.03 is worth 3
      at 20000 => place buy 6.03, wake 30000
      1 filled => wake 30000
      at 30000 => place buy 3.97, wake 40000
      2 filled => done filled
    `));

  test('spreads what was missed by the volume of the slices that remain', () =>
    runAlgorithm(four)(`
      book 99 100 => place buy 1, wake 10000
      refused too large => wake 10000
      at 20000 => place buy 6, wake 30000          # 5 were missed, of which 3 of 5 parts come here
      2 filled => wake 30000
      at 30000 => place buy 4, wake 40000
      3 filled => done filled
    `));

  test('rolls the rest of a limit slice whole into the next', () =>
    runAlgorithm({ ...four, price: '100' })(`
      start => place buy 1@100, wake 10000
      1 open 0.4 => wake 10000
      at 10000 => cancel 1
      1 cancelled 0.4 => place buy 4.6@100, wake 20000
    `));

  test('ends with a rest that is too little for an order', () =>
    runAlgorithm({ ...four, overMs: 20_000, profile: ['9.97', '0.03'] })(`
      book 99 100 => place buy 9.97, wake 10000
      1 filled => wake 10000
      at 10000 => done filled but for a rest below the minimum
    `));

  test.each([
    ['no volume', { profile: ['0', '0'] }],
    ['no time', { overMs: 0 }],
    ['no amount', { amount: '0' }],
    ['no price', { price: '-1' }],
    ['only slices below a step', { amount: '0.0009' }],
    ['only slices below the minimum', { amount: '0.1' }],
  ])('is refused with %s', (_, fields) => {
    expect(refusalOf({ ...four, ...fields })).toMatch(/^expected /);
  });
});

test('an amount that is shared out adds up, and no part is a step away from its share', () => {
  const step = parseUnits('0.001');
  fc.assert(
    fc.property(
      fc.bigInt({ min: 0n, max: 10_000_000n }),
      fc.array(fc.bigInt({ min: 0n, max: 10n ** 12n }), { minLength: 1, maxLength: 20 }),
      (steps, volumes) => {
        const weights = [...volumes, 1n];
        const whole = weights.reduce((sum, weight) => sum + weight, 0n);
        const parts = sharedOut((steps * step) as typeof step, weights, step);
        expect(parts.reduce((sum, part) => sum + part, 0n)).toBe(steps * step);
        for (const [index, part] of parts.entries()) {
          const away = (part / step) * whole - steps * (weights[index] ?? 0n);
          expect(away < whole && -away < whole).toBe(true);
        }
      },
    ),
    { numRuns: 50 },
  );
});
