import { InvalidSample } from './estimate.ts';

/** Draws that are worked out together: each return is read once for all of them. */
const TOGETHER = 4;

export interface BootstrapDraws {
  /** Number of draws. */
  readonly draws: number;
  /** Fills an array with the places of periods, 0 to their number less 1. */
  readonly resample: (into: Int32Array) => void;
}

/**
 * Calls `see` once for each draw, in order, with the mean of every trial over the drawn periods. All trials
 * share the drawn periods, as they share the days on the exchange. The array is used again for later draws.
 * Throws `InvalidSample` at a place that is no period.
 */
export function forEachBootstrapMean(
  trials: readonly Float64Array[],
  { draws, resample }: BootstrapDraws,
  see: (means: Float64Array) => void,
): void {
  const periods = trials[0]?.length ?? 0;
  const places = new Int32Array(periods);
  // How often each period was drawn, in each of the draws: four numbers side by side.
  const counts = new Float64Array(periods * TOGETHER);
  const means = Array.from({ length: TOGETHER }, () => new Float64Array(trials.length));
  for (let done = 0; done < draws; done += TOGETHER) {
    counts.fill(0);
    const together = Math.min(TOGETHER, draws - done);
    for (let draw = 0; draw < together; draw += 1) {
      resample(places);
      countPlaces(places, counts, draw);
    }
    for (const [index, trial] of trials.entries()) writeMeans(trial, { counts, means, index });
    for (const mean of means.slice(0, together)) see(mean);
  }
}

function countPlaces(places: Int32Array, counts: Float64Array, draw: number): void {
  const periods = places.length;
  for (let index = 0; index < periods; index += 1) {
    const place = places[index] ?? -1;
    if (place < 0 || place >= periods)
      throw new InvalidSample(`expected a place of 0 to ${periods - 1}, was ${place}`);
    counts[place * TOGETHER + draw] = (counts[place * TOGETHER + draw] ?? 0) + 1;
  }
}

interface MeansOfTrial {
  readonly counts: Float64Array;
  readonly means: readonly Float64Array[];
  readonly index: number;
}

function writeMeans(trial: Float64Array, { counts, means, index }: MeansOfTrial): void {
  const periods = trial.length;
  let first = 0;
  let second = 0;
  let third = 0;
  let fourth = 0;
  for (let period = 0, at = 0; period < periods; period += 1, at += TOGETHER) {
    const value = trial[period] ?? 0;
    first += value * (counts[at] ?? 0);
    second += value * (counts[at + 1] ?? 0);
    third += value * (counts[at + 2] ?? 0);
    fourth += value * (counts[at + 3] ?? 0);
  }
  for (const [draw, sum] of [first, second, third, fourth].entries()) {
    const mean = means[draw];
    if (mean !== undefined) mean[index] = sum / periods;
  }
}
