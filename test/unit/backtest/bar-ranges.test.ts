import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseMarket } from '../../../src/exchange/market-names.ts';
import { BarRanges } from '../../../src/backtest/bar-statistics.ts';
import { barColumns } from '../../support/bar-columns.ts';

const bar = fc.record({
  high: fc.integer({ min: 50, max: 99 }),
  low: fc.integer({ min: 1, max: 50 }),
  close: fc.integer({ min: 1, max: 99 }),
  volume: fc.integer({ min: 0, max: 1_000 }),
});
const stretch = fc.tuple(fc.nat(299), fc.nat(299));

test('any stretches of bars come to what their bars come to one by one', () => {
  fc.assert(
    fc.property(
      fc.array(bar, { minLength: 300, maxLength: 300 }),
      fc.array(stretch, { minLength: 1, maxLength: 8 }),
      (bars, ranges) => {
        const rows = bars.map(({ high, low, close, volume }, index) => [
          index,
          close,
          high,
          low,
          close,
          volume,
        ]);
        const all = new BarRanges(barColumns(parseMarket('BTCIRT').symbol, '1m', rows));
        for (const [one, other] of ranges) {
          const [first, last] = [Math.min(one, other), Math.max(one, other)];
          const some = bars.slice(first, last + 1);
          const { high, low, base, quote } = all;
          expect({
            high: high.total(first, last),
            low: low.total(first, last),
            base: base.total(first, last),
            quote: quote.total(first, last),
          }).toEqual({
            high: Math.max(...some.map(({ high }) => high)),
            low: Math.min(...some.map(({ low }) => low)),
            base: some.reduce((sum, { volume }) => sum + volume, 0),
            quote: some.reduce((sum, { volume, close }) => sum + volume * close, 0),
          });
        }
      },
    ),
    { numRuns: 30 },
  );
});
