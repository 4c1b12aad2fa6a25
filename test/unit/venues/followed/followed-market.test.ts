import { describe, expect } from 'vitest';
import type { PollRules } from '../../../../src/venues/fill-rules.ts';
import { linesOf, playTable } from './recorded-table.ts';
import { scenarios } from '../../../support/scenarios.ts';

/** Plays a table under some rules; expects the answers that are written in it. */
const plays = (table: string, rules: Partial<PollRules> = {}): void =>
  expect(playTable(table, rules)).toBe(linesOf(table).join('\n'));

describe('an order that rests in a recorded market', () => {
  scenarios(plays)`
    waits behind what was there, and fills by the trades at its price that go beyond that
      book 100x5 99x3 | 102x4
      a buy 3 @ 100
      ahead a -> 5
      trade sell 4 @ 100
      a -> 0 of 3 Active
      ahead a -> 1
      trade sell 3 @ 100
      fills -> a 2@100 maker
      ahead a -> 0
      trade sell 7 @ 100
      fills -> a 1@100 maker
      a -> 3 of 3 Done

    does not move forward by trades of the other direction, nor by those beyond the best price of the other side
      book 100x5 | 102x4
      a buy 3 @ 100
      trade buy 9 @ 102
      ahead a -> 5
      trade buy 9 @ 100
      a -> 0 of 3 Active
      ahead a -> 5

    never stands behind more than the book still shows there
      book 100x5 99x1 | 102x4
      a buy 3 @ 100
      book 100x2 99x1 | 102x4
      ahead a -> 2
      book 100x8 99x1 | 102x4
      ahead a -> 2
      book 101x1 99x1 | 102x4
      ahead a -> 0

    stands before everybody where it betters the best price
      book 100x5 | 103x4
      a buy 3 @ 101
      ahead a -> 0
      book 101x9 100x5 | 103x4
      ahead a -> 0
      trade sell 1 @ 101
      fills -> a 1@101 maker

    keeps the order of two of ours at one price
      book 100x2 | 102x4
      a buy 3 @ 100
      book 100x6 | 102x4
      b buy 2 @ 100
      ahead a -> 2
      ahead b -> 6
      trade sell 4 @ 100
      fills -> a 2@100 maker
      ahead b -> 4
      trade sell 7 @ 100
      fills -> a 1@100 maker, b 2@100 maker

    never has the second of two at one price behind more than the book still shows there, where the first has nobody before it
      book 100x2 | 102x4
      a buy 3 @ 100
      book 100x6 | 102x4
      b buy 2 @ 100
      trade sell 3 @ 100
      fills -> a 1@100 maker
      ahead a -> 0
      ahead b -> 4
      book 100x1 | 102x4
      ahead a -> 0
      ahead b -> 1

    waits for a trade beyond its price where the book never reached so far
      book 100x5 99x3 | 102x4
      a buy 3 @ 95
      ahead a -> Infinity
      trade sell 50 @ 95
      a -> 0 of 3 Active
      trade sell 1 @ 94
      fills -> a 3@95 maker

    waits there behind what a later book shows
      book 100x5 99x3 | 102x4
      a buy 3 @ 95
      book 96x1 95x7 94x2 | 102x4
      ahead a -> 7

    stands before everybody where the setting says so ${{ queue: { kind: 'front' } }}
      book 100x5 | 102x4
      a buy 3 @ 100
      ahead a -> 0
      trade sell 2 @ 100
      fills -> a 2@100 maker

    stands behind a share where the setting says so ${{ queue: { kind: 'share', millionths: 500_000 } }}
      book 100x5 | 102x4
      a buy 3 @ 100
      ahead a -> 3
  `;
});

describe('a market that goes through an order', () => {
  scenarios(plays)`
    fills it whole at its own price by a trade beyond it
      book 100x5 | 102x4
      a buy 3 @ 100
      b sell 2 @ 102
      trade sell 1 @ 99
      fills -> a 3@100 maker
      trade buy 1 @ 103
      fills -> b 2@102 maker
      last -> 103

    fills the better price first
      book 100x5 97x1 | 105x4
      a buy 3 @ 100
      b buy 3 @ 101
      trade sell 1 @ 98
      fills -> b 3@101 maker, a 3@100 maker

    fills as much as was traded, with that setting ${{ through: 'volume' }}
      book 100x5 | 102x4
      a buy 3 @ 100
      b buy 3 @ 101
      trade sell 4 @ 99
      fills -> b 3@101 maker, a 1@100 maker

    fills it by a book whose other side reaches it, which uses up what that side offered
      book 100x5 | 102x4
      a buy 3 @ 100
      book 98x5 | 99x1 100x1 101x6
      fills -> a 3@100 maker
      shown -> 98x5 | 101x6

    fills by such a book as much as it offered, with that setting ${{ through: 'volume' }}
      book 100x5 | 102x4
      a buy 3 @ 100
      book 98x5 | 99x1 100x1 101x6
      fills -> a 2@100 maker
      a -> 2 of 3 Active
      book 98x5 | 99x1 100x1 101x6
      fills -> none
      book 98x5 | 99x2 101x6
      fills -> a 1@100 maker
  `;
});

describe('an order that takes from a recorded market', () => {
  scenarios(plays)`
    takes level by level, and what it took is missing until the level changes
      book 100x5 | 102x4 103x6 104x9
      a buy 7 @ 103
      fills -> a 4@102 taker, a 3@103 taker
      shown -> 100x5 | 103x3 104x9
      book 100x5 | 102x4 103x6 104x9
      shown -> 100x5 | 103x3 104x9
      book 100x5 | 102x5 103x6 104x9
      shown -> 100x5 | 102x5 103x3 104x9

    finds it again with the next book, with that setting ${{ liquidity: 'next-book' }}
      book 100x5 | 102x4 103x6
      a buy 4 @ 102
      shown -> 100x5 | 103x6
      book 100x5 | 102x4 103x6
      shown -> 100x5 | 102x4 103x6

    rests with what it did not get
      book 100x5 | 102x4 103x6
      a buy 6 @ 102
      a -> 4 of 6 Active
      ahead a -> 0
      shown -> 102x2 100x5 | 103x6

    ends a market order where the book or the band ends
      book 100x5 | 101x4
      trade buy 1 @ 101
      a buy 9 market
      a -> 3 of 9 Canceled

    does not find what others took since the book was recorded
      book 100x5 | 102x4 103x6
      trade buy 3 @ 102
      a buy 4 @ 102
      a -> 1 of 4 Active

    does not find what a dearer trade must have taken
      book 100x5 | 102x4 103x6
      trade buy 1 @ 103
      a buy 4 @ 102
      a -> 0 of 4 Active
      shown -> 102x4 100x5 | 103x6
      b buy 6 market
      fills -> b 5@103 taker
  `;
});

describe('the volume of a recorded market', () => {
  scenarios(plays)`
    is worth the exact sum, however large the numbers are
      book 100000000x5 | 100000001x4
      trade buy 100000001 @ 100000001
      trade buy 3 @ 100000001
      trade sell 200000001 @ 100000000
      volume -> 300000005
      value -> ${100_000_001n * 100_000_004n + 200_000_001n * 100_000_000n}

    counts a recorded trade once, whoever it filled, and what we took beside it
      book 100x2 | 102x4
      a buy 3 @ 100
      trade sell 4 @ 100
      fills -> a 2@100 maker
      volume -> 4
      b buy 3 @ 102
      fills -> b 3@102 taker
      volume -> 7

    has no trade of the recorded with themselves, where a book was recorded crossed
      book 100x5 | 102x4
      trade sell 1 @ 100
      s sell 1 stop 90
      book 100x5 | 99x4 101x6
      a buy 2 market
      fills -> a 2@101 taker
      volume -> 3
  `;
});

describe('a stop order in a recorded market', () => {
  scenarios(plays)`
    wakes by a recorded trade and takes what the book offers
      book 100x5 99x3 | 102x4
      trade sell 1 @ 100
      s sell 6 stop 99
      trade sell 1 @ 100
      s -> 0 of 6 Inactive
      trade sell 1 @ 99
      fills -> s 2@99 taker
      s -> 2 of 6 Canceled

    wakes by a fill of our own, and finds the market there
      book 101x5 100x5 99x8 | 103x4
      trade sell 1 @ 101
      s sell 6 stop 100
      a buy 3 @ 100
      trade sell 8 @ 100
      fills -> a 3@100 maker, s 6@99 taker
  `;
});

/** Writes levels of an amount of one at these prices. */
const levels = (of: readonly number[]): string => of.map((price) => `${price}x1`).join(' ');
const all = Array.from({ length: 24 }, (_, index) => 1_000 - 2 * index);

describe('the book that a poll shows', () => {
  scenarios(plays)`
    has our own orders in it
      book 100x5 98x3 | 102x4
      a buy 3 @ 99
      b buy 2 @ 98
      c sell 1 @ 105
      shown -> 100x5 99x3 98x5 | 102x4 105x1
      cancel a
      shown -> 100x5 98x5 | 102x4 105x1

    has no more levels than the exchange shows, whether ours is among the recorded ones or behind them
      book ${levels(all)} | 1002x4
      a buy 1 @ 997
      b buy 1 @ 940
      shown -> ${levels([1_000, 998, 997, ...all.slice(2, 23)])} | 1002x4
      c buy 1 @ 995
      d buy 1 @ 994
      shown -> 1000x1 998x1 997x1 996x1 995x1 994x2 ${levels(all.slice(4, 22))} | 1002x4
  `;
});
