import type { Candle } from '../../domain/candle.ts';
import { barStartMs } from '../../domain/timeframe.ts';
import type { BarPlan } from './detect-timeframe.ts';
import { KnownBars } from './known-bars.ts';
import type { ReadRow } from './row-reader.ts';

/** A bar that does not begin where bars of its timeframe do is one of another time zone, or none. */
export function aligned(read: ReadRow<Candle>, { timeframe, partMs }: BarPlan): ReadRow<Candle> {
  if ('problem' in read || partMs !== null || barStartMs(read.row.openTimeMs, timeframe) === read.row.openTimeMs)
    return read;
  const found = new Date(read.row.openTimeMs).toISOString();
  return { problem: `expected a bar that begins where bars of ${timeframe} do in UTC, found ${found}` };
}

/** Bars that are put together count once each: the same one again is left out (null), and another for its time is a bad row. Those that are not are looked at where they go. */
export function onceEach({ partMs }: BarPlan): (read: ReadRow<Candle>) => ReadRow<Candle> | null {
  if (partMs === null) return (read) => read;
  const known = new KnownBars(partMs);
  return (read) => {
    const found = 'row' in read ? known.take(read.row) : 'new';
    if (found === 'new' || 'problem' in read) return read;
    if (found === 'same') return null;
    return {
      problem: `expected the bar of ${new Date(read.row.openTimeMs).toISOString()} once, found another for it before`,
    };
  };
}
