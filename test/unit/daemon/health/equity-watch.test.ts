import { expect, test } from 'vitest';
import { EquityWatch } from '../../../../src/daemon/run/operator.ts';
import type { FigureSource } from '../../../../src/mirror/read-series.ts';

/** Series with one value each ms; `read` counts the values that were read. */
class MadeUpFigures implements FigureSource {
  read = 0;
  readonly series: Record<string, (string | null)[]> = {
    'equity/rls': ['1000', '1500', '1350'],
    // Half of the money that came in was a deposit.
    'profit/rls': ['0', '100', '-50'],
    'equity/usdt': [],
  };

  figures(name: string, { fromMs }: { readonly fromMs: number }) {
    const all = (this.series[name] ?? []).map((value, index) => ({ atMs: index, value }));
    const wanted = all.filter(({ atMs }) => atMs >= fromMs);
    this.read += wanted.length;
    return wanted;
  }

  figureNames(prefix: string) {
    return Object.keys(this.series).filter((name) => name.startsWith(prefix));
  }
}

test('shows the last equity and its fall, without what was paid in, and reads once a minute', () => {
  let nowMs = 0;
  const figures = new MadeUpFigures();
  const watch = new EquityWatch(figures, () => nowMs);
  // The highest value is 1350 + 150, as if all deposits so far had been there then.
  expect(watch.snapshot()).toEqual([{ currency: 'rls', value: '1350', drawdown: 0.1 }]);
  figures.series['equity/rls']?.push('1400');
  figures.series['profit/rls']?.push('0');
  nowMs = 59_999;
  expect(watch.snapshot()).toMatchObject([{ value: '1350' }]);
  nowMs = 60_000;
  // The highest value is 1400 + 100.
  expect(watch.snapshot()).toEqual([{ currency: 'rls', value: '1400', drawdown: 0.0667 }]);
});

test('reads every value once, and shows none while the last has none', () => {
  let nowMs = 0;
  const figures = new MadeUpFigures();
  const watch = new EquityWatch(figures, () => nowMs);
  watch.snapshot();
  expect(figures.read).toBe(6);
  figures.series['equity/rls']?.push(null);
  nowMs = 60_000;
  expect(watch.snapshot()).toEqual([]);
  figures.series['equity/rls']?.push('1500');
  figures.series['profit/rls']?.push('100');
  nowMs = 120_000;
  expect(watch.snapshot()).toEqual([{ currency: 'rls', value: '1500', drawdown: 0 }]);
  nowMs = 180_000;
  watch.snapshot();
  expect(figures.read).toBe(9);
});
