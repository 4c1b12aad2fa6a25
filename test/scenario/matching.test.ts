import { describe } from 'vitest';
import { runTable } from './trading-table.ts';
import { scenarios } from '../support/scenarios.ts';

describe('matching', () => {
  scenarios(runTable)`
    fills the best price first, and the oldest order within a price
      a sell limit 1 @102 => Active
      b sell limit 1 @101 => Active
      c sell limit 1 @101 => Active
      d buy limit 2.5 @102 => Done
      trades 2x4 1@101 3x4 1@101 1x4 0.5@102
      book | 102:0.5
      last 102

    trades at the price of the order that was there first, and gives the difference back
      a sell limit 1 @99 => Active
      b buy limit 1 @105 => Done
      trades 1x2 1@99
      wallet b usdt 999901 held 0
      wallet b btc 1001 held 0

    lets the rest of a partly filled limit order rest
      a sell limit 1 @101 => Active
      b buy limit 3 @101 => Active
      order 2 Active 1
      book 101:2 |
      wallet b usdt 999899 held 202
      a sell limit 2 @100 => Done
      trades 2x3 2@101
      order 2 Done 3

    keeps the place of an order that was partly filled
      a buy limit 2 @99 => Active
      b buy limit 2 @99 => Active
      c sell limit 1 @99 => Done
      c sell limit 2 @99 => Done
      trades 1x4 1@99 2x4 1@99

    trades orders of one user with each other
      a buy limit 1 @99 => Active
      a sell limit 1 @99 => Done
      trades 1x2 1@99
      wallet a usdt 1000000 held 0
      wallet a btc 1000 held 0

    charges each side in the currency that it receives, maker and taker apart
      fees
      a sell limit 1 @101 => Active
      b buy limit 1 @101 => Done
      wallet a usdt 1000100.899 held 0
      wallet b btc 1000.9987 held 0
      wallet b usdt 999899 held 0
  `;
});

describe('market orders', () => {
  scenarios(runTable)`
    stop at one percent from the last price and cancel what is left
      a sell limit 1 @100.5 => Active
      a sell limit 1 @101 => Active
      a sell limit 1 @101.01 => Active
      b buy market 3 => Canceled
      trades 1x4 1@100.5 2x4 1@101
      order 4 Canceled 2
      wallet b usdt 999798.5 held 0

    go one percent beyond the price they carry, and no further
      a buy limit 1 @99 => Active
      a buy limit 1 @98.01 => Active
      a buy limit 1 @98 => Active
      b sell market 3 @99 => Canceled
      trades 1x4 1@99 2x4 1@98.01
      order 4 Canceled 2

    without anything to take are canceled at once
      a buy market 1 => Canceled
      order 1 Canceled 0
      wallet a usdt 1000000 held 0

    need to be covered at the reference price only, and end where the money does
      a sell limit 1 @101 => Active
      fund b usdt 100
      b buy market 1 => Canceled
      trades 1x2 0.99@101
      wallet b usdt 0.01 held 0
  `;
});

describe('holds', () => {
  scenarios(runTable)`
    a buy sets its value aside and gives it back when canceled
      a buy limit 2 @99 => Active
      wallet a usdt 1000000 held 198
      cancel 1 => ok
      wallet a usdt 1000000 held 0
      cancel 1 => no
      order 1 Canceled 0

    a sell sets its amount aside
      a sell limit 2 @101 => Active
      wallet a btc 1000 held 2

    what is set aside can not be ordered with twice
      fund a usdt 200
      a buy limit 1 @99 => Active
      a buy limit 1 @99 => Active
      a buy limit 1 @99 => OverValueOrder
  `;
});
