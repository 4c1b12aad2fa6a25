import { describe, test } from 'vitest';
import { checkSelfCrossing } from '../../../../src/engine/risk/exposure-checks.ts';
import { runTable } from './risk-table.ts';

describe('crossing oneself', () => {
  test('is a buy at or above an own sell', () =>
    runTable(
      checkSelfCrossing,
      `
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
      `,
    ));

  test('counts every order that may still trade', () =>
    runTable(
      checkSelfCrossing,
      `
      refuseSelfCrossing | live sell 1 at 100 planned => refuses
      refuseSelfCrossing | live sell 1 at 100 sending => refuses
      refuseSelfCrossing | live sell 1 at 100 unknown => refuses
      refuseSelfCrossing | live sell 1 at 100 cancelling => refuses
      refuseSelfCrossing | live sell 1 at 100 settling => passes
      refuseSelfCrossing | live sell 1 at 100 cancelled => passes
      `,
    ));

  test('by an order without a price reaches two percent beyond the best price', () =>
    runTable(
      checkSelfCrossing,
      `
      refuseSelfCrossing | book 99 100, live sell 1 at 102, buy 1 => refuses: at any price
      refuseSelfCrossing | book 99 100, live sell 1 at 102.01, buy 1 => passes
      refuseSelfCrossing | book 100 101, live buy 1 at 98, sell 1 => refuses
      refuseSelfCrossing | book 100 101, live buy 1 at 97.99, sell 1 => passes
      refuseSelfCrossing | book 100 101, live sell 1 sending, buy 1 at 98 => refuses: with the own sell key-0 of strategy mine at any price
      refuseSelfCrossing | book 100 101, live sell 1 sending, buy 1 at 97.99 => passes
      refuseSelfCrossing | book 100 101, live sell 1 sending, buy 1 => refuses
      refuseSelfCrossing | no book, live sell 1 at 5000, buy 1 => refuses
      refuseSelfCrossing | book 99 -, live sell 1 at 5000, buy 1 => refuses
      `,
    ));

  test('by a stop goes by its limit price, and only with what still rests when it wakes', () =>
    runTable(
      checkSelfCrossing,
      `
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
      `,
    ));

  test('by a stop that may have woken goes by its limit price alone', () =>
    runTable(
      checkSelfCrossing,
      `
      refuseSelfCrossing | live sell 1 at 84 stop 85 woken, buy 1 at 99 => refuses
      refuseSelfCrossing | live sell 1 at 84 stop 99, buy 1 at 100 => refuses
      refuseSelfCrossing | live sell 1 at 84 stop 98.99, buy 1 at 100 => passes
      refuseSelfCrossing | live buy 1 at 112 stop 101, sell 1 at 100.5 => refuses
      refuseSelfCrossing | live buy 1 at 112 stop 101.01, sell 1 at 100.5 => passes
      refuseSelfCrossing | no book, live sell 1 at 84 stop 85, buy 1 at 99 => refuses
      `,
    ));
});
