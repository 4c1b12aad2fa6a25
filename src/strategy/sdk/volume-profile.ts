import { DAY_MS } from '../../domain/time-text.ts';
import { SarrafError } from '../../domain/errors.ts';
import type { Bar } from '../data/bar.ts';

/** A day in which the clock is set back has an hour more. */
const LONGEST_MS = DAY_MS + 3_600_000;
const MOST_SLICES = 1_000;

/** Digits of a share that are kept: a slice below one in a hundred million has no order anyway. */
const SHARE_DECIMALS = 8;

/** The time that is to be cut into slices. */
interface ProfiledTime {
  /** Start of the first slice, in ms since 1970: `ctx.nowMs`. */
  readonly fromMs: number;
  /** From the first slice to the end, in ms; a day at most. */
  readonly overMs: number;
  /** Number of slices, 1 to 1,000. */
  readonly slices: number;
}

/**
 * The part of the volume that is usual in each slice of a time, by the bars of days before at the same time
 * of day: what `vwap` takes as `profile`. Bars that were not closed by `fromMs` are not looked at. Null where
 * some slice has no bar, or nothing was traded.
 *
 * @throws SarrafError `INVALID_STRATEGY` for a time that is no such time
 */
export function volumeProfile(bars: readonly Bar[], time: ProfiledTime): readonly number[] | null {
  const { overMs, slices } = time;
  if (!Number.isInteger(slices) || slices < 1 || slices > MOST_SLICES)
    throw wrong(`slices: expected 1 to ${MOST_SLICES}, was ${slices}`);
  if (!Number.isInteger(overMs) || overMs < slices || overMs > DAY_MS)
    throw wrong(`overMs: expected ${slices} to ${DAY_MS}, was ${overMs}`);
  const volumes = new Float64Array(slices);
  const coveredMs = new Float64Array(slices);
  for (const bar of bars) addBar(bar, time, { volumes, coveredMs });
  const usual = volumes.map((volume, slice) => volume / (coveredMs[slice] ?? 0));
  const total = usual.reduce((sum, volume) => sum + volume, 0);
  // A slice without a bar is not a number.
  if (!(total > 0)) return null;
  return Array.from(usual, (volume) => Number((volume / total).toFixed(SHARE_DECIMALS)));
}

/** Spreads the volume of a bar evenly over its length, and each slice takes what lies in its time of day. */
function addBar(
  { openTimeMs, closeTimeMs: closeMs, volume }: Bar,
  { fromMs, overMs, slices }: ProfiledTime,
  sums: { readonly volumes: Float64Array; readonly coveredMs: Float64Array },
): void {
  const lengthMs = closeMs - openTimeMs;
  if (closeMs > fromMs || lengthMs > LONGEST_MS) return;
  // The same time of day at which the bar began, and a day before: a bar may reach into the next.
  const latest = Math.floor((closeMs - fromMs) / DAY_MS);
  for (const day of [latest - 1, latest]) {
    for (let slice = 0; slice < slices; slice += 1) {
      const beginMs = fromMs + day * DAY_MS + (slice * overMs) / slices;
      const endMs = beginMs + overMs / slices;
      const sharedMs = Math.min(endMs, closeMs) - Math.max(beginMs, openTimeMs);
      if (sharedMs <= 0) continue;
      sums.volumes[slice] = (sums.volumes[slice] ?? 0) + (volume * sharedMs) / lengthMs;
      sums.coveredMs[slice] = (sums.coveredMs[slice] ?? 0) + sharedMs;
    }
  }
}

function wrong(message: string): SarrafError {
  return new SarrafError('INVALID_STRATEGY', `volumeProfile: ${message}`);
}
