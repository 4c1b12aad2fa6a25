import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  anchorIn,
  anchorShown,
  anchorText,
  gridAt,
  gridOf,
  liesInside,
  readAnchor,
  TEHRAN_BARS,
  TEHRAN_MIDNIGHT,
  UTC_BARS,
  UTC_MIDNIGHT,
  TIMEFRAMES,
  type Timeframe,
} from '../../../src/domain/candle.ts';
import { isoText } from '../../../src/domain/time-text.ts';
import { columnsOf } from '../../../src/domain/candle-columns.ts';
import { decimalText } from '../../../src/domain/decimal-text.ts';
import { parseMarket } from '../../../src/exchange/market-names.ts';

test('takes more candles than a call may have arguments', () => {
  const price = decimalText('1.25');
  const bar = { open: price, high: price, low: price, close: price, volume: decimalText('1') };
  const candles = Array.from({ length: 40_000 }, (_, index) => ({ ...bar, openTimeMs: index * 60_000 }));
  const { length, priceDecimals } = columnsOf(
    { market: parseMarket('BTCUSDT').symbol, timeframe: '1m' },
    candles,
  );
  expect({ length, priceDecimals }).toEqual({ length: 40_000, priceDecimals: 2 });
});

const at = (iso: string): number => Date.parse(iso);
const texts = (times: readonly number[]): readonly string[] => times.map(isoText);

/** Returns the times at which a number of consecutive bars begin. */
function starts(timeframe: Timeframe, iso: string, bars: number): readonly string[] {
  const grid = gridOf(timeframe, TEHRAN_BARS);
  let timeMs = grid.startOf(at(iso));
  return texts(
    Array.from({ length: bars }, () => {
      const beganMs = timeMs;
      timeMs = grid.endOf(timeMs);
      return beganMs;
    }),
  );
}

describe('bars on the clock of Tehran', () => {
  // The answer for resolution=D in the exchange's public documentation, copied as numbers.
  test('days are those that the documentation of the exchange shows', () => {
    const day = gridOf('1d', TEHRAN_BARS);
    expect([day.startOf(1_562_100_000_000), day.endOf(1_562_095_800_000)]).toEqual([
      1_562_095_800_000, 1_562_182_200_000,
    ]);
    expect(anchorShown('1d', [1_562_095_800_000, 1_562_182_200_000])).toEqual(TEHRAN_MIDNIGHT);
  });

  test('bars of four hours begin at 20:30 and 00:30 UTC', () => {
    expect(starts('4h', '2026-11-27T21:00:00Z', 3)).toEqual([
      '2026-11-27T20:30:00Z',
      '2026-11-28T00:30:00Z',
      '2026-11-28T04:30:00Z',
    ]);
  });

  test('the day in which the clock goes back has 25 hours, and its last four hours are five', () => {
    expect(starts('1d', '2022-09-21T00:00:00Z', 3)).toEqual([
      '2022-09-20T19:30:00Z',
      '2022-09-21T20:30:00Z',
      '2022-09-22T20:30:00Z',
    ]);
    expect(starts('4h', '2022-09-21T12:00:00Z', 3)).toEqual([
      '2022-09-21T11:30:00Z',
      '2022-09-21T15:30:00Z',
      '2022-09-21T20:30:00Z',
    ]);
  });

  test('the day in which it goes forward has 23 hours, and its first four hours are three', () => {
    expect(starts('1d', '2022-03-21T22:00:00Z', 2)).toEqual(['2022-03-21T20:30:00Z', '2022-03-22T19:30:00Z']);
    expect(starts('4h', '2022-03-21T21:00:00Z', 2)).toEqual(['2022-03-21T20:30:00Z', '2022-03-21T23:30:00Z']);
  });

  test('shorter bars than four hours begin as those of UTC do', () => {
    expect(anchorIn(TEHRAN_BARS, '3h')).toEqual(UTC_MIDNIGHT);
    expect(anchorIn(TEHRAN_BARS, '3d')).toEqual(TEHRAN_MIDNIGHT);
  });
});

describe('any grid', () => {
  const grids = fc
    .record({
      timeframe: fc.constantFrom(...TIMEFRAMES),
      zone: fc.constantFrom('UTC', 'Asia/Tehran', 'Europe/Berlin', 'America/New_York'),
      offset: fc.double({ min: 0, max: 0.999, noNaN: true }),
    })
    .map(({ timeframe, zone, offset }) => {
      const { lengthMs } = gridAt(timeframe, { zone, offsetMs: 0 });
      return gridAt(timeframe, { zone, offsetMs: Math.floor((lengthMs * offset) / 60_000) * 60_000 });
    });
  const times = fc.integer({ min: at('2010-01-01T00:00:00Z'), max: at('2030-01-01T00:00:00Z') });

  test('holds each time in one bar, and bars follow one another', () => {
    fc.assert(
      fc.property(grids, times, (grid, timeMs) => {
        const startMs = grid.startOf(timeMs);
        const endMs = grid.endOf(startMs);
        expect(startMs <= timeMs && timeMs < endMs).toBe(true);
        expect([grid.startOf(startMs), grid.startOf(endMs), grid.before(endMs)]).toEqual([
          startMs,
          endMs,
          startMs,
        ]);
        expect(Math.abs(endMs - startMs - grid.lengthMs)).toBeLessThanOrEqual(grid.isEven ? 0 : 3_600_000);
        expect(grid.startFrom(timeMs)).toBe(timeMs === startMs ? timeMs : endMs);
      }),
    );
  });

  test('counts the bars between two times', () => {
    fc.assert(
      fc.property(grids, times, fc.integer({ min: -40, max: 40 }), (grid, timeMs, bars) => {
        const startMs = grid.startOf(timeMs);
        expect(grid.count(startMs, grid.shifted(timeMs, bars))).toBe(bars);
        expect(grid.count(startMs, startMs + 1)).toBe(1);
      }),
    );
  });
});

test.each([
  ['30m', '1d', true],
  ['1h', '4h', false],
  ['1h', '3h', true],
  ['4h', '1d', true],
  ['4h', '6h', false],
  ['12h', '3d', true],
  ['15m', '4h', true],
] as const)('bars of %s lie whole inside those of %s as the exchange has them: %s', (parts, whole, lie) => {
  expect(liesInside(gridOf(parts, TEHRAN_BARS), gridOf(whole, TEHRAN_BARS))).toBe(lie);
  expect(liesInside(gridOf(parts, UTC_BARS), gridOf(whole, UTC_BARS))).toBe(parts !== '4h' || whole !== '6h');
});

test.each([
  ['1d', ['2026-01-01T00:00:00Z'], 'UTC'],
  ['1d', ['2022-09-20T19:30:00Z', '2022-09-21T20:30:00Z'], 'Asia/Tehran'],
  ['4h', ['2026-01-01T00:30:00Z'], 'Asia/Tehran'],
  ['1h', ['2026-01-01T00:30:00Z'], 'Asia/Tehran'],
  ['2d', ['1970-01-02T00:00:00Z'], 'UTC 24:00'],
  ['1d', ['2026-01-01T08:00:00Z', '2026-01-02T08:00:00Z'], 'UTC 08:00'],
  ['1d', ['2026-01-01T08:00:00Z', '2026-01-02T09:00:00Z'], null],
] as const)('bars of %s at %j begin as %s', (timeframe, opens, text) => {
  const shown = anchorShown(timeframe, opens.map(at));
  expect(shown === null ? null : anchorText(shown)).toBe(text);
});

test('where bars begin is read as it is written', () => {
  for (const text of ['UTC', 'Asia/Tehran', 'UTC 08:00']) expect(anchorText(readAnchor(text))).toBe(text);
  for (const text of ['', 'Tehran', 'UTC 8', 'UTC 08:00 x'])
    expect(() => readAnchor(text)).toThrow('expected where bars begin');
});
