import fc from 'fast-check';
import { expect, test } from 'vitest';
import { BarDay, BarRanges } from '../../../src/backtest/bar-statistics.ts';
import { parseMarket } from '../../../src/exchange/market-names.ts';
import { barColumns } from '../../support/bar-columns.ts';

const MARKET = parseMarket('BTCIRT');
const cell = fc.oneof(fc.integer({ min: 0, max: 1_000 }), fc.integer({ min: 0, max: 2 ** 40 }));
const bar = fc.record({ open: cell, high: cell, low: cell, close: cell, volume: cell });

test('the numbers of a day are those of its texts, of ten decimals', () => {
  fc.assert(
    fc.property(
      fc.array(bar, { minLength: 1, maxLength: 3 }),
      fc.integer({ min: 0, max: 10 }),
      fc.integer({ min: 0, max: 10 }),
      (bars, priceDecimals, volumeDecimals) => {
        const rows = bars.map((one, index) => [
          index * 60_000,
          ...(['open', 'high', 'low', 'close', 'volume'] as const).map((name) => one[name]),
        ]);
        const columns = barColumns(MARKET.symbol, '1m', rows, { priceDecimals, volumeDecimals });
        const last = bars.length - 1;
        const stretches = new BarRanges(columns);
        const { numbers, ...day } = dayTexts(
          new BarDay(MARKET, { columns, ranges: stretches, first: 0, last }),
        );
        for (const [name, number] of Object.entries(numbers)) {
          const text = day[name as keyof typeof day];
          expect(text === null ? null : Number(text), name).toBe(number);
        }
        const quote = bars.reduce((sum, { volume, close }) => sum + volume * close, 0);
        const exact = quote / 10 ** volumeDecimals / 10 ** priceDecimals;
        expect(day.quoteVolume).toBe(exact.toFixed(10));
        expect(numbers.quoteVolume).toBe(Number(exact.toFixed(10)));
      },
    ),
  );
});

/** Reads the fields of a day that are only computed when they are read. */
function dayTexts({ baseVolume, quoteVolume, latest, dayLow, dayHigh, dayChange, numbers }: BarDay) {
  return {
    baseVolume,
    quoteVolume,
    latest,
    dayLow,
    dayHigh,
    dayChange,
    numbers: {
      baseVolume: numbers.baseVolume,
      quoteVolume: numbers.quoteVolume,
      latest: numbers.latest,
      dayLow: numbers.dayLow,
      dayHigh: numbers.dayHigh,
      dayChange: numbers.dayChange,
    },
  };
}
