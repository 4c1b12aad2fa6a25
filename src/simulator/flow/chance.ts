import { createRandom, type RandomSource } from '../../domain/random.ts';

/** The kinds of chance that a market is made of, all from one seeded source. */
export class Chance {
  private readonly source: RandomSource;
  /** Box-Muller makes two at a time. */
  private spare: number | null = null;

  constructor(seed: number) {
    this.source = createRandom(seed);
  }

  /** Evenly in [0, 1). */
  uniform(): number {
    return this.source.next();
  }

  /** Normal with mean 0 and standard deviation 1. */
  normal(): number {
    if (this.spare !== null) {
      const { spare } = this;
      this.spare = null;
      return spare;
    }
    const radius = Math.sqrt(-2 * Math.log(1 - this.source.next()));
    const angle = 2 * Math.PI * this.source.next();
    this.spare = radius * Math.sin(angle);
    return radius * Math.cos(angle);
  }

  /** Waiting time between events that know nothing of each other. */
  exponential(mean: number): number {
    return -mean * Math.log(1 - this.source.next());
  }

  /** At least 1, with a tail so heavy that a few are most of the sum; cut off at `most`. */
  pareto(exponent: number, most: number): number {
    return Math.min(most, (1 - this.source.next()) ** (-1 / exponent));
  }
}
