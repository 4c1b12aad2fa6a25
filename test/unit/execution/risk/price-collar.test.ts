import { describe, test } from 'vitest';
import { checkPriceCollar } from '../../../../src/engine/risk/check-risk.ts';
import { runTable } from './risk-table.ts';
import { scenarios } from '../../../support/scenarios.ts';

describe('the price collar', () => {
  scenarios(runTable(checkPriceCollar))`
    lies around the best price of the other side
      collarBps 1000 | book 99 100, buy 1 at 110 => passes
      collarBps 1000 | book 99 100, buy 1 at 110.0000000001 => refuses: the price of 110.0000000001 USDT is more than 1000 bps above the best price of 100 USDT
      collarBps 1000 | book 100 101, sell 1 at 90 => passes
      collarBps 1000 | book 100 101, sell 1 at 89.9999999999 => refuses: the price of 89.9999999999 USDT is more than 1000 bps below the best price of 100 USDT
      collarBps 0 | book 99 100, buy 1 at 100 => passes
      collarBps 0 | book 99 100, buy 1 at 100.01 => refuses
      collarBps 10000 | sell 1 at 0.01 => passes
      | book 99 100, buy 1 at 5000 => passes

    lets orders wait far away unless that is limited too
      collarBps 100 | buy 1 at 1 => passes
      collarBps 100 | sell 1 at 5000 => passes
      passiveCollarBps 1000 | book 100 101, buy 1 at 90 => passes
      passiveCollarBps 1000 | book 100 101, buy 1 at 89.99 => refuses: the order would wait at 89.99 USDT, more than 1000 bps below the best price of 100 USDT
      passiveCollarBps 1000 | book 99 100, sell 1 at 110 => passes
      passiveCollarBps 1000 | book 99 100, sell 1 at 110.01 => refuses: more than 1000 bps above
      passiveCollarBps 1000 | book 99 100, sell 1 => passes
      passiveCollarBps 1000 | book 99 100, buy 1 at 5000 => passes

    goes by the side that is there where the other is empty
      collarBps 1000 | book 100 -, buy 1 at 110 => passes
      collarBps 1000 | book 100 -, buy 1 at 110.01 => refuses: above the best price of 100 USDT
      collarBps 1000 | book - 100, sell 1 at 89.99 => refuses
      passiveCollarBps 1000 | book - 100, buy 1 at 90 => passes
      passiveCollarBps 1000 | book - 100, buy 1 at 89.99 => refuses

    lets an order that takes any price pass when somebody is there
      collarBps 1000 | buy 1 => passes
      collarBps 1000 | book 99 -, buy 1 => refuses: nobody sells in the last book of BTCUSDT
      collarBps 1000 | book - 101, sell 1 => refuses: nobody buys in the last book of BTCUSDT
      collarBps 1000 | book 99 -, sell 1 => passes

    refuses everything without a book
      collarBps 1000 | no book, buy 1 => refuses: no book of BTCUSDT
      collarBps 1000 | no book, buy 1 at 100 => refuses: no book of BTCUSDT
      collarBps 1000 | book - -, buy 1 at 100 => refuses: no book of BTCUSDT
      passiveCollarBps 1000 | no book, buy 1 at 100 => refuses: no book of BTCUSDT
      | no book, buy 1 => passes

    measures a stop from where it will wake
      collarBps 1000 | sell 1 at 63 stop 70 => passes
      collarBps 1000 | sell 1 at 62.99 stop 70 => refuses: below the stop price of 70 USDT
      collarBps 1000 | buy 1 at 143 stop 130 => passes
      collarBps 1000 | buy 1 at 143.01 stop 130 => refuses: above the stop price of 130 USDT
      collarBps 1000 | book 100 101, sell 1 at 89.99 stop 200 => refuses: below the best price of 100 USDT
      collarBps 1000 | book 99 100, buy 1 at 110.01 stop 50 => refuses: above the best price of 100 USDT
      collarBps 1000 | sell 1 stop 70 => passes
      collarBps 1000 | book 99 -, buy 1 stop 130 => passes

    limits how far away a stop may wait
      passiveCollarBps 1000 | book 100 101, sell 1 at 80 stop 90 => passes
      passiveCollarBps 1000 | book 100 101, sell 1 at 80 stop 89.99 => refuses: would wait at 89.99 USDT
      passiveCollarBps 1000 | book 99 100, buy 1 stop 110 => passes
      passiveCollarBps 1000 | book 99 100, buy 1 stop 110.01 => refuses: more than 1000 bps above
  `;

  test('measures ways out too', () =>
    runTable(checkPriceCollar)('collarBps 1000 | holds 1, book 100 101, sell 1 at 89.99 => refuses'));
});
