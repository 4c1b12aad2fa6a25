import { anchorOfMost, gridAt, UTC_MIDNIGHT, type BarAnchor, type BarGrid } from '../../domain/bar-grid.ts';
import { SarrafError } from '../../domain/errors.ts';
import { TIMEFRAMES, timeframeMs, type Timeframe } from '../../domain/timeframe.ts';
import { durationText } from '../../domain/time-text.ts';

/** The times between neighbours. */
interface Steps {
  /** The most frequent: gaps are rarer than bars. */
  readonly usualMs: number;
  /** Common divisor of all of them: bars that are often missing are no finer than this. */
  readonly commonMs: number;
}

/** Null for fewer than two times. */
function stepsOf(timesMs: readonly number[]): Steps | null {
  const counts = new Map<number, number>();
  const sorted = timesMs.toSorted((left, right) => left - right);
  for (const [index, timeMs] of sorted.entries()) {
    const before = sorted[index - 1];
    if (before === undefined || before === timeMs) continue;
    counts.set(timeMs - before, (counts.get(timeMs - before) ?? 0) + 1);
  }
  const [first, ...others] = [...counts];
  if (first === undefined) return null;
  return {
    usualMs: others.reduce((most, entry) => (entry[1] > most[1] ? entry : most), first)[0],
    commonMs: [...counts.keys()].reduce(commonDivisor),
  };
}

function commonDivisor(left: number, right: number): number {
  return right === 0 ? left : commonDivisor(right, left % right);
}

/** Bars to make of a file, and if its own have to be resampled for them. */
export interface BarPlan {
  readonly timeframe: Timeframe;
  /** Start of bars of the timeframe: that of most of the file's bars, or the requested one. */
  readonly grid: BarGrid;
  /** Distance of the bars that are to be resampled; null if none are. */
  readonly partMs: number | null;
}

/**
 * The timeframe of a file whose first bars open at these times. Throws `INVALID_FILE` where none fits, and
 * where the wanted one can not be had from the bars.
 */
export function planBars(options: BarWish): BarPlan {
  const { timesMs, anchor } = options;
  const { timeframe, partMs } = lengthsOf(options);
  // Those that are put together take what other files of the world count from.
  const shown = partMs === null ? anchorOfMost(timeframe, timesMs).anchor : UTC_MIDNIGHT;
  return { timeframe, partMs, grid: gridAt(timeframe, anchor ?? shown) };
}

interface BarWish {
  readonly path: string;
  readonly timesMs: readonly number[];
  readonly wanted: Timeframe | null;
  readonly mayResample: boolean;
  /** Start of the bars; null: that of the file's bars. */
  readonly anchor: BarAnchor | null;
}

function lengthsOf(options: BarWish): Pick<BarPlan, 'timeframe' | 'partMs'> {
  const { path, timesMs, wanted, mayResample } = options;
  const steps = stepsOf(timesMs);
  const usualMs = steps?.usualMs ?? null;
  const own = TIMEFRAMES.find((timeframe) => timeframeMs(timeframe) === usualMs) ?? null;
  if (wanted === null) {
    if (own !== null) return { timeframe: own, partMs: null };
    const found = usualMs === null ? 'fewer than two bars' : `bars ${durationText(usualMs)} apart`;
    throw new SarrafError(
      'INVALID_FILE',
      `expected bars of one of the timeframes ${TIMEFRAMES.join(', ')} in ${path}, found ${found}: "sarraf data import" makes them of finer bars with --timeframe and --resample`,
    );
  }
  const wantedMs = timeframeMs(wanted);
  if (steps === null || usualMs === wantedMs || steps.commonMs === wantedMs) {
    return { timeframe: wanted, partMs: null };
  }
  const { commonMs } = steps;
  if (commonMs > wantedMs) {
    if (timesMs.length < FEW_BARS && commonMs % wantedMs === 0) return { timeframe: wanted, partMs: null };
    throw misfit(path, wanted, commonMs);
  }
  if (mayResample && wantedMs % commonMs === 0) return { timeframe: wanted, partMs: commonMs };
  const how = wantedMs % commonMs === 0 ? 'add --resample to put them together' : 'which do not fill it';
  throw new SarrafError(
    'INVALID_FILE',
    `expected bars of ${durationText(wantedMs)} in ${path}, found bars ${durationText(commonMs)} apart: ${how}`,
  );
}

/** Fewer bars than this may by chance be so far apart that they look coarser than they are. */
const FEW_BARS = 10;

function misfit(path: string, wanted: Timeframe, stepMs: number): SarrafError {
  return new SarrafError(
    'INVALID_FILE',
    `expected bars of ${durationText(timeframeMs(wanted))} in ${path}, found bars ${durationText(stepMs)} apart, of which finer ones can not be made: name a timeframe of ${durationText(stepMs)} or more`,
  );
}
