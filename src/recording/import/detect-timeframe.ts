import {
  anchorOfMost,
  gridAt,
  UTC_MIDNIGHT,
  type BarAnchor,
  type BarGrid,
  anchorText,
  type Candle,
  TIMEFRAMES,
  timeframeMs,
  type Timeframe,
} from '../../domain/candle.ts';
import { invalidFile } from '../../domain/errors.ts';
import { durationText, isoText } from '../../domain/time-text.ts';
import type { ReadRow } from './table-reader.ts';

/** Time steps between neighbouring bars. */
interface Steps {
  /** Most frequent step in ms, since gaps are rarer than bars. */
  readonly usualMs: number;
  /** Common divisor of all steps in ms: bars that are often missing are not shorter than this. */
  readonly commonMs: number;
}

/** Returns the steps between times; null for fewer than two times. */
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

const commonDivisor = (left: number, right: number): number =>
  right === 0 ? left : commonDivisor(right, left % right);

/** Bars to build from a file, and whether its own bars must be resampled. */
export interface BarPlan {
  readonly timeframe: Timeframe;
  /** Start of bars of the timeframe: that of most of the file's bars, or the requested one. */
  readonly grid: BarGrid;
  /** Distance in ms of the bars that are resampled; null if none are. */
  readonly partMs: number | null;
}

/**
 * Returns the timeframe of a file whose first bars open at these times. Throws `INVALID_FILE` if none fits,
 * or if the requested one cannot be built from the bars.
 */
export function planBars(options: BarChoice): BarPlan {
  const { timesMs, anchor } = options;
  const { timeframe, partMs } = lengthsOf(options);
  // Resampled bars begin at UTC midnight, from which most files count.
  const shown = partMs === null ? anchorOfMost(timeframe, timesMs).anchor : UTC_MIDNIGHT;
  return { timeframe, partMs, grid: gridAt(timeframe, anchor ?? shown) };
}

interface BarChoice {
  readonly path: string;
  readonly timesMs: readonly number[];
  readonly wanted: Timeframe | null;
  readonly mayResample: boolean;
  /** Start of the bars; null: that of the file's bars. */
  readonly anchor: BarAnchor | null;
}

function lengthsOf(options: BarChoice): Pick<BarPlan, 'timeframe' | 'partMs'> {
  const { path, timesMs, wanted, mayResample } = options;
  const steps = stepsOf(timesMs);
  const usualMs = steps?.usualMs ?? null;
  const own = TIMEFRAMES.find((timeframe) => timeframeMs(timeframe) === usualMs) ?? null;
  if (wanted === null) {
    if (own !== null) return { timeframe: own, partMs: null };
    const found = usualMs === null ? 'fewer than two bars' : `bars ${durationText(usualMs)} apart`;
    throw invalidFile(
      `expected bars of one of the timeframes ${TIMEFRAMES.join(', ')} in ${path}, found ${found}: "sarraf data import" makes them of finer bars with --timeframe and --resample`,
    );
  }
  const wantedMs = timeframeMs(wanted);
  if (steps === null || usualMs === wantedMs || steps.commonMs === wantedMs)
    return { timeframe: wanted, partMs: null };
  const { commonMs } = steps;
  if (commonMs > wantedMs) {
    if (timesMs.length < FEW_BARS && commonMs % wantedMs === 0) return { timeframe: wanted, partMs: null };
    throw invalidFile(
      `expected bars of ${durationText(timeframeMs(wanted))} in ${path}, found bars ${durationText(commonMs)} apart, of which finer ones can not be made: name a timeframe of ${durationText(commonMs)} or more`,
    );
  }
  if (mayResample && wantedMs % commonMs === 0) return { timeframe: wanted, partMs: commonMs };
  const how = wantedMs % commonMs === 0 ? 'add --resample to put them together' : 'which do not fill it';
  throw invalidFile(
    `expected bars of ${durationText(wantedMs)} in ${path}, found bars ${durationText(commonMs)} apart: ${how}`,
  );
}

/** Number of bars below which gaps may by chance make the bars look longer than they are. */
const FEW_BARS = 10;

/** Rejects a bar that is off the grid of its timeframe: it is of another time zone, or invalid. */
export function aligned(read: ReadRow<Candle>, { grid, partMs }: BarPlan): ReadRow<Candle> {
  if ('problem' in read || partMs !== null || grid.isStart(read.row.openTimeMs)) return read;
  const found = isoText(read.row.openTimeMs);
  const { timeframe, anchor } = grid;
  return {
    problem: `expected a bar that begins where bars of ${timeframe} do at ${anchorText(anchor)}, as most of the file, found ${found}`,
  };
}

/**
 * Returns a filter that accepts each bar once for resampling: the same bar again is left out (null), a
 * different bar for its time is rejected. Bars that are not resampled are checked by the catalogue.
 */
export function onceEach({ partMs }: BarPlan): (read: ReadRow<Candle>) => ReadRow<Candle> | null {
  if (partMs === null) return (read) => read;
  const known = new KnownBars(partMs);
  return (read) => {
    const found = 'row' in read ? known.add(read.row) : 'new';
    if (found === 'new' || 'problem' in read) return read;
    if (found === 'same') return null;
    return {
      problem: `expected the bar of ${isoText(read.row.openTimeMs)} once, found another for it before`,
    };
  };
}

/** Number of bars in one page. Files have few long gaps, so few pages are mostly empty. */
const PAGE_BARS = 256;

/** Remembers which bars of a file came, in four bytes per bar, so that no bar is added to itself. */
class KnownBars {
  private readonly stepMs: number;
  private readonly pages = new Map<number, Uint32Array>();

  /** `stepMs` divides the times of all bars; a bar at another time counts as new. */
  constructor(stepMs: number) {
    this.stepMs = stepMs;
  }

  /** Adds a bar. Returns whether it is new, the same as an earlier one, or another one for its time. */
  add({ openTimeMs, open, high, low, close, volume }: Candle): 'new' | 'same' | 'other' {
    const place = openTimeMs / this.stepMs;
    if (!Number.isInteger(place)) return 'new';
    const number = Math.floor(place / PAGE_BARS);
    let page = this.pages.get(number);
    if (page === undefined) this.pages.set(number, (page = new Uint32Array(PAGE_BARS)));
    const index = place - number * PAGE_BARS;
    const before = page[index] ?? 0;
    const mark = markOf(`${open} ${high} ${low} ${close} ${volume}`);
    if (before !== 0) return before === mark ? 'same' : 'other';
    page[index] = mark;
    return 'new';
  }
}

/** Returns the 32-bit FNV-1a hash of a text, never 0. */
function markOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1)
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  return hash >>> 0 || 1;
}

/** Finds times that go back by hours in a rising file: it was combined from parts of different time zones. */
export class BackwardSteps {
  private beforeMs: number | null = null;
  /** Number of steps forward and back so far. */
  forward = 0;
  back = 0;
  private first: string | null = null;

  /** Checks a bar in the order of the file and returns it unchanged. */
  checked(read: ReadRow<Candle>, line: number): ReadRow<Candle> {
    if ('problem' in read) return read;
    const { openTimeMs } = read.row;
    const stepMs = this.beforeMs === null ? 0 : openTimeMs - this.beforeMs;
    this.beforeMs = openTimeMs;
    if (stepMs > 0) this.forward += 1;
    if (stepMs >= 0) return read;
    this.back += 1;
    this.first ??= `line ${line} goes back by ${durationText(-stepMs)}`;
    return read;
  }

  /** Returns the notes about the file; empty if it is sorted, in either direction. */
  notes(): string[] {
    if (this.first === null || !isSlipped(this)) return [];
    return [`its times are not in order: ${this.first}, as after a change of the time zone`];
  }
}

/** True if some times go back in a file that mostly goes forward, and is not sorted in reverse. */
export const isSlipped = ({ forward, back }: { readonly forward: number; readonly back: number }): boolean =>
  back > 0 && back <= forward / 10;
