import { expect, test } from 'vitest';
import type { FileSignal } from '../../../../src/backtest/signals.ts';
import { parseUnits } from '../../../../src/domain/money.ts';
import { createRandom } from '../../../../src/domain/random.ts';
import { redrawnBars, redrawnSignals } from '../../../../src/study/stress/stress-run.ts';
import { generatedCandles } from '../generated-candles.ts';

const HOUR_MS = 3_600_000;
const candles = generatedCandles({ count: 300 });
const { openTimeMs, volume } = candles;
/** Candles whose volume is their index, so that a drawn bar shows which one it was. */
const marked = { ...candles, volume: volume.map((_, bar) => bar) };
const drawn = () => ({ fromMs: openTimeMs[20] ?? 0, meanBlock: 8, random: createRandom(5) });

const signal = (atMs: number, id: string): FileSignal => ({
  atMs,
  strategy: null,
  name: 'alert',
  id,
  payload: id,
  sentAtMs: atMs - 1_000,
  source: 'test',
  place: '',
});

test('signals move with the bars in which they came, each time by other ids', () => {
  // A signal in each bar, and in every fifth a repetition with the same id.
  const signals = [...openTimeMs].flatMap((openMs, bar) => [
    signal(openMs + 60_000, String(bar)),
    ...(bar % 5 === 0 ? [signal(openMs + 120_000, String(bar))] : []),
  ]);
  const [bars] = redrawnBars([{ columns: marked, priceStep: parseUnits('0.01') }], drawn());
  const told = redrawnSignals(signals, [marked], drawn());
  for (let bar = 20; bar < 300; bar += 1) {
    const openMs = openTimeMs[bar] ?? 0;
    const source = bars?.volume[bar] ?? Number.NaN;
    const here = told.filter(({ atMs }) => atMs >= openMs && atMs < openMs + HOUR_MS);
    expect(here.map(({ payload }) => payload)).toEqual(
      Array.from({ length: source % 5 === 0 ? 2 : 1 }, () => String(source)),
    );
    expect(here[0]).toMatchObject({ atMs: openMs + 60_000, sentAtMs: openMs + 59_000 });
    expect(new Set(here.map(({ id }) => id)).size).toBe(1);
  }
  // A signal that was drawn twice counts as two, and a repetition does not.
  expect(new Set(told.map(({ id }) => id)).size).toBe(280);
  expect(redrawnSignals([], [marked], drawn())).toEqual([]);
});
