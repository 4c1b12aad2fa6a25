import { describe, expect, test } from 'vitest';
import { refusalOf, runAlgorithm } from './algorithm-table.ts';

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
  test('places equal slices, each at its time', () =>
    runAlgorithm(four)(`
      start => place buy 2.5, wake 10000
      1 filled => wake 10000
      at 9999 => wake 10000
      at 10000 => place buy 2.5, wake 20000
      2 filled => wake 20000
      at 20000 => place buy 2.5, wake 30000
      3 filled => wake 30000
      at 30000 => place buy 2.5, wake 40000
      4 filled => done filled
    `));

  test('leaves what rounding leaves to the last', () =>
    runAlgorithm({ ...four, side: 'sell', amount: '1', slices: 3, overMs: 100 })(`
      start => place sell 0.333, wake 33
      1 filled => wake 33
      at 33 => place sell 0.333, wake 66
      2 filled => wake 66
      at 66 => place sell 0.334, wake 100
    `));

  test('leaves all of it to the last, however much', () =>
    runAlgorithm({ ...four, amount: '0.403' })(`
      start => place buy 0.1, wake 10000
      1 filled => wake 10000
      at 10000 => place buy 0.1, wake 20000
      2 filled => wake 20000
      at 20000 => place buy 0.1, wake 30000
      3 filled => wake 30000
      at 30000 => place buy 0.103, wake 40000
    `));

  test('places a late slice once, and spreads what was missed over those that remain', () =>
    runAlgorithm({ ...four, slices: 5, overMs: 50_000 })(`
      start => place buy 2, wake 10000
      1 filled => wake 10000
      at 25000 => place buy 2.666, wake 30000     # 8 over three slices
      2 filled => wake 30000
      at 30000 => place buy 2.667, wake 40000
      3 filled => wake 40000
      at 40000 => place buy 2.667, wake 50000
      4 filled => done filled
    `));

  test('places nothing when it comes back after its time', () =>
    runAlgorithm(four)(`
      start => place buy 2.5, wake 10000
      1 filled => wake 10000
      at 40000 => done its time is over
    `));

  test('rolls the rest of a limit slice into the next', () =>
    runAlgorithm(fourLimit)(`
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
    `));

  test('rolls it whole into one slice when others were missed besides', () =>
    runAlgorithm({ ...fourLimit, slices: 5, overMs: 50_000 })(`
      start => place buy 2@100, wake 10000
      1 open => wake 10000
      at 25000 => cancel 1
      1 cancelled 0.5 => place buy 4.166@100, wake 30000  # 1.5, and a third of 8
    `));

  test('spreads it like any other when that slice is refused', () =>
    runAlgorithm(fourLimit)(`
      start => place buy 2.5@100, wake 10000
      1 open => wake 10000
      at 10000 => cancel 1
      1 cancelled 0.5 => place buy 4.5@100, wake 20000
      refused too large => wake 20000
      at 20000 => place buy 4.75@100, wake 30000
    `));

  test('waits for an order that is not clear, and never has a second beside it', () =>
    runAlgorithm(four)(`
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
    `));

  test('spreads a refused slice over those that remain', () =>
    runAlgorithm(four)(`
      start => place buy 2.5, wake 10000
      refused too large => wake 10000
      at 10000 => place buy 3.333, wake 20000
      2 rejected NoFunds => wake 20000
      at 20000 => place buy 5, wake 30000
      3 cancelled 1 => wake 30000          # a market order without a match for the rest
      at 30000 => place buy 9, wake 40000
      refused too large => done its last slice was refused: too large
    `));

  test('knows what was filled though the orders are in no view any more', () =>
    runAlgorithm(four)(`
      start => place buy 2.5, wake 10000
      1 filled => wake 10000
      forget 1 => wake 10000
      at 30000 => place buy 7.5, wake 40000
      2 filled => done filled
    `));

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
