import { describe, expect, test } from 'vitest';
import type { ReplayFile } from '../../../../src/venues/embedded/replay-file.ts';
import { replayTimeframe, replayStart } from '../../../../src/venues/embedded/replay-start.ts';
import { candle, trade, HOUR_MS, START_MS } from '../../../support/replayed-market.ts';

const MINUTE_MS = 60_000;

function recordingOf(kind: ReplayFile['kind'], rows: number, lengthMs = kind === 'candles' ? HOUR_MS : 0): ReplayFile {
  return {
    path: 'recording.csv',
    kind,
    rows: Array.from({ length: rows }, (_, index) =>
      kind === 'candles' ? candle(index, ['10', '12', '9', '11']) : trade(index, 'buy', '10', '1'),
    ),
    lengthMs,
    market: { symbol: 'BTCUSDT', priceStep: '1', amountStep: '1', initialPrice: '10' },
  };
}

describe('the start of a replay', () => {
  test('leaves two hundred candles as the past', () => {
    expect(replayStart(recordingOf('candles', 1_000))).toEqual({ warmUpRows: 200, startMs: START_MS + 200 * HOUR_MS });
  });

  test('leaves a fifth of the trades as the past', () => {
    expect(replayStart(recordingOf('trades', 100))).toEqual({ warmUpRows: 20, startMs: START_MS + 20_000 });
  });

  test.each([
    [399, 199],
    [2, 1],
    [1, 0],
  ])('of %i candles plays at least half, so %i are the past', (rows, warmUpRows) => {
    expect(replayStart(recordingOf('candles', rows)).warmUpRows).toBe(warmUpRows);
  });

  test('is refused without a row', () => {
    expect(() => replayStart(recordingOf('trades', 0))).toThrow('expected at least one row in recording.csv, was none');
  });
});

describe('the candles of strategies on a replay', () => {
  test.each([
    ['1m', MINUTE_MS],
    ['1m', 3 * MINUTE_MS],
    ['5m', 5 * MINUTE_MS],
    ['30m', 45 * MINUTE_MS],
    ['1h', HOUR_MS],
    ['1h', 2 * HOUR_MS],
    ['1d', 24 * HOUR_MS],
    ['2d', 48 * HOUR_MS],
    ['3d', 7 * 24 * HOUR_MS],
  ])('are of %s where those of the recording last %i ms', (timeframe, lengthMs) => {
    expect(replayTimeframe(recordingOf('candles', 2, lengthMs))).toBe(timeframe);
  });

  test('are of a minute where it is of trades', () => {
    expect(replayTimeframe(recordingOf('trades', 2))).toBe('1m');
  });
});
