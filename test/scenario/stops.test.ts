import { describe } from 'vitest';
import { runTable } from './trading-table.ts';
import { scenarios } from '../support/scenarios.ts';

describe('stop orders', () => {
  scenarios(runTable)`
    wait inactive, outside the book, with their hold
      a buy stop_limit 1 @106 stop 105 => Inactive
      book |
      wallet a usdt 1000000 held 106
      order 1 Inactive 0

    enter the book as limit orders when the last price reaches the stop
      a buy stop_limit 1 @106 stop 105 => Inactive
      b sell limit 2 @105 => Active
      c buy limit 1 @105 => Done
      trades 2x3 1@105 2x1 1@105
      order 1 Done 1

    of a sell wake on the way down and rest at their limit
      a sell stop_limit 1 @94 stop 95 => Inactive
      b buy limit 1 @95 => Active
      c sell limit 1 @95 => Done
      order 1 Active 0
      book | 94:1

    do not wake before the price is there
      a sell stop_limit 1 @94 stop 95 => Inactive
      b buy limit 1 @95.01 => Active
      c sell limit 1 @95.01 => Done
      order 1 Inactive 0

    as market orders take within one percent of their stop, and cancel the rest
      a sell stop_market 3 stop 95 => Inactive
      b buy limit 1 @95 => Active
      b buy limit 1 @94.05 => Active
      b buy limit 1 @94.04 => Active
      c sell limit 1 @95 => Done
      trades 2x5 1@95 3x1 1@94.05
      order 1 Canceled 1
      wallet a btc 999 held 0

    wake each other in a cascade
      a sell stop_market 1 stop 95 => Inactive
      b sell stop_market 1 stop 94.5 => Inactive
      c buy limit 1 @95 => Active
      c buy limit 1 @94.4 => Active
      c buy limit 1 @94 => Active
      d sell limit 1 @95 => Done
      trades 3x6 1@95 4x1 1@94.4 5x2 1@94
      order 1 Done 1
      order 2 Done 1

    wake in the order of their stops, then of their ids
      a buy stop_limit 1 @110 stop 106 => Inactive
      b buy stop_limit 1 @110 stop 105 => Inactive
      c buy stop_limit 1 @110 stop 105 => Inactive
      d sell limit 1 @106 => Active
      d sell limit 3 @108 => Active
      e buy limit 1 @106 => Done
      trades 4x6 1@106 5x2 1@108 5x3 1@108 5x1 1@108

    can be canceled while they wait
      a buy stop_limit 1 @106 stop 105 => Inactive
      cancel 1 => ok
      order 1 Canceled 0
      wallet a usdt 1000000 held 0
      b sell limit 1 @105 => Active
      c buy limit 1 @105 => Done
      order 1 Canceled 0

    are refused when the price is already beyond the stop
      a buy stop_limit 1 @106 stop 100 => PriceConditionFailed
      a sell stop_limit 1 @94 stop 100 => PriceConditionFailed
      a sell stop_market 1 stop 101 => PriceConditionFailed

    are refused when their price is better than their stop
      a buy stop_limit 1 @104.99 stop 105 => BadPrice
      a sell stop_limit 1 @95.01 stop 95 => BadPrice
  `;
});

describe('OCO', () => {
  scenarios(runTable)`
    is two orders that hold once, for the dearer of the two
      a buy oco 1 @95 stop 105 limit 106 => Active
      order 1 Active 0
      order 2 Inactive 0
      wallet a usdt 1000000 held 106
      b sell oco 2 @105 stop 95 limit 94 => Active
      wallet b btc 1000 held 2
      book 95:1 | 105:2

    the stop is canceled as soon as the limit order fills in part
      a sell oco 2 @105 stop 95 limit 94 => Active
      b buy limit 1 @105 => Done
      trades 1x3 1@105
      order 1 Active 1
      order 2 Canceled 0
      wallet a btc 999 held 1

    the limit order is canceled when the stop wakes, and its hold passes over
      a buy oco 1 @95 stop 105 limit 106 => Active
      b sell limit 1 @105 => Active
      c buy limit 1 @105 => Done
      order 1 Canceled 0
      order 2 Active 0
      wallet a usdt 1000000 held 106
      book 106:1 |
      d sell limit 1 @106 => Done
      order 2 Done 1
      wallet a usdt 999894 held 0

    canceling either order cancels both
      a sell oco 1 @105 stop 95 limit 94 => Active
      cancel 2 => ok
      order 1 Canceled 0
      order 2 Canceled 0
      wallet a btc 1000 held 0
      a sell oco 1 @105 stop 95 limit 94 => Active
      cancel 3 => ok
      order 4 Canceled 0
      wallet a btc 1000 held 0

    after it has executed only what is open can be canceled
      a sell oco 2 @105 stop 95 limit 94 => Active
      b buy limit 1 @105 => Done
      cancel 2 => no
      cancel 1 => ok
      order 1 Canceled 1
      wallet a btc 999 held 0

    needs its prices on the right sides of the last price
      a buy oco 1 @101 stop 105 limit 106 => PriceConditionFailed
      a buy oco 1 @95 stop 99 limit 106 => PriceConditionFailed
      a buy oco 1 @95 stop 105 limit 104 => PriceConditionFailed
      a sell oco 1 @99 stop 95 limit 94 => PriceConditionFailed
      a sell oco 1 @105 stop 95 limit 96 => PriceConditionFailed
      a buy oco 1 @95 stop 105 => InvalidOrderPrice
  `;
});
