import { expect, test } from 'vitest';
import { EquityWatch } from '../../../../src/daemon/health/equity-watch.ts';
import type { FigureSource } from '../../../../src/mirror/equity-now.ts';

const SERIES: Readonly<Record<string, readonly string[]>> = {
  'equity/rls': ['1000', '1500', '1350'],
  // Half of what came in is a deposit.
  'profit/rls': ['0', '100', '-50'],
  'equity/usdt': [],
};

function source(onRead: () => void): FigureSource {
  return {
    figures: (name) => (SERIES[name] ?? []).map((value, index) => ({ atMs: index, value })),
    figureNames(prefix) {
      onRead();
      return Object.keys(SERIES).filter((name) => name.startsWith(prefix));
    },
  };
}

test('shows the last equity and its fall, without what was paid in, and reads once a minute', () => {
  let [reads, nowMs] = [0, 0];
  const watch = new EquityWatch(
    source(() => (reads += 1)),
    () => nowMs,
  );
  // The highest was 1350 + 150, as it would be with the money of now.
  expect(watch.look()).toEqual([{ currency: 'rls', value: '1350', drawdown: 0.1 }]);
  nowMs = 59_999;
  watch.look();
  expect(reads).toBe(1);
  nowMs = 60_000;
  watch.look();
  expect(reads).toBe(2);
});
