import { present } from '../domain/invariant.ts';
import type { Axis } from './space-axes.ts';
import { numberAt } from './number-at.ts';
import { ParzenAxis, type ParzenObservations } from './parzen-axis.ts';
import type { RandomStream } from './random-stream.ts';
import type { ChoiceAxis } from './choice-axis.ts';

/** The latest trials count in full; those before them the less, the older they are. */
const FULL_WEIGHT = 25;

/** The logarithm of the share of the prior below which all other kernels together may be left out: 1e-16. */
const NOTHING = -37;

/**
 * A density over some parameters together, from what was observed: a mixture of one kernel a trial, each the
 * product of one a parameter, and of the prior. Widths and weights are those of J. Bergstra et al.
 * ("Algorithms for hyper-parameter optimization", 2011) as Optuna 5 has them.
 */
export class ParzenEstimator {
  private readonly parts: readonly (ParzenAxis | ParzenChoice)[];
  private readonly weights: Float64Array;
  /** Weights times what does not depend on where the density is asked for. */
  private readonly scaled: Float64Array;
  private readonly factors: Float64Array;
  private readonly exponents: Float64Array;
  /** The place of the prior among the kernels. */
  private readonly prior: number;
  private kernels: number;
  private totalWeight = 0;

  /** `columns`: what each parameter had, all of one length. `room`: observations that may be added. */
  constructor(axes: readonly Axis[], columns: readonly ParzenObservations[], room = 0) {
    const observations = present(columns[0], 'a parameter').observed.length;
    this.kernels = observations + 1;
    this.parts = axes.map((axis, index) => {
      const { observed, order } = present(columns[index], 'what a parameter had');
      return axis.kind === 'numeric'
        ? new ParzenAxis(axis, { observed, order, room })
        : new ParzenChoice(axis, { observed, room });
    });
    this.weights = new Float64Array(this.kernels + room);
    this.weights.set(agedWeights(observations));
    this.prior = observations;
    this.weights[this.prior] = 1;
    for (const weight of this.weights) this.totalWeight += weight;
    this.scaled = this.weights.slice();
    for (let kernel = 0; kernel < this.kernels; kernel += 1) this.scale(kernel);
    this.factors = new Float64Array(this.kernels + room);
    this.exponents = new Float64Array(this.kernels + room);
  }

  /** Adds an observation in full weight. */
  add(coordinates: Float64Array): void {
    for (const [index, part] of this.parts.entries()) part.add(numberAt(coordinates, index));
    this.weights[this.kernels] = 1;
    this.scaled[this.kernels] = 1;
    this.scale(this.kernels);
    this.kernels += 1;
    this.totalWeight += 1;
  }

  /** Coordinates of values, drawn from the density. */
  draw(random: RandomStream): Float64Array {
    let left = random.uniform() * this.totalWeight;
    let kernel = 0;
    while (kernel < this.kernels - 1 && left >= numberAt(this.weights, kernel)) {
      left -= numberAt(this.weights, kernel);
      kernel += 1;
    }
    return Float64Array.from(this.parts, (part) => part.draw(kernel, random));
  }

  /** The density at coordinates of values, as a multiple of the even one. */
  density(coordinates: Float64Array): number {
    const { factors, exponents, kernels } = this;
    factors.set(this.scaled);
    exponents.fill(0);
    for (const [index, part] of this.parts.entries())
      part.weigh(numberAt(coordinates, index), factors, exponents);
    let largest = 0;
    for (let kernel = 0; kernel < kernels; kernel += 1)
      largest = Math.max(largest, numberAt(factors, kernel));
    const { prior } = this;
    const least = numberAt(factors, prior) * Math.exp(numberAt(exponents, prior) / 2);
    const nothing = 2 * (Math.log(least / (largest * kernels)) + NOTHING);
    let sum = 0;
    for (let kernel = 0; kernel < kernels; kernel += 1) {
      const exponent = numberAt(exponents, kernel);
      if (exponent > nothing) sum += numberAt(factors, kernel) * Math.exp(exponent / 2);
    }
    return sum / this.totalWeight;
  }

  private scale(kernel: number): void {
    for (const part of this.parts)
      if (part instanceof ParzenAxis && part.hasScales)
        this.scaled[kernel] = numberAt(this.scaled, kernel) * part.scaleOf(kernel);
  }
}

/** Weights of trials from the oldest to the latest: a ramp from 1/n to 1, then 25 in full. */
export function agedWeights(count: number): Float64Array {
  const weights = new Float64Array(count).fill(1);
  const ramp = count - FULL_WEIGHT;
  for (let trial = 0; trial < ramp; trial += 1)
    weights[trial] = 1 / count + (ramp === 1 ? 0 : (trial / (ramp - 1)) * (1 - 1 / count));
  return weights;
}

/**
 * The kernels of a choice: what was observed gets one vote, and each value a share of the prior's, the
 * smaller the more kernels there are. The last kernel, the prior, likes all values alike.
 */
class ParzenChoice {
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
