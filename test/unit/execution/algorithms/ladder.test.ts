import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseUnits, UNITS_PER_ONE } from '../../../../src/domain/money.ts';
import { createLadder, ladderPrice, type LadderIntent } from '../../../../src/engine/algorithms/ladder.ts';
import { CREATED, MARKET, refusalOf, scenariosOf } from './algorithm-table.ts';

const three: LadderIntent = {
  kind: 'ladder',
  market: 'BTCUSDT',
  side: 'buy',
  amount: '3',
  from: '99',
  to: '97',
  orders: 3,
};

describe('a ladder', () => {
  scenariosOf(three)`
    places one rung after the other, each once the one before is there
      start => place buy 1@99
      1 unknown => -
      1 open => place buy 1@98
      2 filled => place buy 1@97
      3 open => -
      1 filled => -
      3 filled => done all of its orders have ended

    has more with each step away where it is linear
      ${{ ...three, side: 'sell', from: '101', to: '103', amount: '6', scale: 'linear' }}
      start => place sell 1@101
      1 open => place sell 2@102
      2 open => place sell 3@103

    does not place again what somebody cancels
      start => place buy 1@99
      1 open => place buy 1@98
      1 cancelled 0.2 => -
      2 open => place buy 1@97
      3 open => -
      2 cancelled => -
      3 cancelled => done all of its orders have ended

    waits after a refusal, and keeps what rests when it gives up
      start => place buy 1@99
      1 open => place buy 1@98
      refused too many => wake 10500
      at 10500 => place buy 1@98
      3 rejected NoFunds => wake 21000
      at 21000 => place buy 1@98
      4 lost => -
      1 filled => done placed 1 of 3 orders, then refused 3 times in a row: NeverArrived

    cancels what rests when its time is over, and places nothing more ${{ ...three, expireAfterMs: 5_000 }}
      start => place buy 1@99, wake 5000
      1 open => place buy 1@98, wake 5000
      2 unknown => wake 5000
      at 5000 => cancel 1, cancel 2
      1 cancelling => cancel 2
      1 cancelled 0.5 => cancel 2
      2 rejected NeverArrived => done its time is over

    knows its rungs though their orders are in no view any more
      start => place buy 1@99
      1 filled => place buy 1@98
      forget 1 => -
      2 open => place buy 1@97
      refused too many => wake 10500
      at 10500 => place buy 1@97
  `;

  test.each([
    ['more orders than are worth enough', { amount: '0.2', orders: 10 }, '3 fit'],
    ['an amount for no two', { amount: '0.06' }, 'not even 2 fit'],
    ['more orders than there are prices', { from: '99', to: '98.99', orders: 5 }, '2 fit'],
    ['one order', { orders: 1 }, 'expected 2 to 50 orders, was 1'],
    ['51 orders', { orders: 51 }, 'expected 2 to 50 orders, was 51'],
    ['one price', { to: '99' }, 'expected from and to to differ'],
    ['no amount', { amount: '0' }, 'expected a positive decimal as amount'],
    ['no price', { from: '-1' }, 'expected a positive decimal as from'],
  ])('is refused with %s', (_, fields, reason) => {
    expect(refusalOf({ ...three, ...fields })).toContain(reason);
  });
});

test('a ladder has the whole amount, and one of a value costs no more than it', () => {
  const price = fc.integer({ min: 9_000, max: 11_000 }).map((cents) => (cents / 100).toFixed(2));
  fc.assert(
    fc.property(
      fc.record({ from: price, to: price, orders: fc.integer({ min: 2, max: 20 }) }),
      fc.constantFrom('equal' as const, 'linear' as const),
      fc.integer({ min: 500, max: 50_000 }),
      (shape, scale, dollars) => {
        const intent = { ...three, ...shape, scale };
        const average = ladderPrice(intent, MARKET);
        if (average === null) return;
        const value = parseUnits(String(dollars));
        const amount = (value * UNITS_PER_ONE) / average;
        const text = `${amount / UNITS_PER_ONE}.${String(amount % UNITS_PER_ONE).padStart(10, '0')}`;
        const made = createLadder({ ...intent, amount: text }, CREATED);
        if (!made.ok) return;
        const { rungs } = made.algorithm;
        const whole = rungs.reduce((sum, rung) => sum + rung.amount, 0n);
        const cost = rungs.reduce((sum, rung) => sum + rung.amount * rung.price, 0n);
        expect(whole).toBe(amount - (amount % MARKET.amountStep));
        expect(cost).toBeLessThanOrEqual(value * UNITS_PER_ONE);
      },
    ),
    { numRuns: 100 },
  );
});
