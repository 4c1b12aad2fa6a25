import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseUnits } from '../../../../src/domain/money.ts';
import { sharedOut } from '../../../../src/engine/algorithms/algorithms.ts';
import { refusalOf, scenariosOf } from './algorithm-table.ts';

const four = {
  kind: 'twap',
  market: 'BTCUSDT',
  side: 'buy',
  amount: '10',
  overMs: 40_000,
  slices: 4,
} as const;
const fourLimit = { ...four, price: '100' };

describe('a TWAP', () => {
  scenariosOf(four)`
    places equal slices, each at its time
      start => place buy 2.5, wake 10000
      1 filled => wake 10000
      at 9999 => wake 10000
      at 10000 => place buy 2.5, wake 20000
      2 filled => wake 20000
      at 20000 => place buy 2.5, wake 30000
      3 filled => wake 30000
      at 30000 => place buy 2.5, wake 40000
      4 filled => done filled

    leaves what rounding leaves to the last ${{ ...four, side: 'sell', amount: '1', slices: 3, overMs: 100 }}
      start => place sell 0.333, wake 33
      1 filled => wake 33
      at 33 => place sell 0.333, wake 66
      2 filled => wake 66
      at 66 => place sell 0.334, wake 100

    leaves all of it to the last, however much ${{ ...four, amount: '0.403' }}
      start => place buy 0.1, wake 10000
      1 filled => wake 10000
      at 10000 => place buy 0.1, wake 20000
      2 filled => wake 20000
      at 20000 => place buy 0.1, wake 30000
      3 filled => wake 30000
      at 30000 => place buy 0.103, wake 40000

    places a late slice once, and spreads what was missed over those that remain
      ${{ ...four, slices: 5, overMs: 50_000 }}
      start => place buy 2, wake 10000
      1 filled => wake 10000
      at 25000 => place buy 2.666, wake 30000     # 8 over three slices
      2 filled => wake 30000
      at 30000 => place buy 2.667, wake 40000
      3 filled => wake 40000
      at 40000 => place buy 2.667, wake 50000
      4 filled => done filled

    places nothing when it comes back after its time
      start => place buy 2.5, wake 10000
      1 filled => wake 10000
      at 40000 => done its time is over

    rolls the rest of a limit slice into the next ${fourLimit}
      start => place buy 2.5@100, wake 10000
      1 open 0.5 => wake 10000
      at 10000 => cancel 1
      1 cancelling => -
      at 10100 => -
      1 settling 0.5/1 => -
      1 cancelled 1 => place buy 4@100, wake 20000
      2 filled => wake 20000
      at 20000 => place buy 2.5@100, wake 30000
      3 open => wake 30000
      at 30000 => cancel 3
      3 cancelled => place buy 5@100, wake 40000
      4 open 1 => wake 40000
      at 40000 => cancel 4
      4 cancelled 1.5 => done its time is over

    rolls it whole into one slice when others were missed besides
      ${{ ...fourLimit, slices: 5, overMs: 50_000 }}
      start => place buy 2@100, wake 10000
      1 open => wake 10000
      at 25000 => cancel 1
      1 cancelled 0.5 => place buy 4.166@100, wake 30000  # 1.5, and a third of 8

    spreads it like any other when that slice is refused ${fourLimit}
      start => place buy 2.5@100, wake 10000
      1 open => wake 10000
      at 10000 => cancel 1
      1 cancelled 0.5 => place buy 4.5@100, wake 20000
      refused too large => wake 20000
      at 20000 => place buy 4.75@100, wake 30000

    waits for an order that is not clear, and never has a second beside it
      start => place buy 2.5, wake 10000
      1 unknown => wake 10000
      at 10000 => cancel 1
      at 20000 => cancel 1
      1 settling 0/2.5 => -
      1 filled => place buy 3.75, wake 30000
      2 filled => wake 30000
      at 30000 => place buy 3.75, wake 40000
      3 unknown => wake 40000
      at 40000 => cancel 3
      3 lost => done its last slice was refused: NeverArrived

    spreads a refused slice over those that remain
      start => place buy 2.5, wake 10000
      refused too large => wake 10000
      at 10000 => place buy 3.333, wake 20000
      2 rejected NoFunds => wake 20000
      at 20000 => place buy 5, wake 30000
      3 cancelled 1 => wake 30000          # a market order without a match for the rest
      at 30000 => place buy 9, wake 40000
      refused too large => done its last slice was refused: too large

    knows what was filled though the orders are in no view any more
      start => place buy 2.5, wake 10000
      1 filled => wake 10000
      forget 1 => wake 10000
      at 30000 => place buy 7.5, wake 40000
      2 filled => done filled
  `;

  test.each([
    ['no slices', { slices: 0 }],
    ['half a slice', { slices: 1.5 }],
    ['too many slices', { slices: 1_001, overMs: 100_000, amount: '100000' }],
    ['no time', { overMs: 0 }],
    ['less than a millisecond a slice', { overMs: 3 }],
    ['a year', { overMs: 31_536_000_000 }],
    ['no amount', { amount: '0' }],
    ['no price', { price: '-1' }],
    ['slices below a step', { amount: '0.003' }],
    ['slices below the minimum', { amount: '0.2', price: '100' }],
  ])('is refused with %s', (_, fields) => {
    expect(refusalOf({ ...four, ...fields })).toMatch(/^expected /);
  });
});

const byVolume = {
  kind: 'vwap',
  market: 'BTCUSDT',
  side: 'buy',
  amount: '10',
  overMs: 40_000,
  profile: ['1', '4', '3', '2'],
} as const;

describe('a VWAP', () => {
  scenariosOf(byVolume)`
    places slices as large as their volume, each at its time
      book 99 100 => place buy 1, wake 10000
      1 filled => wake 10000
      at 10000 => place buy 4, wake 20000
      2 filled => wake 20000
      at 20000 => place buy 3, wake 30000
      3 filled => wake 30000
      at 30000 => place buy 2, wake 40000
      4 filled => done filled

    gives what rounding leaves to the largest remainders
      ${{ ...byVolume, amount: '1', overMs: 30_000, profile: ['1', '1', '1'] }}
      book 99 100 => place buy 0.334, wake 10000
      1 filled => wake 10000
      at 10000 => place buy 0.333, wake 20000
      2 filled => wake 20000
      at 20000 => place buy 0.333, wake 30000
      3 filled => done filled

    places nothing in a time without volume, and holds what is too little for an order
      ${{ ...byVolume, profile: ['0', '0.03', '6', '3.97'] }}
      book 99 100 => wake 10000
      at 10000 => wake 20000                       # 0.03 is worth 3
      at 20000 => place buy 6.03, wake 30000
      1 filled => wake 30000
      at 30000 => place buy 3.97, wake 40000
      2 filled => done filled

    spreads what was missed by the volume of the slices that remain
      book 99 100 => place buy 1, wake 10000
      refused too large => wake 10000
      at 20000 => place buy 6, wake 30000          # 5 were missed, of which 3 of 5 parts come here
      2 filled => wake 30000
      at 30000 => place buy 4, wake 40000
      3 filled => done filled

    rolls the rest of a limit slice whole into the next ${{ ...byVolume, price: '100' }}
      start => place buy 1@100, wake 10000
      1 open 0.4 => wake 10000
      at 10000 => cancel 1
      1 cancelled 0.4 => place buy 4.6@100, wake 20000

    ends with a rest that is too little for an order ${{ ...byVolume, overMs: 20_000, profile: ['9.97', '0.03'] }}
      book 99 100 => place buy 9.97, wake 10000
      1 filled => wake 10000
      at 10000 => done filled but for a rest below the minimum
  `;

  test.each([
    ['no volume', { profile: ['0', '0'] }],
    ['no time', { overMs: 0 }],
    ['no amount', { amount: '0' }],
    ['no price', { price: '-1' }],
    ['only slices below a step', { amount: '0.0009' }],
    ['only slices below the minimum', { amount: '0.1' }],
  ])('is refused with %s', (_, fields) => {
    expect(refusalOf({ ...byVolume, ...fields })).toMatch(/^expected /);
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
