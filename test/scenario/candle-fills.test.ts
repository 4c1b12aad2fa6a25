import { describe } from 'vitest';
import { runCandleTable } from './candle-fills-table.ts';
import { scenarios } from '../support/scenarios.ts';

describe('market orders in candles', () => {
  scenarios(runCandleTable)`
    fill at the next open, as taker
      buy market 2 => Active
      bar 101 105 99 104 => 1 2@101 taker open
      order 1 Done 2
      wallet usdt 999798 held 0
      wallet btc 1001.996 held 0
      equity 1104005.584               # 999798 and 1001.996 btc at the close of 104

    of a sale fill at the next open too, and pay their fee in the quote currency
      sell market 2 => Active
      bar 99 105 99 104 => 1 2@99 taker open
      wallet usdt 1000197.604 held 0

    fill at the close just seen where that is set ${{ arrival: 'this-close' }}
      bar 100 103 99 102
      buy market 2 => Done then 1 2@102 taker
      bar 110 110 110 110
      wallet usdt 999796 held 0

    pay half the spread and the slippage, rounded to the step against them
      ${{ spreadBps: 10, slippage: { kind: 'bps', bps: 15 } }}
      buy market 1 => Active
      sell market 1 => Active
      bar 100.05 101 99 100 => 1 1@100.26 taker open, 2 1@99.84 taker open   # 20 bps of 100.05 are 0.2001

    slip by a share of the range of the bar, and beyond its high if need be
      ${{ slippage: { kind: 'range', millionths: 100_000 } }}
      buy market 1 => Active
      sell market 1 => Active
      bar 101 101 97 98 => 1 1@101.4 taker open, 2 1@100.6 taker open

    take what the bar gives up to a share of its volume, and go on at the opens that follow
      buy market 5 => Active
      bar 101 102 100 101 x20 => 1 2@101 taker open
      order 1 Active 2
      bar 102 102 102 102 x0
      bar 103 103 103 103 x9.999 => 1 0.999@103 taker open
      bar 104 104 104 104 x1000 => 1 2.001@104 taker open
      order 1 Done 5

    of several orders share the volume, the older first
      buy market 2 => Active
      buy market 3 => Active
      bar 101 102 100 101 x30 => 1 2@101 taker open, 2 1@101 taker open

    take from the free money where the open is far beyond what was set aside
      buy market 10 => Active
      wallet usdt 1000000 held 1010
      bar 200 200 200 200 => 1 10@200 taker open
      wallet usdt 998000 held 0

    end where the money does
      own 1000 usdt
      buy market 10 => Active
      wallet usdt 1000 held 1000
      bar 101 101 101 101 => 1 9.9@101 taker open
      order 1 Canceled 9.9
      wallet usdt 0.1 held 0

    end unfilled beyond their bound where that is set as on the exchange ${{ marketBand: 'exchange' }}
      buy market 1 => Active
      bar 101.01 102 100 100
      order 1 Canceled 0
      wallet usdt 1000000 held 0
      buy market 2 => Active
      bar 101 102 100 100 => 2 2@101 taker open

    are refused as the exchange would
      own 100 usdt 1 btc
      buy market 2 => OverValueOrder
      sell market 1.001 => OverValueOrder
      sell market 0.0001 => SmallOrder
      sell market 1 => Active

    can be canceled before they reach an open
      buy market 1 => Active
      cancel 1 => Canceled
      cancel 1 => NotApplied
      cancel 2 => NotFound
      bar 100 100 100 100
      wallet usdt 1000000 held 0
  `;
});

describe('limit orders in candles', () => {
  scenarios(runCandleTable)`
    fill at their price, as maker, when a bar trades beyond it
      buy limit 2 @99 => Active
      wallet usdt 1000000 held 198
      bar 100 101 99 100                      # touched alone
      bar 100 101 98.99 100 => 1 2@99 maker
      order 1 Done 2
      wallet usdt 999802 held 0
      wallet btc 1001.998 held 0

    of a sale fill on the way up
      sell limit 2 @101 => Active
      bar 100 101 99 100
      bar 100 101.01 99 100 => 1 2@101 maker
      wallet btc 998 held 0
      wallet usdt 1000201.798 held 0

    fill when they are touched where that is set ${{ limitFill: 'touch' }}
      buy limit 2 @99 => Active
      sell limit 2 @101 => Active
      bar 100 101 99 100 => 1 2@99 maker, 2 2@101 maker

    take at the open when that is beyond their price as they arrive
      buy limit 2 @102 => Active
      bar 101 105 101 104 => 1 2@101 taker open

    take no worse than their own price ${{ spreadBps: 100 }}
      buy limit 1 @101.1 => Active
      sell limit 1 @100.9 => Active
      bar 101 105 101 104 => 1 1@101.1 taker open, 2 1@100.9 taker open

    rest when the open has run away from a price that would have taken at the close
      buy limit 2 @100.5 => Active
      bar 101 105 101 104
      bar 103 103 100 102 => 1 2@100.5 maker

    fill at the open of a gap through their price, as maker
      buy limit 2 @99 => Active
      bar 100 100 100 100
      bar 97 99 96 98 => 1 2@97 maker open

    fill at their own price in a gap where that is set ${{ limitGap: 'own-price' }}
      buy limit 2 @99 => Active
      sell limit 2 @103 => Active
      bar 100 100 100 100
      bar 97 99 96 98 => 1 2@99 maker open
      bar 104 104 104 104 => 2 2@103 maker open

    take at the close where orders arrive there, and else rest ${{ arrival: 'this-close' }}
      buy limit 1 @101 => Done then 1 1@100 taker
      buy limit 1 @100 => Active
      bar 100 100 99 99 => 2 1@100 maker

    keep open what the volume does not give
      buy limit 5 @99 => Active
      bar 100 100 98 99 x20 => 1 2@99 maker
      order 1 Active 2
      wallet usdt 999802 held 297
      bar 100 100 99 99
      bar 100 100 98 99 => 1 3@99 maker
      order 1 Done 5

    fill of any size where no share of the volume bounds them ${{ volumeShareMillionths: null }}
      buy limit 500 @99 => Active
      bar 100 100 98 99 x0 => 1 500@99 maker

    too far from the last close are refused
      buy limit 1 @69.99 => BadPrice
      buy limit 1 @70 => Active

    between the cells of a coarse column fill when a whole cell is beyond them
      buy limit 1 @98.5 => Active
      sell limit 1 @101.5 => Active
      bar 100 101 99 100
      bar 100 102 98 100 => 1 1@98.5 maker, 2 1@101.5 maker
  `;
});

describe('stop orders in candles', () => {
  scenarios(runCandleTable)`
    take at the stop price once a bar reaches it
      sell stop_market 2 stop 95 => Inactive
      bar 100 101 95.01 96
      bar 100 101 95 96 => 1 2@95 taker
      order 1 Done 2

    of a buy wait for a rise
      buy stop_market 2 stop 105 => Inactive
      bar 100 104.99 95 96
      bar 100 105 95 96 => 1 2@105 taker

    slip from the stop price ${{ slippage: { kind: 'bps', bps: 10 } }}
      sell stop_market 2 stop 95 => Inactive
      bar 100 101 90 96 => 1 2@94.9 taker     # 10 bps of 95 are 0.095

    fill at the open of a gap through the stop
      sell stop_market 2 stop 95 => Inactive
      bar 90 92 89 91 => 1 2@90 taker open

    end unfilled in a gap beyond their bound where that is set as on the exchange
      ${{ marketBand: 'exchange' }}
      sell stop_market 2 stop 95 => Inactive
      bar 94.04 95 89 91
      order 1 Canceled 0

    with a limit take at the stop price while that is within the limit
      sell stop_limit 2 @94 stop 95 => Inactive
      wallet btc 1000 held 2
      bar 100 101 94.5 96 => 1 2@95 taker

    with a limit rest in a gap beyond it, and fill when the price comes back
      sell stop_limit 2 @94 stop 95 => Inactive
      bar 90 94 89 91
      order 1 Active 0
      bar 91 94.01 90 93 => 1 2@94 maker

    with a limit that woke at the open fill on the rest of that bar
      sell stop_limit 2 @94 stop 95 => Inactive
      bar 90 95 89 91 => 1 2@94 maker

    with a limit at their stop price rest after waking, and fill in that bar only if the close is beyond it
      sell stop_limit 1 @95 stop 95 => Inactive
      bar 100 101 90 95
      order 1 Active 0
      cancel 1 => Canceled
      sell stop_limit 1 @95 stop 95 => PriceConditionFailed
      bar 100 100 100 100
      sell stop_limit 1 @95 stop 95 => Inactive
      bar 100 101 90 96 => 2 1@95 maker

    keep open what the volume does not give, as market orders at the opens that follow
      sell stop_market 3 stop 95 => Inactive
      bar 100 101 94 94 x10 => 1 1@95 taker
      order 1 Active 1
      bar 96 97 95 95 x1000 => 1 2@96 taker open

    wake in the order of the path, and share the volume so ${{ path: 'open-high-low-close' }}
      sell stop_market 1 stop 94 => Inactive
      sell stop_market 1 stop 96 => Inactive
      buy stop_market 1 stop 101 => Inactive
      bar 100 102 90 95 x20 => 3 1@101 taker, 2 1@96 taker
      order 1 Active 0
      bar 95 95 95 95 => 1 1@95 taker open
  `;
});

describe('OCO in candles', () => {
  const BOTH = 'sell oco 2 @105 stop 95 limit 94 => Active Inactive';

  scenarios(runCandleTable)`
    holds once, and a fill of the limit leg cancels the stop
      ${BOTH}
      wallet btc 1000 held 2
      bar 100 106 99 104 => 1 2@105 maker
      order 1 Done 2
      order 2 Canceled 0
      wallet btc 998 held 0

    fills by its stop where a bar reaches both, by default
      ${BOTH}
      bar 100 106 94.5 104 => 2 2@95 taker
      order 1 Canceled 0
      order 2 Done 2

    of a buy fills by its stop where a bar reaches both
      buy oco 2 @95 stop 105 limit 106 => Active Inactive
      wallet usdt 1000000 held 212
      bar 96 105 94 104 => 2 2@105 taker
      order 1 Canceled 0
      wallet usdt 999790 held 0

    fills by the limit leg where the bar opens beyond it, whatever comes after
      ${BOTH}
      bar 100 100 100 100
      bar 106 107 90 91 => 1 2@106 maker open
      order 2 Canceled 0

    takes the leg that the high comes to first on a path by the high ${{ path: 'open-high-low-close' }}
      ${BOTH}
      bar 100 106 94.5 104 => 1 2@105 maker
      order 2 Canceled 0

    takes the leg that the low comes to first on a path by the low ${{ path: 'open-low-high-close' }}
      ${BOTH}
      bar 100 106 94.5 104 => 2 2@95 taker

    takes the leg of the extreme that is nearer to the open ${{ path: 'nearest-first' }}
      ${BOTH}
      bar 102 106 94.5 104 => 1 2@105 maker
      sell oco 1 @114 stop 95 limit 94 => Active Inactive
      bar 100 115 94 104 => 4 1@95 taker

    takes the low first where both extremes are as near ${{ path: 'nearest-first' }}
      ${BOTH}
      bar 100 106 94 104 => 2 2@95 taker

    a stop that woke and rests fills on the rest of the path only ${{ path: 'open-high-low-close' }}
      sell oco 2 @105 stop 95 limit 95 => Active Inactive
      bar 100 104 94 95
      order 1 Canceled 0
      order 2 Active 0
      bar 95 96 90 91 => 2 2@95 maker

    a stop that woke and rests fills on the way back ${{ path: 'open-low-high-close' }}
      sell oco 2 @105 stop 95 limit 95 => Active Inactive
      bar 100 104 94 95 => 2 2@95 maker

    ends the stop once the limit leg has filled in part
      ${BOTH}
      bar 100 106 99 104 x10 => 1 1@105 maker
      order 1 Active 1
      order 2 Canceled 0
      wallet btc 999 held 1

    canceling one leg cancels the other
      ${BOTH}
      cancel 2 => Canceled
      order 1 Canceled 0
      wallet btc 1000 held 0

    needs its prices on the right sides of the last close
      sell oco 2 @99 stop 95 limit 94 => PriceConditionFailed
      sell oco 2 @105 stop 101 limit 94 => PriceConditionFailed
  `;
});
