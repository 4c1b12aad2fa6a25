import type { TargetWish } from '../../../../src/strategy/intents.ts';
import { describe, expect, test } from 'vitest';
import { createMarket } from '../../../../src/domain/market.ts';
import { noTradeBand } from '../../../../src/engine/algorithms/targets.ts';
import { parseMarket } from '../../../../src/exchange/market-names.ts';
import { refusalOf, runAlgorithm, scenariosOf } from './algorithm-table.ts';

const two = { kind: 'target', market: 'BTCUSDT', position: '2' } as const;
const twoLimit = { ...two, price: '100' };
const flat = { ...two, position: '0' };
const half = { kind: 'target', market: 'BTCUSDT', equityShare: '0.5' } as const;

describe('a target', () => {
  scenariosOf(two)`
    places the difference as one order and looks again at its end
      book 99 101 => place buy 2
      1 open 0.5 => -
      book 98 100 => -
      1 settling 0.5/1.2 => -
      1 cancelled 1.2 => place buy 0.8
      2 filled => done reached

    waits for a book before its first market order, and for the side that it needs
      start => books
      book 99 - => books
      book 99 101 => place buy 2

    needs no book with a limit price ${twoLimit}
      position 0.5 => place buy 1.5@100
      1 unknown => -
      1 open => -
      1 filled => done reached

    sells what is too much, and never more than there is ${flat}
      position 1.5 => books
      book 99 101 => place sell 1.5
      1 filled => done reached

    sells nothing of what is not there ${flat}
      position -1 => books
      book 99 101 => place buy 1

    takes the minimum by the book for a market order
      position 1.951 => books
      book 99 101 => done reached

    makes up for fees until that is too little
      book 99 101 => place buy 2
      position -0.1 => -
      1 filled => place buy 0.1
      position 1.899 => -
      2 filled => done reached

    turns a share into an amount once, at the first price ${half}
      equity 1000 => books
      book 99 101 => place buy 5
      book 999 1001 => -
      equity 9000 => -
      1 filled => done reached

    turns a share into an amount at its own price, once the equity is known ${{ ...half, price: '200' }}
      book 99 101 => books
      equity 1000 => place buy 2.5@200

    of a share of nothing sells all ${half}
      position 1 => books
      equity -5 => books
      book 99 101 => place sell 1

    takes the only side of a book for a share ${half}
      equity 1010 => books
      book - 101 => place buy 5

    pauses after a rejection and gives up after three in a row ${twoLimit}
      start => place buy 2@100
      refused too large => wake 10500
      at 10499 => wake 10500
      at 10500 => place buy 2@100
      2 rejected NoFunds => wake 21000
      at 21000 => place buy 2@100
      3 lost => done refused 3 times in a row: NeverArrived

    begins to count anew after a fill
      book 99 101 => place buy 2
      refused too large => wake 10500
      at 10500 => place buy 2
      2 cancelled 0.1 => place buy 1.9
      refused too large => wake 21000
      at 21000 => place buy 1.9
      4 cancelled => wake 31500          # a market order that nobody met
      at 31500 => place buy 1.9
      refused too large => done refused 3 times in a row: too large

    ends when somebody cancels its limit order ${twoLimit}
      start => place buy 2@100
      1 open => -
      1 cancelled 0.5 => done its order was canceled
  `;

  test.each([
    ['a step', 'position 1.9995 => done reached'],
    ['the minimum value', 'position 1.951 => place buy 0.049@103'],
    ['the minimum value', 'position 1.952 => done reached'],
  ])('is reached when the difference is below %s', (_, table) =>
    runAlgorithm({ ...two, price: '103' })(table),
  );

  test('turns a value into an amount at the middle of the book, or at its own price', () => {
    const worth = { kind: 'target', market: 'BTCUSDT', value: '500' } as const;
    runAlgorithm(worth)('book 99 101 => place buy 5');
    runAlgorithm({ ...worth, price: '200' })('position 3 => place sell 0.5@200');
    runAlgorithm({ ...worth, value: '0' })('position 3 => books\nbook 99 101 => place sell 3');
  });

  test('does not run after a position that others move for ever', () => {
    const rounds = Array.from({ length: 20 }, (_, round) => [
      `position 0 => ${round === 0 ? 'place buy 2@100' : '-'}`,
      `position -2 => -`,
      `${round + 1} filled => ${round === 19 ? 'done not reached with 20 orders' : 'place buy 2@100'}`,
    ]);
    runAlgorithm(twoLimit)(rounds.flat().join('\n'));
  });

  test.each([
    ['both', { position: '1', equityShare: '0.5' }],
    ['neither', {}],
    ['a negative position', { position: '-1' }],
    ['no position', { position: 'NaN' }],
    ['a negative value', { value: '-1' }],
    ['a position and a value', { position: '1', value: '1' }],
    ['more than all', { equityShare: '1.01' }],
    ['a negative share', { equityShare: '-0.1' }],
    ['a price of nothing', { position: '1', price: '0' }],
  ])('is refused with %s', (_, fields) => {
    const wish = fields as unknown as TargetWish;
    expect(refusalOf({ kind: 'target', market: 'BTCUSDT', ...wish })).toMatch(/^expected /);
  });
});

const marketOf = (symbol: string) =>
  createMarket({ market: parseMarket(symbol), priceStep: '1', amountStep: '0.001' });

describe('a set of shares', () => {
  test.each<[Readonly<Record<string, string>>, string]>([
    [{}, 'expected shares of 1 to 100 markets, was 0'],
    [{ BTCIRT: '0.5', ETHIRT: '0.5' }, 'taken'],
    [
      { BTCIRT: '0.5', ETHIRT: '0.5000000001' },
      'expected shares of at most 1 together, was 1.0000000001: BTCIRT 0.5, ETHIRT 0.5000000001',
    ],
    [
      { BTCIRT: '0.5', BTCUSDT: '0.1' },
      'expected markets of one quote currency, were BTCIRT, BTCUSDT: say one set for each, with its part of the equity',
    ],
  ])('%j is taken or refused with the numbers', (shares, reason) => {
    const [market = ''] = Object.keys(shares);
    expect(refusalOf({ kind: 'targets', market, shares }, { marketOf })).toBe(reason);
  });

  test('has a band that costs widen by their cube root, widest at a half and nothing at the ends', () => {
    // (1.5 x 0.0025 x 0.0625)^(1/3)
    expect(noTradeBand(0.5, 0.0025)).toBeCloseTo(0.061_655, 6);
    expect(noTradeBand(0.5, 0.02) / noTradeBand(0.5, 0.0025)).toBeCloseTo(2, 12);
    expect(noTradeBand(0.2, 0.0025)).toBeCloseTo(noTradeBand(0.8, 0.0025), 12);
    expect([noTradeBand(0, 0.01), noTradeBand(1, 0.01), noTradeBand(0.5, 0)]).toEqual([0, 0, 0]);
  });
});
