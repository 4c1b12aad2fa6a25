import { describe, expect, test } from 'vitest';
import type { MarketSymbol } from '../../../../src/domain/market-symbol.ts';
import { replayStart, type ReplayFile } from '../../../../src/venues/replay-file.ts';
import { candle, trade, HOUR_MS, START_MS } from '../../../support/replayed-market.ts';

function recordingOf(kind: 'candles' | 'trades', rows: number): ReplayFile {
  return {
    path: 'recording.csv',
    rows: Array.from({ length: rows }, (_, index) =>
      kind === 'candles' ? candle(index, ['10', '12', '9', '11']) : trade(index, 'buy', '10', '1'),
    ),
    timeframe: kind === 'candles' ? '1h' : null,
    barAnchors: kind === 'candles' ? {} : null,
    market: { symbol: 'BTCUSDT' as MarketSymbol, priceStep: '1', amountStep: '1', initialPrice: '10' },
  };
}

describe('the start of a replay', () => {
  test('leaves two hundred candles as the past', () => {
    expect(replayStart(recordingOf('candles', 1_000))).toEqual({
      warmUpRows: 200,
      startMs: START_MS + 200 * HOUR_MS,
    });
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
    expect(() => replayStart(recordingOf('trades', 0))).toThrow(
      'expected at least one row in recording.csv, was none',
    );
  });
});
