import { gridOf, UTC_BARS } from '../../../src/domain/candle.ts';
import { inspect } from 'node:util';
import { expect, test } from 'vitest';
import { ColumnCandle, plainCandle } from '../../../src/strategy/column-candle.ts';
import { FROM_MS, TETHER, walkOf } from '../backtest/candle-run.ts';

const columns = walkOf(TETHER, { bars: 3, seed: 1, price: 60_000 });
const inColumns = new ColumnCandle(
  { columns, timeframe: '1h', grid: gridOf('1h', UTC_BARS), seenAtMs: null },
  1,
);
const candle = plainCandle(inColumns);

const expected = {
  openTimeMs: FROM_MS + 3_600_000,
  closeTimeMs: FROM_MS + 7_200_000,
  open: String((columns.open[1] ?? 0) / 100),
  high: String((columns.high[1] ?? 0) / 100),
  low: String((columns.low[1] ?? 0) / 100),
  close: String((columns.close[1] ?? 0) / 100),
  volume: '5000',
  market: 'BTCUSDT',
  timeframe: '1h',
  seenAtMs: FROM_MS + 7_200_000,
  missedBefore: 0,
};

test('a candle in its columns is copied as a plain one', () => {
  expect(inspect(candle)).toBe(inspect(expected));
  expect(inspect({ candle }, { compact: true, breakLength: Number.POSITIVE_INFINITY })).toBe(
    inspect({ candle: expected }, { compact: true, breakLength: Number.POSITIVE_INFINITY }),
  );
  expect(inspect(inColumns)).toBe(inspect(expected));
  expect(JSON.stringify(candle)).toBe(JSON.stringify(expected));
  expect({ ...candle }).toEqual(expected);
  expect(Object.entries(candle)).toEqual(Object.entries(expected));
  expect(structuredClone({ ...candle })).toEqual(expected);
  const { close, ...rest } = candle;
  expect([close, Object.keys(rest).length]).toEqual([expected.close, 10]);
});

test('the columns of a candle are out of reach, also of who looks behind it', () => {
  for (const shown of [
    inspect(candle, { showProxy: true, showHidden: true, depth: 9 }),
    inspect(inColumns, { depth: 9 }),
  ]) {
    expect(shown).not.toContain('Float64Array');
  }
  expect(Reflect.ownKeys(inColumns)).toEqual([]);
});
