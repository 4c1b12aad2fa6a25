import { describe, expect, test } from 'vitest';
import { refusalOf, scenariosOf } from './algorithm-table.ts';

const hourly = { kind: 'dca', market: 'BTCUSDT', value: '100', everyMs: 3_600_000 } as const;
const HOUR_MS = 3_600_000;

describe('a DCA', () => {
  scenariosOf(hourly)`
    buys for its value at fixed times, and ends after the last ${{ ...hourly, times: 2 }}
      start => books                                # no price is known yet
      book 99 100 => place buy 1, wake ${HOUR_MS}
      1 filled => wake ${HOUR_MS}
      book 79 80 => wake ${HOUR_MS}
      at ${HOUR_MS} => place buy 1.25
      2 filled => done its last purchase is over

    buys more where the price is far below the highest that it saw
      ${{
        ...hourly,
        steps: [
          { belowPercent: '20', factor: '3' },
          { belowPercent: '5', factor: '1.5' },
        ],
      }}
      book 99 100 => place buy 1, wake ${HOUR_MS}
      1 filled => wake ${HOUR_MS}
      book 94 95 => wake ${HOUR_MS}
      at ${HOUR_MS} => place buy 1.5789473684, wake ${2 * HOUR_MS}
      2 filled => wake ${2 * HOUR_MS}
      book 78 80 => wake ${2 * HOUR_MS}
      at ${2 * HOUR_MS} => place buy 3.75, wake ${3 * HOUR_MS}
      3 filled => wake ${3 * HOUR_MS}
      book 99 99 => wake ${3 * HOUR_MS}
      at ${3 * HOUR_MS} => place buy 1.0101010101, wake ${4 * HOUR_MS}

    takes what a purchase has cost beyond its value off the next
      book 99 100 => place buy 1, wake ${HOUR_MS}
      book 109 110 => wake ${HOUR_MS}
      1 filled => wake ${HOUR_MS}
      at ${HOUR_MS} => place buy 0.8181818181, wake ${2 * HOUR_MS}        # 90 at 110
      2 filled => wake ${2 * HOUR_MS}
      at ${2 * HOUR_MS} => place buy 0.909090909, wake ${3 * HOUR_MS}

    does not make up for what an order has not filled
      book 99 100 => place buy 1, wake ${HOUR_MS}
      1 cancelled 0.4 => wake ${HOUR_MS}
      at ${HOUR_MS} => place buy 1, wake ${2 * HOUR_MS}

    waits for an order that is not clear, and never has a second beside it
      book 99 100 => place buy 1, wake ${HOUR_MS}
      1 unknown => wake ${HOUR_MS}
      at ${HOUR_MS} => cancel 1
      1 settling 0/1 => -
      1 filled => place buy 1, wake ${2 * HOUR_MS}

    makes one purchase for all times that it missed ${{ ...hourly, times: 5 }}
      book 99 100 => place buy 1, wake ${HOUR_MS}
      1 filled => wake ${HOUR_MS}
      at ${3 * HOUR_MS + 1} => place buy 1, wake ${4 * HOUR_MS}
      2 filled => wake ${4 * HOUR_MS}
      at ${4 * HOUR_MS} => place buy 1
      3 filled => done its last purchase is over

    waits after a refusal, gives a purchase up after three, and makes the next
      book 99 100 => place buy 1, wake ${HOUR_MS}
      refused too large => wake 10500
      at 10500 => place buy 1, wake ${HOUR_MS}
      2 rejected NoFunds => wake 21000
      at 21000 => place buy 1, wake ${HOUR_MS}
      3 lost => wake ${HOUR_MS}
      at ${HOUR_MS} => place buy 1, wake ${2 * HOUR_MS}
  `;

  test.each([
    ['less than the minimum', { value: '5' }, 'expected purchases above 5 usdt, the least is 5'],
    ['a step below the minimum', { steps: [{ belowPercent: '5', factor: '0.01' }] }, 'the least is 1'],
    ['no value', { value: '0' }, 'expected a positive decimal as value'],
    ['half a minute', { everyMs: 30_000 }, 'expected everyMs from 60000'],
    ['half a time', { times: 1.5 }, 'expected 1 to 100000 times, was 1.5'],
    ['all of the price', { steps: [{ belowPercent: '100', factor: '2' }] }, 'below 100, was "100"'],
    [
      'the same step twice',
      {
        steps: [
          { belowPercent: '5', factor: '2' },
          { belowPercent: 5, factor: '3' },
        ],
      },
      'was there twice',
    ],
  ])('is refused with %s', (_, fields, reason) => {
    expect(refusalOf({ ...hourly, ...fields })).toContain(reason);
  });
});
