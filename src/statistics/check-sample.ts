import { InvalidSample } from './estimate.ts';

/** Throws `InvalidSample` unless values are a `Float64Array`, and at the first number that is not finite. */
export function checkSample(values: Float64Array, name: string): void {
  // A program in JavaScript has no types that say it.
  if (!(values instanceof Float64Array))
    throw new InvalidSample(`expected a Float64Array for ${name}, was ${typeof values}`);
  for (let index = 0; index < values.length; index += 1) {
    const value = values[index];
    if (!Number.isFinite(value))
      throw new InvalidSample(`expected finite numbers in ${name}, was ${value} at ${index}`);
  }
}

/**
 * Checks the columns of trials, one return a period in each, and answers how many periods they have. Throws
 * `InvalidSample` at a number that is not finite, and at columns of different lengths.
 */
export function checkTrials(trials: readonly Float64Array[]): number {
  const length = trials[0]?.length ?? 0;
  for (const [index, trial] of trials.entries()) {
    checkSample(trial, `trial ${index}`);
    if (trial.length !== length)
      throw new InvalidSample(
        `expected ${length} returns in each trial as in trial 0, was ${trial.length} in trial ${index}`,
      );
  }
  return length;
}

/** Throws `InvalidSample` unless a number is finite, and within both bounds. */
export function checkNumber(value: number, name: string, bounds: Bounds = {}): void {
  const { least = -Infinity, most = Infinity } = bounds;
  if (Number.isFinite(value) && value >= least && value <= most) return;
  throw new InvalidSample(`expected a finite number from ${least} to ${most} for ${name}, was ${value}`);
}

/** The same of a whole number. */
export function checkCount(value: number, name: string, bounds: Bounds): void {
  checkNumber(value, name, bounds);
  if (!Number.isSafeInteger(value))
    throw new InvalidSample(`expected a whole number for ${name}, was ${value}`);
}

/** Both are allowed values. */
interface Bounds {
  readonly least?: number;
  readonly most?: number;
}
