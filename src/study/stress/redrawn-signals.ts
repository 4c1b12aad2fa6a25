import type { FileSignal } from '../../backtest/signals/read-signals.ts';
import type { CandleColumns } from '../../domain/candle-columns.ts';
import { rowFrom } from '../../recording/packed/packed-market.ts';
import { barTimes, drawnOrder, type RedrawOptions } from './redrawn-bars.ts';

/**
 * Signals that move with the bars in which they came, as `redrawnBars` draws them with the same options: what
 * a signal says of the bars after it stays true within a block. One that is drawn twice comes twice, under
 * two ids; what came twice under one id still does. Those before the first bar are gone.
 */
export function redrawnSignals(
  signals: readonly FileSignal[],
  markets: readonly CandleColumns[],
  of: RedrawOptions,
): readonly FileSignal[] {
  if (signals.length === 0) return signals;
  const times = barTimes(markets, of.fromMs);
  const own = Map.groupBy(
    signals,
    ({ atMs }) => rowFrom(times.length, (row) => times[row] ?? 0, atMs + 1) - 1,
  );
  const ids = new Map<string, string>();
  const drawn: FileSignal[] = [];
  for (const [place, source] of drawnOrder(times.length, of).entries()) {
    const byMs = (times[place] ?? 0) - (times[source] ?? 0);
    for (const signal of own.get(source) ?? []) {
      const key = `${byMs} ${signal.id}`;
      const id = ids.get(key) ?? `drawn-${ids.size + 1}`;
      ids.set(key, id);
      drawn.push(moved(signal, { byMs, id }));
    }
  }
  return drawn;
}

const moved = (
  signal: FileSignal,
  { byMs, id }: { readonly byMs: number; readonly id: string },
): FileSignal => ({
  ...signal,
  id,
  atMs: signal.atMs + byMs,
  sentAtMs: signal.sentAtMs === null ? null : signal.sentAtMs + byMs,
});
