import { DAY_MS } from '../domain/durations.ts';
import { addUnits, NO_UNITS, subtractUnits, type Units } from '../domain/money.ts';

/** State of a result against its highest and against the start of the day. */
interface TrackMarks {
  /** The last that was known. */
  readonly result: Units;
  /** The highest that it ever was; zero at the least. */
  readonly peakResult: Units;
  /** The day of the last step, counted from 1970 in UTC, and the result with which it began. */
  readonly day: number;
  readonly dayBeganWith: Units;
  /** True if the result includes everything: false until it was known for the first time. */
  readonly hasBegun: boolean;
}

/** A result in one currency. */
export interface PnlTrack {
  readonly marks: TrackMarks;
  /**
   * Assets that are held and have no price in the currency: meanwhile the marks are those of the last time
   * that all could be valued.
   */
  readonly unvalued: readonly string[];
}

const NO_MARKS = { result: NO_UNITS, peakResult: NO_UNITS, day: 0, dayBeganWith: NO_UNITS } as const;

/** The track of a strategy that has not traded. */
export const NEW_TRACK: PnlTrack = { marks: { ...NO_MARKS, hasBegun: true }, unvalued: [] };

/** A track that is followed from its first result on, whatever that is. */
export const TRACK_TO_BEGIN: PnlTrack = { marks: { ...NO_MARKS, hasBegun: false }, unvalued: [] };

/**
 * A day begins with what the last one ended with. Days do not begin again: what comes late counts to the
 * day at hand.
 */
export function rolled(marks: TrackMarks, atMs: number): TrackMarks {
  const day = Math.floor(atMs / DAY_MS);
  return day > marks.day ? { ...marks, day, dayBeganWith: marks.result } : marks;
}

/**
 * The marks with a new result. The first one of a track that had not begun moves the marks, so that the loss
 * of the day and the fall from the highest stay what they were: what comes in by being counted for the first
 * time is neither gained nor lost.
 */
export function marksWith(marks: TrackMarks, result: Units): TrackMarks {
  if (!marks.hasBegun) {
    const lossOfDay = subtractUnits(marks.dayBeganWith, marks.result);
    const peak = addUnits(result, subtractUnits(marks.peakResult, marks.result));
    return {
      ...marks,
      result,
      dayBeganWith: addUnits(result, lossOfDay),
      peakResult: peak > 0n ? peak : NO_UNITS,
      hasBegun: true,
    };
  }
  if (result === marks.result) return marks;
  return { ...marks, result, peakResult: result > marks.peakResult ? result : marks.peakResult };
}
