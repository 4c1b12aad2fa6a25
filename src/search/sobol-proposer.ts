import type { Coordinates } from './space-axes.ts';
import type { Proposer, ProposerSetup } from './proposer.ts';
import { onAxis, RandomProposer } from './random-proposer.ts';
import { present } from '../domain/invariant.ts';
import { mixBits } from './random-stream.ts';
import { SOBOL_BITS, SOBOL_DIRECTIONS } from './sobol-directions.ts';

/**
 * The Sobol sequence, Owen-scrambled by the seed: trial `n` is its point `n`. It covers a space more evenly
 * than chance; most so after 2^k trials. A parameter that does not exist uses up its dimension. A repeated
 * point is replaced by a random one.
 */
export class SobolProposer implements Proposer {
  readonly mayRepeat = false;
  private readonly setup: ProposerSetup;
  private readonly random: RandomProposer;

  constructor(setup: ProposerSetup) {
    this.setup = setup;
    this.random = new RandomProposer(setup);
  }

  propose(number: number, attempt: number): Coordinates {
    if (attempt > 0) return this.random.propose(number, attempt);
    const { axes, seed } = this.setup;
    return Float64Array.from(axes.axes, (axis, dimension) =>
      onAxis(axis, scrambledSobol({ point: number, dimension, seed })),
    );
  }

  accept(): void {}

  learn(): void {}
}

/**
 * A coordinate of the Sobol sequence as 32 bits, in the order of the Gray code, which is scipy's. `point`
 * counts from 0 to 2^32 less one, `dimension` from 0 to 63.
 */
export function sobolBits(point: number, dimension: number): number {
  const directions = present(SOBOL_DIRECTIONS[dimension], () => `a Sobol dimension ${dimension}`);
  let gray = (point ^ (point >>> 1)) >>> 0;
  let bits = 0;
  for (let place = 0; gray !== 0; place += 1) {
    if ((gray & 1) === 1) bits ^= directions[place] ?? 0;
    gray >>>= 1;
  }
  return bits >>> 0;
}

/**
 * Scrambles the bits of one dimension as Owen does (nested uniform scrambling, 1995): whether a bit flips is
 * drawn for each way in which the bits above it can stand. Points stay as evenly spread as they were, and
 * each is uniformly distributed.
 */
export function scrambled(bits: number, key: number): number {
  let flips = 0;
  for (let place = 0; place < SOBOL_BITS; place += 1) {
    // The bits above, with a one before them, so that places differ too.
    const above = place === 0 ? 1 : ((1 << place) | (bits >>> (SOBOL_BITS - place))) >>> 0;
    const coin = mixBits(mixBits(above ^ key) + key);
    flips = (flips << 1) | (coin >>> 31);
  }
  return (bits ^ flips) >>> 0;
}

/** A coordinate of the scrambled sequence: from 0 to 1 without both, in the middle of its 2^-32. */
export function scrambledSobol(at: {
  readonly point: number;
  readonly dimension: number;
  readonly seed: number;
}): number {
  const key = mixBits(
    mixBits(at.seed + Math.floor(at.seed / 2 ** SOBOL_BITS)) ^ mixBits(at.dimension + 0x5bd1e995),
  );
  return (scrambled(sobolBits(at.point, at.dimension), key) + 0.5) / 2 ** SOBOL_BITS;
}
