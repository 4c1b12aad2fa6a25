import { describe } from 'vitest';
import {
  checkMarketExposure,
  checkPositionSize,
  checkSelfCrossing,
  checkTotalExposure,
} from '../../../../src/engine/risk/exposure-checks.ts';
import { runTable } from './risk-table.ts';
import { scenarios } from '../../../support/scenarios.ts';

describe('the size of a position', () => {
  scenarios(runTable(checkPositionSize))`
    is what the order would make of it
      maxPosition btc=3 | holds 2, buy 1 at 100 => passes
      maxPosition btc=3 | holds 2, buy 1.2 at 100 => refuses: the order of 1.2 BTC would make a position of 3.2 BTC, above the limit of 3 BTC
      maxPosition btc=3 | holds 2, buy 1.0000000001 => refuses
      maxPosition btc=3 | holds -2, sell 1 at 100 => passes
      maxPosition btc=3 | holds -2, sell 1.0000000001 => refuses: a short position of 3.0000000001 BTC
      maxPosition eth=3 | holds 20, buy 1 at 100 => passes
      | holds 20, buy 1 at 100 => passes

    counts the live orders of the side at their worst
      maxPosition btc=3 | live buy 2 at 90, buy 1 at 100 => passes
      maxPosition btc=3 | live buy 2 at 90, buy 1.000001 at 100 => refuses
      maxPosition btc=3 | live buy 2 at 90 unknown, buy 1.000001 at 100 => refuses
      maxPosition btc=3 | live buy 2 at 90 planned, buy 1.000001 at 100 => refuses
      maxPosition btc=3 | live buy 2 at 90 cancelling, buy 1.000001 at 100 => refuses
      maxPosition btc=3 | live buy 2 at 90 rejected, buy 1.000001 at 100 => passes
      maxPosition btc=3 | live buy 2 at 90 in ETHUSDT, buy 1.000001 at 100 => passes
      maxPosition btc=3 | live buy 2 at 90 of other, buy 1.000001 at 100 => passes
      maxPosition btc=3 | live sell 2 at 110, buy 3 at 100 => passes
      maxPosition btc=3 | holds 3, live sell 2 at 110, buy 1 at 100 => refuses

    counts of a live order what is not among the fills yet
      maxPosition btc=3 | holds 0.5, live buy 2 at 90 filled 0.5, buy 1 at 100 => passes
      maxPosition btc=3 | live buy 2 at 90 filled 0.5 matched 1, buy 1.5 at 100 => passes
      maxPosition btc=3 | live buy 2 at 90 matched 1.5, buy 1.000001 at 100 => refuses
      maxPosition btc=3 | live buy 2 at 90 settling matched 1.5 filled 0.5, buy 2 at 100 => passes
      maxPosition btc=3 | live buy 2 at 90 settling matched 1.5 filled 0.5, buy 2.000001 at 100 => refuses

    counts an OCO once, by its greater leg
      maxPosition btc=3 | live buy 2 at 90 oco, live buy 2 at 112 stop 110 oco, buy 1 at 100 => passes
      maxPosition btc=3 | live buy 2 at 90 oco, live buy 2 at 112 stop 110 oco, buy 1.000001 at 100 => refuses
      maxPosition btc=3 | live buy 2 at 90 oco filled 1, live buy 2 at 112 stop 110 oco, buy 1.000001 at 100 => refuses
      maxPosition btc=3 | live buy 2 at 90 oco, buy 1.000001 at 100 => refuses

    is no matter to an order that only reduces it
      maxPosition btc=0 | holds 5, sell 5 at 100 => passes
      maxPosition btc=0 | holds 5, sell 5.0000000001 at 100 => refuses
      maxPosition btc=0 | holds -5, buy 5 at 100 => passes
      maxPosition btc=0 | holds -5, buy 5.0000000001 at 100 => refuses
      maxPosition btc=3 | holds 9, live sell 4 at 120, sell 5 => passes
      maxPosition btc=0 | holds 9, live sell 4 at 120, sell 5.000001 => refuses
  `;
});

describe('the size of a position in tether', () => {
  scenarios(runTable(checkPositionSize))`
    counts what live orders in tether markets pay and get, at the price they name
      maxPosition usdt=300 | live sell 1 at 100, buy 200 at 100000 in USDTIRT => passes
      maxPosition usdt=300 | live sell 1 at 100, buy 200.01 at 100000 in USDTIRT => refuses
      maxPosition usdt=300 | live buy 1 at 100, sell 200.01 at 100000 in USDTIRT => refuses

    is not known while a live market order without a price may trade any amount of it
      maxPosition usdt=300 | live sell 1, buy 1 at 100000 in USDTIRT => refuses: of which nobody knows how much USDT it trades
      maxPosition usdt=300 | live sell 1 filled 0.9 unknown, buy 1 at 100000 in USDTIRT => refuses
      maxPosition usdt=300 | live sell 1 filled 1, buy 1 at 100000 in USDTIRT => passes
      maxPosition usdt=300 | live sell 1, sell 1 at 100000 in USDTIRT => passes
      maxPosition usdt=300 | live sell 1, buy 1 at 100 => passes
      maxPosition usdt=0 | holds 50, live buy 1, sell 1 at 100000 in USDTIRT => refuses
      maxPosition usdt=0 | holds 50, live buy 1 at 49, sell 1 at 100000 in USDTIRT => passes
  `;
});

describe('the exposure in a market', () => {
  scenarios(runTable(checkMarketExposure))`
    is the worst value of what all strategies hold and may come to hold
      maxMarketExposure usdt=300 | BTCUSDT holds 2, buy 1 at 100 => passes
      maxMarketExposure usdt=300 | BTCUSDT holds 2, buy 1.0000000001 at 100 => refuses: the order of 1.0000000001 BTC would make an exposure of 300.00000001 USDT in BTCUSDT, and the limit is 300 USDT
      maxMarketExposure usdt=300 | BTCUSDT holds 1, live buy 1 at 90 of other, buy 1 at 100 => passes
      maxMarketExposure usdt=300 | BTCUSDT holds 1, live buy 1 at 90 of other unknown, buy 1.01 at 100 => refuses
      maxMarketExposure usdt=300 | BTCUSDT holds 1, live sell 1 at 110 of other, buy 2.01 at 100 => refuses
      maxMarketExposure usdt=300 | BTCUSDT holds -5, buy 8 at 100 => passes
      maxMarketExposure usdt=300 | BTCUSDT holds -2, sell 1 at 105 => passes
      maxMarketExposure usdt=300 | BTCUSDT holds -2, sell 1.01 at 105 => refuses
      maxMarketExposure usdt=300 | BTCUSDT holds 5, sell 8 at 105 => passes
      maxMarketExposure usdt=100 | BTCUSDT holds 1, ETHUSDT holds 50 price 100, sell 1 at 100 => passes
      maxMarketExposure rls=1 | BTCUSDT holds 50, buy 50 at 100 => passes

    is worked out at the last price, or at what a buy may pay above it
      maxMarketExposure usdt=240 | BTCUSDT holds 1 price 100, buy 1 at 120 => passes
      maxMarketExposure usdt=239 | BTCUSDT holds 1 price 100, buy 1 at 120 => refuses
      maxMarketExposure usdt=200 | BTCUSDT holds 1 price 100, buy 1 at 50 => passes
      maxMarketExposure usdt=199 | BTCUSDT holds 1 price 100, buy 1 at 50 => refuses
      maxMarketExposure usdt=329 | BTCUSDT holds 1 price 100, live buy 1 at 110 stop 108, buy 1 at 100 => refuses
      maxMarketExposure usdt=330 | BTCUSDT holds 1 price 100, live buy 1 at 110 stop 108, buy 1 at 100 => passes
      maxMarketExposure usdt=100 | BTCUSDT no price, buy 1 at 100 => passes
      maxMarketExposure usdt=100 | BTCUSDT no price, buy 1 at 100.01 => refuses
      maxMarketExposure usdt=999 | BTCUSDT no price, no book, buy 1 => refuses: has no price to value it with

    is no matter to an order that only reduces its strategy’s position
      maxMarketExposure usdt=0 | holds 2, BTCUSDT holds -5, sell 2 at 100 => passes
      maxMarketExposure usdt=0 | holds 2, BTCUSDT holds -5, sell 2.01 at 100 => refuses
      maxMarketExposure usdt=0 | holds -2, BTCUSDT holds 5, buy 2 at 100 => passes
  `;
});

describe('the exposure in all', () => {
  scenarios(runTable(checkTotalExposure))`
    is the sum of the worst of every market of the quote currency
      maxTotalExposure usdt=300 | BTCUSDT holds 1, ETHUSDT holds 2 price 50, buy 1 at 100 => passes
      maxTotalExposure usdt=300 | BTCUSDT holds 1, ETHUSDT holds 2 price 50, buy 1.01 at 100 => refuses: the order of 1.01 BTC would make an exposure of 301 USDT in all, above the limit of 300 USDT
      maxTotalExposure usdt=300 | ETHUSDT holds -2 price 100, buy 1 at 100 => passes
      maxTotalExposure usdt=300 | ETHUSDT holds -2 price 100, buy 1.01 at 100 => refuses
      maxTotalExposure usdt=300 | ETHUSDT holds 1 price 100, live buy 1 at 90 in ETHUSDT of other, buy 1.01 at 100 => refuses
      maxTotalExposure usdt=300 | ETHUSDT holds 0 price 100, live buy 1 at 90 in ETHUSDT, live sell 2 at 110 in ETHUSDT, buy 1 at 100 => passes
      maxTotalExposure usdt=300 | ETHUSDT holds 0 price 100, live buy 1 at 90 in ETHUSDT, live sell 2 at 110 in ETHUSDT, buy 1.01 at 100 => refuses
      maxTotalExposure usdt=300 | BTCIRT holds 9 price 1000, live buy 9 at 1000 in BTCIRT, buy 3 at 100 => passes
      maxTotalExposure usdt=300 | live buy 2 at 100 in ETHUSDT, buy 1 at 100 => passes
      maxTotalExposure usdt=300 | live buy 2 at 100 in ETHUSDT, buy 1.01 at 100 => refuses
      maxTotalExposure rls=1 | BTCUSDT holds 50, buy 50 at 100 => passes

    lets an order pass that makes its market no worse
      maxTotalExposure usdt=10 | BTCUSDT holds 5, sell 10 at 100 => passes
      maxTotalExposure usdt=10 | BTCUSDT holds 5, sell 10.01 at 100 => refuses
      maxTotalExposure usdt=10 | BTCUSDT holds 1, ETHUSDT holds 5 no price, sell 1 at 100 => passes

    can not be held where a market has no price
      maxTotalExposure usdt=1000 | ETHUSDT holds 5, buy 1 at 100 => refuses: ETHUSDT has no price to value it with
      maxTotalExposure usdt=1000 | ETHUSDT holds 0, buy 1 at 100 => passes
      maxTotalExposure usdt=1000 | BTCUSDT no price, no book, buy 1 => refuses: BTCUSDT has no price

    is no matter to an order that only reduces its strategy’s position
      maxTotalExposure usdt=0 | holds 2, BTCUSDT holds -5, sell 2 at 100 => passes
      maxTotalExposure usdt=0 | holds 2, BTCUSDT holds -5, sell 2.01 at 100 => refuses
      maxTotalExposure usdt=0 | holds 2, BTCUSDT holds -5, ETHUSDT holds 5, sell 2 at 100 => passes
  `;
});

describe('crossing oneself', () => {
  scenarios(runTable(checkSelfCrossing))`
    is a buy at or above an own sell
      refuseSelfCrossing | live sell 1 at 100, buy 1 at 100 => refuses: the buy of 1 BTC at 100 USDT could trade with the own sell key-0 of strategy mine at 100 USDT
      refuseSelfCrossing | live sell 1 at 100.0000000001, buy 1 at 100 => passes
      refuseSelfCrossing | live buy 1 at 100, sell 1 at 100 => refuses
      refuseSelfCrossing | live buy 1 at 99.9999999999, sell 1 at 100 => passes
      refuseSelfCrossing | live sell 1 at 100 of other, buy 1 at 100 => refuses: of strategy other
      refuseSelfCrossing | live sell 1 at 100 in ETHUSDT, buy 1 at 100 => passes
      refuseSelfCrossing | live buy 1 at 100, buy 1 at 100 => passes
      refuseSelfCrossing | live sell 1 at 105, live sell 1 at 100, buy 1 at 102 => refuses: key-1
      refuseSelfCrossing | holds 1, live buy 1 at 100, sell 1 at 100 => refuses
      | live sell 1 at 100, buy 1 at 100 => passes

    counts every order that may still trade
      refuseSelfCrossing | live sell 1 at 100 planned => refuses
      refuseSelfCrossing | live sell 1 at 100 sending => refuses
      refuseSelfCrossing | live sell 1 at 100 unknown => refuses
      refuseSelfCrossing | live sell 1 at 100 cancelling => refuses
      refuseSelfCrossing | live sell 1 at 100 settling => passes
      refuseSelfCrossing | live sell 1 at 100 cancelled => passes

    by an order without a price reaches two percent beyond the best price
      refuseSelfCrossing | book 99 100, live sell 1 at 102, buy 1 => refuses: at any price
      refuseSelfCrossing | book 99 100, live sell 1 at 102.01, buy 1 => passes
      refuseSelfCrossing | book 100 101, live buy 1 at 98, sell 1 => refuses
      refuseSelfCrossing | book 100 101, live buy 1 at 97.99, sell 1 => passes
      refuseSelfCrossing | book 100 101, live sell 1 sending, buy 1 at 98 => refuses: with the own sell key-0 of strategy mine at any price
      refuseSelfCrossing | book 100 101, live sell 1 sending, buy 1 at 97.99 => passes
      refuseSelfCrossing | book 100 101, live sell 1 sending, buy 1 => refuses
      refuseSelfCrossing | no book, live sell 1 at 5000, buy 1 => refuses
      refuseSelfCrossing | book 99 -, live sell 1 at 5000, buy 1 => refuses

    by a stop goes by its limit price, and only with what still rests when it wakes
      refuseSelfCrossing | live buy 1 at 84, sell 1 at 84 stop 85 => refuses
      refuseSelfCrossing | live buy 1 at 85, sell 1 at 84 stop 85 => refuses
      refuseSelfCrossing | live buy 1 at 83.99, sell 1 at 84 stop 85 => passes
      refuseSelfCrossing | live buy 1 at 99, sell 1 at 84 stop 85 => passes
      refuseSelfCrossing | live sell 1 at 112, buy 1 at 112 stop 110 => refuses
      refuseSelfCrossing | live sell 1 at 110, buy 1 at 112 stop 110 => refuses
      refuseSelfCrossing | live sell 1 at 112.01, buy 1 at 112 stop 110 => passes
      refuseSelfCrossing | live sell 1 at 101, buy 1 at 112 stop 110 => passes
      refuseSelfCrossing | live sell 1 at 84 stop 85, buy 1 at 99 => passes
      refuseSelfCrossing | live sell 1 at 84 stop 85, buy 1 at 84 => refuses
      refuseSelfCrossing | live sell 1 at 84 stop 85, buy 1 at 112 stop 110 => passes
      refuseSelfCrossing | live sell 1 stop 85, buy 1 at 85 => refuses
      refuseSelfCrossing | live sell 1 stop 85, buy 1 at 84.99 => passes
      refuseSelfCrossing | live sell 1 stop 85, buy 1 => passes

    by a stop that may have woken goes by its limit price alone
      refuseSelfCrossing | live sell 1 at 84 stop 85 woken, buy 1 at 99 => refuses
      refuseSelfCrossing | live sell 1 at 84 stop 99, buy 1 at 100 => refuses
      refuseSelfCrossing | live sell 1 at 84 stop 98.99, buy 1 at 100 => passes
      refuseSelfCrossing | live buy 1 at 112 stop 101, sell 1 at 100.5 => refuses
      refuseSelfCrossing | live buy 1 at 112 stop 101.01, sell 1 at 100.5 => passes
      refuseSelfCrossing | no book, live sell 1 at 84 stop 85, buy 1 at 99 => refuses
  `;
});
