import type { CandleColumns } from '../../../../src/domain/candle-columns.ts';
import { describe, expect, test } from 'vitest';
import { cutCandles, type RunData } from '../../../../src/study/data/study-data.ts';
import { sharedColumns } from '../../../../src/study/trials/trial-setup.ts';
import { generatedCandles } from '../generated-candles.ts';

const HOUR_MS = 3_600_000;
const bars = generatedCandles({ count: 1_000 });
const candlesOf = (data: RunData): readonly CandleColumns[] => {
  if (data.fidelity === 'candles') return data.candles;
  throw new TypeError('expected candles');
};
const firstMs = bars.openTimeMs[0] ?? 0;

describe('candles of a study', () => {
  test('are all for the trials where there is no hold-out', () => {
    const { range, trials } = cutCandles([bars], { fromMs: null, holdout: null });
    const endMs = firstMs + 1_000 * HOUR_MS;
    expect(range).toEqual({ fromMs: firstMs, splitMs: endMs, toMs: endMs });
    expect(candlesOf(trials)[0]?.length).toBe(1_000);
  });

  test('end for the trials where the hold-out begins: nothing later is behind the arrays', () => {
    const { range, trials, all } = cutCandles([bars], { fromMs: null, holdout: 0.2 });
    expect((range.splitMs - range.fromMs) / HOUR_MS).toBe(800);
    const [seen] = candlesOf(trials).map(sharedColumns);
    expect(seen?.length).toBe(800);
    expect(Math.max(...(seen?.openTimeMs ?? []))).toBe(range.splitMs - HOUR_MS);
    expect(seen?.close.buffer.byteLength).toBe(800 * Float64Array.BYTES_PER_ELEMENT);
    expect(seen?.close.buffer).toBeInstanceOf(SharedArrayBuffer);
    expect(candlesOf(all)[0]?.length).toBe(1_000);
  });

  test('keep those before the range to warm up, and share the range alone with the hold-out', () => {
    const fromMs = firstMs + 500 * HOUR_MS;
    const { range, trials } = cutCandles([bars], { fromMs, holdout: 0.5 });
    expect((range.splitMs - fromMs) / HOUR_MS).toBe(250);
    expect(candlesOf(trials)[0]?.length).toBe(750);
  });

  test.each([
    [{ fromMs: firstMs + 950 * HOUR_MS, holdout: null }, /at least 100 candles of BTCUSDT for the trials/],
    [{ fromMs: null, holdout: 0.01 }, /at least 20 candles of BTCUSDT for the hold-out, found 10/],
    [{ fromMs: null, holdout: 0.9 }, null],
  ])('are refused where %j leaves too few', (of, message) => {
    const cut = () => cutCandles([bars], of);
    if (message === null) expect(cut).not.toThrow();
    else expect(cut).toThrow(message);
  });
});
