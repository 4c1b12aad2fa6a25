import type { CandleRun } from '../../../src/backtest/candle-runner.ts';
import type { CandleColumns } from '../../../src/domain/candle-columns.ts';
import { formatUnits } from '../../../src/domain/money.ts';
import { FROM_MS, TETHER } from './candle-run.ts';
import { barColumns } from '../../support/bar-columns.ts';

const HOUR_MS = 3_600_000;

/** Makes hourly bars from `FROM_MS` on, each `open high low close` in whole dollars; null: no bar. */
export function hourlyBars(...bars: readonly (string | null)[]): CandleColumns {
  const rows = bars.flatMap((text, index) => {
    if (text === null) return [];
    const cells = text.split(/\s+/).map((price) => Number(price) * 100);
    return [[FROM_MS + index * HOUR_MS, ...cells, 1_000]];
  });
  return barColumns(TETHER.symbol, '1h', rows, { priceDecimals: 2 });
}

/** Makes hourly bars as `hourlyBars` does, from a table with one bar on each line. */
export function tableOfBars(table: string): CandleColumns {
  return hourlyBars(
    ...table
      .trim()
      .split('\n')
      .map((line) => line.trim()),
  );
}

/** Writes fills as `buy 1 at 100, bar 1; …`. Bars count from 0; a `+` marks a fill inside a bar. */
export function fillsByBar({ fills }: CandleRun): string {
  return fills
    .map(({ side, amount, price, atMs }) => {
      const bar = (atMs - FROM_MS) / HOUR_MS;
      const place = Number.isInteger(bar) ? String(bar) : `${Math.floor(bar)}+`;
      return `${side} ${formatUnits(amount)} at ${formatUnits(price)}, bar ${place}`;
    })
    .join('; ');
}
