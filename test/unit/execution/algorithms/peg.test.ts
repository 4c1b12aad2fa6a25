import { describe, expect, test } from 'vitest';
import { parseUnits } from '../../../../src/domain/money.ts';
import { createAlgorithm } from '../../../../src/engine/algorithms/algorithms.ts';
import { CREATED, refusalOf, runAlgorithm, scenariosOf } from './algorithm-table.ts';

const peg = {
  kind: 'peg',
  market: 'BTCUSDT',
  side: 'buy',
  amount: '2',
  bound: '100',
  everyMs: 10_000,
} as const;

describe('a peg', () => {
  scenariosOf(peg)`
    joins the best price of its side, and follows it up to its bound
      start => books
      book 98 102 => place buy 2@98
      1 open => wake 10000
      at 9000 => wake 10000
      at 10000 => books
      book 99 102 => cancel 1
      1 cancelling => -
      1 cancelled 0.5 => place buy 1.5@99
      2 open => wake 20000
      at 20000 => books
      book 101 102 => cancel 2
      2 cancelled => place buy 1.5@100
      3 filled => done filled

    does not follow itself: what is left without its own order is the best price ${{ ...peg, offset: 1 }}
      levels 5@98 / 5@102 => place buy 2@97.99
      1 open => wake 10000
      levels 2@97.99 5@97 / 5@102 => wake 10000
      at 10000 => books
      book 97.99 102 => cancel 1                    # 97 is the best of others
      1 cancelled => place buy 2@96.99              # the book still shows what has just been canceled
      2 open => wake 20000

    stays where others have joined it
      levels 5@98 / 5@102 => place buy 2@98
      1 open 0.5 => wake 10000
      levels 1.6@98 5@97 / 5@102 => wake 10000
      at 10000 => books
      book 98 102 => books
      levels 1.5@98 5@97 / 5@102 => cancel 1

    does not decide by a book that may be older than its order ${{ ...peg, everyMs: 1_000 }}
      book 98 102 => place buy 2@98
      1 unknown => -
      at 5000 => -
      1 open => books
      book 99 102 => books
      at 7999 => books
      book 99 102 => books
      at 8000 => books
      book 99 102 => cancel 1

    does not cross: it stays a step away from the other side ${{ ...peg, side: 'sell', bound: '99' }}
      book 100 100 => place sell 2@100.01           # as with the close of a bar
      1 open => wake 10000

    moves by its least step or more ${{ ...peg, minStep: '1' }}
      book 98 102 => place buy 2@98
      1 open => wake 10000
      at 10000 => books
      book 98.97 102 => books
      book 97.03 102 => books
      book 98.98 102 => cancel 1

    is canceled when its time is over ${{ ...peg, expireAfterMs: 15_000 }}
      book 98 102 => place buy 2@98, wake 15000
      1 open => wake 10000
      at 10000 => wake 15000, books
      at 15000 => cancel 1
      1 settling 0.5/1 => -
      1 cancelled 1 => done its time is over

    waits after a refusal, and ends after three
      book 98 102 => place buy 2@98
      refused too large => wake 10500
      at 10500 => place buy 2@98
      2 rejected NoFunds => wake 21000
      at 21000 => place buy 2@98
      3 lost => done refused 3 times in a row: NeverArrived

    leaves a rest that is too little for an order
      book 98 102 => place buy 2@98
      1 open 1.96 => wake 10000
      at 10000 => books
      book 99 102 => cancel 1
      1 cancelled 1.96 => done filled but for a rest below the minimum

    goes by the steps of the market as they are ${{ ...peg, bound: '98.3' }}
      book 98.26 102 => place buy 2@98.26
      1 open => wake 10000
      price step 0.5 => wake 10000
      at 10000 => books
      book 99 102 => cancel 1
      1 cancelled => place buy 2@98                 # never beyond the bound
  `;

  test('ends when somebody else cancels its order', () =>
    runAlgorithm(peg)(`book 98 102 => place buy 2@98\n1 cancelled 1 => done its order was canceled`));

  test('moves no more often than its share of the limit allows', () => {
    const created = createAlgorithm({ ...peg, share: '0.25' }, { ...CREATED, movesPerMinute: 10 });
    expect(created.ok && created.algorithm).toMatchObject({ everyMs: 24_000 });
  });

  test.each([
    [
      'a share that others have',
      { share: '0.2' },
      'expected a share of at most 0.1, which other pegs leave of 0.5',
    ],
    ['no bound', { bound: '0' }, 'expected a positive decimal as bound'],
    [
      'less than the minimum',
      { amount: '0.05' },
      'expected more than 5 usdt at the bound of 100, was 0.05 btc',
    ],
    ['a step less than none', { minStep: '-1' }, 'expected a minStep from 0 on'],
    ['half a step behind', { offset: 0.5 }, 'expected an offset of 0 to 1000 steps, was 0.5'],
    ['no time between moves', { everyMs: 999 }, 'expected everyMs from 1000 on, was 999'],
  ])('is refused with %s', (_, fields, reason) => {
    expect(refusalOf({ ...peg, ...fields }, { pegShares: parseUnits('0.4') })).toContain(reason);
  });
});
