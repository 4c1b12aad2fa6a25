import { describe, expect, test } from 'vitest';
import { parseUnits } from '../../../../src/domain/money.ts';
import { createProtection } from '../../../../src/engine/bracket.ts';
import { stopOf } from '../../../../src/engine/algorithms/follow-price.ts';
import { whyNoTrail } from '../../../../src/engine/algorithms/algorithm-starter.ts';
import { CREATED, refusalOf, scenariosOf } from './algorithm-table.ts';
import { english } from '../../../../src/language/sentence.ts';

const market = 'BTCUSDT';
const base = { kind: 'bracket', market, entry: { amount: '1' } } as const;
const both = { ...base, takeProfit: { percent: '10' }, stopLoss: { percent: '5' } } as const;
const stopOnly = { ...base, stopLoss: { percent: '5' } } as const;
const targetOnly = { ...base, takeProfit: { percent: '10' } } as const;
const falling = { ...targetOnly, laterTargets: [{ afterMs: 60_000, percent: '1' }] } as const;
const trailing = { ...base, trail: { by: { distance: '5' }, minStep: '1' } } as const;
const guarded = { kind: 'protect', market, stopLoss: { price: '95' } } as const;

describe('a bracket', () => {
  scenariosOf(both)`
    rests a pair for what was bought, net of the fee, and is over when a leg fills
      book 99.99 100 => place buy 1
      1 open => -
      1 filled fee 0.002 => place sell 0.998@110 stop 95/94.05, books
      2 open => books
      2/2 open => books
      2/2 cancelled => wake 5000, books
      2 filled => done the target was reached

    measures its levels from the average price that was really paid
      ${{ ...both, entry: { amount: '1', price: '100' } }}
      book 99 101 => place buy 1@100
      1 open => -
      1 filled => place sell 1@110 stop 95/94.05, books

    takes an exit that is too small away when more has come, once its end is known
      ${{ ...both, entry: { amount: '1', price: '100' } }}
      book 99.99 101 => place buy 1@100
      1 open 0.4 => place sell 0.4@110 stop 95/94.05, books
      2 open => books
      2/2 open => books
      1 open 0.7 => cancel 2, books
      2 cancelling => books
      2/2 cancelling => books
      2 cancelled => books
      2/2 cancelled => place sell 0.7@110 stop 95/94.05, books

    sells no more than is left when the stop has filled in part before its end
      ${{ ...stopOnly, entry: { amount: '1', price: '100' } }}
      book 99.99 101 => place buy 1@100
      1 open 0.5 => place sell 0.5 stop 95, books
      2 open => books
      1 open 0.6 => cancel 2, books
      2 cancelling 0.2 => cancel 1, books
      1 cancelled 0.6 => books
      2 cancelled 0.2 => place sell 0.4 stop 95, books
      3 filled => done the stop was reached

    waits with too little for an order until the entry brings more
      ${{ ...both, entry: { amount: '1', price: '100' } }}
      book 99.99 101 => place buy 1@100
      1 open 0.03 => books
      1 open 0.2 => place sell 0.2@110 stop 95/94.05, books

    says when what was bought stays too little for an exit
      ${{ ...both, entry: { amount: '1', price: '100' } }}
      book 99.99 101 => place buy 1@100
      1 cancelled 0.03 => done 0.03 btc is too little for an exit, and stays

    takes what is left of its entry away when its time is over
      ${{ ...both, entry: { amount: '1', price: '99', expireAfterMs: 5_000 } }}
      book 98 100 => place buy 1@99, wake 5000
      1 open => wake 5000
      at 5000 => cancel 1
      1 cancelling => -
      1 cancelled => done not entered: cancelled

    sells at the market when the price is beyond its stop before an exit rests
      ${{ ...both, entry: { amount: '1', price: '100' } }}
      book 99.99 101 => place buy 1@100
      book 94 95 => -
      1 filled => place sell 1, books
      2 filled => done sold: the price was beyond the stop

    sells at its target alone while the price is beyond it, and rests a pair once it is below again
      ${{ ...both, laterTargets: [{ afterMs: 60_000, percent: '1' }] }}
      book 99.99 100 => place buy 1
      1 filled => place sell 1@110 stop 95/94.05, wake 60000, books
      2 open => wake 60000, books
      2/2 open => wake 60000, books
      book 103 104 => wake 60000, books
      at 60000 => cancel 2, books
      2 cancelled => wake 65000, books
      2/2 cancelled => place sell 1@101, books
      3 open 0.6 => books
      book 100.9 101 => cancel 3, books
      3 cancelled 0.6 => place sell 0.4@101 stop 95/94.05, books
      4 open => books
      4/2 open => books
      book 101.5 102 => books
      4/2 cancelled => wake 65000, books
      4 filled => done the target was reached

    sells at the market when the price has passed the limit of a stop that could not fill
      book 99.99 100 => place buy 1
      1 filled => place sell 1@110 stop 95/94.05, books
      2 open => books
      2/2 open => books
      book 94.05 94.1 => books
      book 93 94 => cancel 2, books
      2 cancelled => wake 5000, books
      2/2 cancelled 0.3 => place sell 0.7, books
      3 filled => done sold: the price was beyond the limit of the stop

    places the exit again that somebody else has canceled ${targetOnly}
      book 99.99 100 => place buy 1
      1 filled => place sell 1@110, books
      2 open => books
      2 cancelled => place sell 1@110, books

    leaves it where that was wished, and says what is unprotected ${{ ...targetOnly, whenCanceled: 'leave' }}
      book 99.99 100 => place buy 1
      1 filled => place sell 1@110, books
      2 open => books
      2 cancelled => done its exit was canceled by somebody else, and 1 btc has none

    leaves it too where somebody canceled one leg, and the bot had to end the other
      ${{ ...both, whenCanceled: 'leave' }}
      book 99.99 100 => place buy 1
      1 filled => place sell 1@110 stop 95/94.05, books
      2 open => books
      2 cancelled CanceledByOthers => wake 5000, books
      at 5000 => cancel 2/2, books
      2/2 cancelled => done its exit was canceled by somebody else, and 1 btc has none

    tries a refused exit again after a pause ${stopOnly}
      book 99.99 100 => place buy 1
      1 filled => place sell 1 stop 95, books
      refused closed => wake 10500, books
      at 10500 => place sell 1 stop 95, books

    lets the stop go alone while the exchange refuses the pair, and sells beyond the target
      book 99.99 100 => place buy 1
      1 filled => place sell 1@110 stop 95/94.05, books
      2 open => books
      2/2 cancelled => wake 5000, books
      2 open 0.3 => wake 5000, books
      at 5000 => cancel 2, books
      2 cancelled 0.3 => place sell 0.7@110 stop 95/94.05, books
      3 rejected PriceConditionFailed => place sell 0.7 stop 95, wake 15500, books
      4 open => wake 15500, books
      at 15500 => cancel 4, books
      4 cancelled => place sell 0.7@110 stop 95/94.05, books
      5 rejected PriceConditionFailed => place sell 0.7 stop 95, wake 36500, books
      6 open => wake 36500, books
      book 110 110.1 => cancel 6, books
      6 cancelled => place sell 0.7, books
      7 filled => done sold: the price was beyond the target

    waits where the stop is refused as well, and tries the pair again
      book 99.99 100 => place buy 1
      1 filled => place sell 1@110 stop 95/94.05, books
      2 rejected OverValueOrder => place sell 1 stop 95, wake 10500, books
      3 rejected OverValueOrder => wake 10500, books
      at 10500 => place sell 1@110 stop 95/94.05, books
      4 rejected OverValueOrder => place sell 1 stop 95, wake 31500, books
      5 rejected OverValueOrder => wake 31500, books

    sells at the market when its time is over
      ${{ ...base, timeStopMs: 60_000, takeProfit: { percent: '10' } }}
      book 99.99 100 => place buy 1
      at 1000 => -
      1 filled => place sell 1@110, wake 61000, books
      2 open => wake 61000, books
      at 61000 => cancel 2, books
      2 cancelled => place sell 1, books
      3 filled => done sold: its time was over

    of a time alone rests no exit, and sells at its end ${{ ...base, timeStopMs: 60_000 }}
      book 99.99 100 => place buy 1
      at 1000 => -
      1 filled => wake 61000, books
      book 50 51 => wake 61000, books
      at 61000 => place sell 1, books
      2 filled => done sold: its time was over

    never sells more than the strategy still has ${stopOnly}
      book 99.99 100 => place buy 1
      1 filled => place sell 1 stop 95, books
      2 open => books
      position 0.4 => cancel 2, books
      2 cancelled => place sell 0.4 stop 95, books

    is over without a fill when its entry is rejected
      book 99.99 100 => place buy 1
      1 rejected NoFunds => done not entered: NoFunds

    is over without a fill when its entry is refused
      start => place buy 1
      refused too large => done its entry was refused: too large

    sells at the market when its target fell far below the price ${falling}
      book 99.99 100 => place buy 1
      1 filled => place sell 1@110, wake 60000, books
      2 open => wake 60000, books
      book 109 110 => wake 60000, books
      at 60000 => cancel 2, books
      2 cancelled => place sell 1, books

    sells at the market when a limit at its target, below the price, was refused ${falling}
      book 99.99 100 => place buy 1
      1 filled => place sell 1@110, wake 60000, books
      2 open => wake 60000, books
      book 103 104 => wake 60000, books
      at 60000 => cancel 2, books
      2 cancelled => place sell 1@101, books
      3 rejected BadPrice => wake 70500, books
      at 70500 => place sell 1, books
  `;
});

scenariosOf(both)`
  a pair of which one leg has ended is waited for a while, and then made whole again
    book 99.99 100 => place buy 1
    1 filled => place sell 1@110 stop 95/94.05, books
    2 open => books
    2/2 open => books
    2/2 cancelled => wake 5000, books
    at 5000 => cancel 2, books
    2 cancelled 0.4 => place sell 0.6@110 stop 95/94.05, books

  a protection rests an exit for what is there already ${guarded}
    position 2 => place sell 2 stop 95, books
    1 open => books
    1 filled => done the stop was reached

  a stop moves no more often than its pace, and catches up later
    ${{ ...base, trail: { by: { distance: '5' }, minStep: '1', on: 'poll' } }}
    book 99.99 100 => place buy 1
    1 filled => place sell 1 stop 95, books
    2 open => books
    book 102 102.1 => cancel 2, books
    2 cancelling => books
    2 cancelled => place sell 1 stop 97, books
    3 open => books
    book 104 104.1 => books
    at 59999 => books
    at 60000 => cancel 3, books
    3 cancelling => books
    3 cancelled => place sell 1 stop 99, books
`;

describe('a trail', () => {
  scenariosOf(both)`
    begins below what was paid, and follows closes by no less than its least step ${trailing}
      book 99.99 100 => place buy 1
      1 filled => place sell 1 stop 95, books
      2 open => books
      close 100.5 => books
      close 102 => cancel 2, books
      2 cancelled => place sell 1 stop 97, books
      3 open => books
      close 98 => books
      close 102.9 => books

    follows each bid where that is wished ${{ ...trailing, trail: { ...trailing.trail, on: 'poll' } }}
      book 99.99 100 => place buy 1
      1 filled => place sell 1 stop 95, books
      2 open => books
      close 120 => books
      book 103 104 => cancel 2, books
      2 cancelled => place sell 1 stop 98, books

    brings the stop to what was paid once the price was high enough
      ${{ ...stopOnly, breakEvenAt: { percent: '3' } }}
      book 99.99 100 => place buy 1
      1 filled => place sell 1 stop 95, books
      2 open => books
      book 102.9 103 => books
      close 102.9 => books
      close 103 => cancel 2, books
      2 cancelled => place sell 1 stop 100, books
  `;
});

test.each([
  ['a stop above the entry', { stopLoss: { price: '101' } }, /stopLoss below the price of 100 usdt, was 101/],
  ['a target below it', { takeProfit: { price: '99' } }, /takeProfit above the price of 100 usdt, was 99/],
  ['a trail larger than the price', { trail: { by: { distance: '100' } } }, /trail of less than the price/],
  [
    'an exit below the least value',
    { entry: { amount: '0.051' }, stopLoss: { percent: '5' } },
    /least value of 5 usdt, was 0\.051 btc at 94\.05 usdt/,
  ],
  [
    'a break-even below it',
    { breakEvenAt: { price: '99' }, stopLoss: { percent: '5' } },
    /breakEvenAt above/,
  ],
])('a bracket with %s is refused with numbers', (_, fields, reason) => {
  expect(refusalOf({ ...base, ...fields })).toMatch(reason);
});

test.each([
  ['a trail', { trail: { by: { distance: '5' } } }],
  ['a break-even', { stopLoss: { percent: '5' }, breakEvenAt: { percent: '3' } }],
])('%s on closes is refused where the strategy is shown no bars', (_, fields) => {
  expect(refusalOf({ ...base, ...fields }, { hasBars: false })).toMatch(/^expected candles of BTCUSDT/);
  const polled = { trail: { by: { distance: '5' }, on: 'poll' } } as const;
  expect(refusalOf({ ...base, ...polled }, { hasBars: false })).toBe('taken');
});

test('a trail is refused where the strategy does not say how many stops follow the price', () => {
  expect(refusalOf(trailing, { trailEveryMs: null })).toMatch(
    /as trailing: \{ most: 1 \} beside its data, said nothing$/,
  );
});

test('one stop more than the strategy says may not follow the price', () => {
  const pace = { most: 2, everyMs: 60_000 };
  expect(whyNoTrail(trailing, { pace, atWork: 1 })).toBeNull();
  expect(whyNoTrail({ ...base, stopLoss: { percent: '5' } }, { pace, atWork: 2 })).toBeNull();
  expect(english(whyNoTrail(trailing, { pace, atWork: 2 }))).toBe(
    'expected at most 2 stops that follow the price at once (trailing.most of the strategy), are 2 already',
  );
});

test.each([
  [
    'more than the strategy has',
    { amount: '3' },
    /position of at least 3 btc that no exit and no sale has, to protect it; was 1.5/,
  ],
  ['a stop above what was paid', { stopLoss: { price: '120' } }, /stopLoss below the price of 100 usdt/],
])('a protection of %s is refused with numbers', (_, fields, reason) => {
  expect(refusalOf({ ...guarded, ...fields })).toMatch(reason);
});

test.each([
  ['120', '108'],
  ['80', '72'],
])('the trail of a protection starts from the price of now, %s', (bid, stop) => {
  const trail = { by: { percent: '10' }, on: 'poll' } as const;
  const created = createProtection(
    { kind: 'protect', market, trail },
    { ...CREATED, bestBid: parseUnits(bid) },
  );
  if (!created.ok) throw new Error(english(created.reason));
  expect(stopOf(created.algorithm, created.algorithm)).toEqual({ price: parseUnits(stop), kind: 'trail' });
});
