import { inspect } from 'node:util';
import { describe, expect, it, test } from 'vitest';
import { BarFeed } from '../../../src/backtest/bar-queue.ts';
import { columnsOf, type CandleColumns } from '../../../src/domain/candle-columns.ts';
import type { Candle, Timeframe } from '../../../src/domain/candle.ts';
import { decimalText } from '../../../src/domain/decimal-text.ts';
import type { MarketSymbol } from '../../../src/domain/market-symbol.ts';
import type { ClosedCandle } from '../../../src/strategy/strategy-event.ts';
import { barOf } from '../../../src/strategy/data/bar.ts';
import { FROM_MS } from './candle-run.ts';
import fc from 'fast-check';
import { BarDay, BarRanges } from '../../../src/backtest/bar-statistics.ts';
import { parseMarket } from '../../../src/exchange/market-names.ts';
import { barColumns } from '../../support/bar-columns.ts';

const rangeBar = fc.record({
  high: fc.integer({ min: 50, max: 99 }),
  low: fc.integer({ min: 1, max: 50 }),
  close: fc.integer({ min: 1, max: 99 }),
  volume: fc.integer({ min: 0, max: 1_000 }),
});
const stretch = fc.tuple(fc.nat(299), fc.nat(299));

test('any stretches of bars come to what their bars come to one by one', () => {
  fc.assert(
    fc.property(
      fc.array(rangeBar, { minLength: 300, maxLength: 300 }),
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
          expect({
            high: all.total('high', first, last),
            low: all.total('low', first, last),
            base: all.total('base', first, last),
            quote: all.total('quote', first, last),
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

const MINUTE_MS = 60_000;

/** Reads bars from a table with the columns minute, open, high, low, close and volume. */
function bars(table: string, timeframe: Timeframe = '1m'): CandleColumns {
  const candles = table
    .trim()
    .split('\n')
    .map((line): Candle => {
      const [minute = '', ...numbers] = line.trim().split(/ +/);
      const [open, high, low, close, volume] = numbers.map((text) => decimalText(text));
      const values = { open: open!, high: high!, low: low!, close: close!, volume: volume! };
      return { openTimeMs: FROM_MS + Number(minute) * MINUTE_MS, ...values };
    });
  return columnsOf({ market: 'BTCUSDT' as MarketSymbol, timeframe }, candles);
}

const minuteOf = (atMs: number): number => (atMs - FROM_MS) / MINUTE_MS;
const shown = (bar: ClosedCandle): string => {
  const { open, high, low, close, volume, missedBefore, openTimeMs, seenAtMs } = bar;
  const values = [open, high, low, close, volume, missedBefore];
  return [minuteOf(openTimeMs), ...values, minuteOf(seenAtMs)].join(' ');
};

const all = (feed: BarFeed, columns: CandleColumns): string[][] =>
  Array.from({ length: columns.length }, (_, index) => feed.closedBy(index).map(shown));

describe('bars of the recorded length', () => {
  const columns = bars(`
    0 100.5 101 99.25 100 2
    1 100   102 100   101 0.5
    4 101   101 101   101 0`);

  it('come as they close, with how many are missing before them', () => {
    expect(all(new BarFeed(columns, '1m'), columns)).toEqual([
      ['0 100.5 101 99.25 100 2 0 1'],
      ['1 100 102 100 101 0.5 0 2'],
      ['4 101 101 101 101 0 2 5'],
    ]);
  });

  it('look to authors like plain objects that can be stored and not changed', () => {
    const [bar] = new BarFeed(columns, '1m').closedBy(0);
    if (bar === undefined) throw new Error('expected a bar');
    const shown = barOf(bar);
    const exact = { open: '100.5', high: '101', low: '99.25', close: '100', volume: '2' };
    const expected = {
      market: 'BTCUSDT',
      timeframe: '1m',
      openTimeMs: FROM_MS,
      closeTimeMs: FROM_MS + MINUTE_MS,
      open: 100.5,
      high: 101,
      low: 99.25,
      close: 100,
      volume: 2,
      seenAtMs: FROM_MS + MINUTE_MS,
      missedBefore: 0,
    };
    expect(shown).toMatchObject(expected);
    expect(JSON.parse(JSON.stringify(shown))).toEqual({ ...expected, exact });
    expect(inspect(shown)).toBe(inspect({ ...expected, exact }));
    expect(Reflect.set(shown, 'close', 1)).toBe(false);
    expect([shown.close, shown.exact.close]).toEqual([100, '100']);
  });
});

describe('longer bars', () => {
  it('close with their last part, and hold nothing of a later one', () => {
    const columns = bars(`
      0 10 12 9  11 1
      1 11 13 11 12 1
      2 12 12 7  8  1
      3 8  9  8  9  1
      4 9  9  9  9  1.5
      5 20 30 20 25 1`);
    expect(all(new BarFeed(columns, '5m'), columns)).toEqual([[], [], [], [], ['0 10 13 7 9 5.5 0 5'], []]);
  });

  it('whose last parts are missing close with the first part that comes after them', () => {
    const columns = bars(`
      0 10 12 9 11 1
      1 11 13 11 12 1
      7 20 21 20 21 1
      9 21 22 21 22 1`);
    expect(all(new BarFeed(columns, '5m'), columns)).toEqual([
      [],
      [],
      ['0 10 13 9 12 2 0 8'],
      ['5 20 22 20 22 2 0 10'],
    ]);
  });

  it('are refused where they are no multiple of the recorded ones', () => {
    const columns = bars('0 10 12 9 11 1', '15m');
    expect(() => new BarFeed(columns, '5m')).toThrow(
      /candles of 5m can be made of, were of the timeframe 15/,
    );
  });
});

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
function dayTexts({ baseVolume, quoteVolume, latest, dayLow, dayHigh, dayChange, numbers: of }: BarDay) {
  const numbers = { baseVolume: of.baseVolume, quoteVolume: of.quoteVolume, latest: of.latest };
  const day = { dayLow: of.dayLow, dayHigh: of.dayHigh, dayChange: of.dayChange };
  const texts = { baseVolume, quoteVolume, latest, dayLow, dayHigh, dayChange };
  return { ...texts, numbers: { ...numbers, ...day } };
}
