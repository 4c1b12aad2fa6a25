import type { ChoiceAxis } from '../space/choice-axis.ts';
import { numberAt } from './number-at.ts';
import type { RandomStream } from './random-stream.ts';

/**
 * The kernels of a choice: what was observed gets one vote, and each value a share of the prior's, the
 * smaller the more kernels there are. The last kernel, the prior, likes all values alike.
 */
export class ParzenChoice {
  private readonly observed: Float64Array;
  private readonly count: number;
  private kernels: number;
  /** The prior's vote for each value. */
  private readonly vote: number;

  constructor(
    axis: ChoiceAxis,
    { observed, room }: { readonly observed: Float64Array; readonly room: number },
  ) {
    this.count = axis.count;
    this.kernels = observed.length + 1;
    this.vote = 1 / this.kernels;
    this.observed = new Float64Array(this.kernels + room);
    this.observed.set(observed);
    this.observed[this.kernels - 1] = Number.NaN;
  }

  add(place: number): void {
    this.observed[this.kernels] = place;
    this.kernels += 1;
  }

  draw(kernel: number, random: RandomStream): number {
    const observed = numberAt(this.observed, kernel);
    if (Number.isNaN(observed)) return random.below(this.count);
    const votes = 1 + this.count * this.vote;
    return random.uniform() * votes < 1 ? observed : random.below(this.count);
  }

  /** Multiplies by each kernel's probability of a value, as a multiple of the even one. */
  weigh(place: number, factors: Float64Array): void {
    const votes = 1 + this.count * this.vote;
    const other = (this.vote / votes) * this.count;
    const same = ((1 + this.vote) / votes) * this.count;
    for (let kernel = 0; kernel < this.kernels; kernel += 1) {
      const observed = numberAt(this.observed, kernel);
      if (Number.isNaN(observed)) continue;
      factors[kernel] = numberAt(factors, kernel) * (observed === place ? same : other);
    }
  }
}
