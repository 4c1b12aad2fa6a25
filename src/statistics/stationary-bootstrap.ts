import type { RandomSource } from '../domain/random.ts';
import { checkNumber, checkCount } from './check-sample.ts';

export interface StationaryOptions {
  /** Number of periods to draw from. */
  readonly length: number;
  /** The mean length of a block, 1 to `length`. */
  readonly meanBlock: number;
  readonly random: RandomSource;
}

/** Larger ones are no data. */
const MOST_PERIODS = 2 ** 31 - 1;

/**
 * Draws of periods with replacement, in blocks of random length, so that what follows what is kept within a
 * block. A block begins anywhere, and goes on from the last period to the first. After each period it ends
 * with the probability `1 / meanBlock`. The answer fills an array of any length with the places of periods, 0
 * to `length - 1`. The same places may be used for bars of several markets, which keeps them together. Throws
 * `InvalidSample` at a length or a mean block out of range. Politis and Romano, "The Stationary Bootstrap",
 * Journal of the American Statistical Association 89 (1994).
 */
export function stationaryBootstrap({
  length,
  meanBlock,
  random,
}: StationaryOptions): (into: Int32Array) => void {
  checkCount(length, 'length', { least: 1, most: MOST_PERIODS });
  checkNumber(meanBlock, 'meanBlock', { least: 1, most: length });
  const ends = 1 / meanBlock;
  const anywhere = (): number => Math.floor(random.next() * length);
  return (into) => {
    let place = 0;
    for (let index = 0; index < into.length; index += 1) {
      const isNew = index === 0 || random.next() < ends;
      place = isNew ? anywhere() : place + 1;
      if (place === length) place = 0;
      into[index] = place;
    }
  };
}
