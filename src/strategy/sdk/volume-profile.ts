import { DAY_MS } from '../../domain/time-text.ts';
import { type SarrafError, invalidStrategy } from '../../domain/errors.ts';
import type { Bar } from '../data/bar.ts';

/** Longest day, in ms: a day in which the clock is set back has 25 hours. */
const LONGEST_MS = DAY_MS + 3_600_000;
const MOST_SLICES = 1_000;

/** Decimals of a share that are kept: a slice below one in a hundred million has no order anyway. */
const SHARE_DECIMALS = 8;

/** Time span that is cut into slices. */
interface ProfiledTime {
  /** Start of the first slice, in ms since 1970: `ctx.nowMs`. */
  readonly fromMs: number;
  /** Time from the first slice to the end, in ms; at most a day. */
  readonly overMs: number;
  /** Number of slices, 1 to 1,000. */
  readonly slices: number;
}

/**
 * Returns the usual share of the volume in each slice, for `profile` of `vwap`. It comes from earlier days'
 * bars at the same time of day; bars that were not closed by `fromMs` are ignored. Null if a slice has no
 * bar, or if nothing was traded.
 * @throws SarrafError `INVALID_STRATEGY` for a time or a number of slices out of range
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
  // A slice without a bar makes the total NaN.
  if (!(total > 0)) return null;
  return Array.from(usual, (volume) => Number((volume / total).toFixed(SHARE_DECIMALS)));
}

/** Spreads the volume of a bar evenly over its length, and adds each slice's part of it. */
function addBar(
  { openTimeMs, closeTimeMs: closeMs, volume }: Bar,
  { fromMs, overMs, slices }: ProfiledTime,
  sums: { readonly volumes: Float64Array; readonly coveredMs: Float64Array },
): void {
  const lengthMs = closeMs - openTimeMs;
  if (closeMs > fromMs || lengthMs > LONGEST_MS) return;
  // The day in which the bar ended and the day before: a bar may reach into the next day.
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

const wrong = (message: string): SarrafError => invalidStrategy(`volumeProfile: ${message}`);
