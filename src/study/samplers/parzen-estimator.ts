import { present } from '../../domain/invariant.ts';
import type { Axis } from '../space/space-axes.ts';
import { numberAt } from './number-at.ts';
import { ParzenAxis, type ParzenObservations } from './parzen-axis.ts';
import { ParzenChoice } from './parzen-choice.ts';
import type { RandomStream } from './random-stream.ts';

/** The latest trials count in full; those before them the less, the older they are. */
const FULL_WEIGHT = 25;

/**
 * A density over some parameters together, from what was observed: a mixture of one kernel a trial, each the
 * product of one a parameter, and of the prior. Widths and weights are those of J. Bergstra et al.
 * ("Algorithms for hyper-parameter optimization", 2011) as Optuna 5 has them.
 */
export class ParzenEstimator {
  private readonly parts: readonly (ParzenAxis | ParzenChoice)[];
  private readonly weights: Float64Array;
  private readonly factors: Float64Array;
  private readonly exponents: Float64Array;
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
    this.weights[observations] = 1;
    for (const weight of this.weights) this.totalWeight += weight;
    this.factors = new Float64Array(this.kernels + room);
    this.exponents = new Float64Array(this.kernels + room);
  }

  /** Adds an observation in full weight. */
  add(coordinates: Float64Array): void {
    for (const [index, part] of this.parts.entries()) part.add(numberAt(coordinates, index));
    this.weights[this.kernels] = 1;
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
    factors.set(this.weights);
    exponents.fill(0);
    for (const [index, part] of this.parts.entries())
      part.weigh(numberAt(coordinates, index), factors, exponents);
    let sum = 0;
    for (let kernel = 0; kernel < kernels; kernel += 1) {
      const exponent = numberAt(exponents, kernel);
      // Beyond it nothing is left beside the prior.
      if (exponent > -700) sum += numberAt(factors, kernel) * Math.exp(exponent);
    }
    return sum / this.totalWeight;
  }
}

/** Weights of trials from the oldest to the latest: a ramp from 1/n to 1, then 25 in full. */
export function agedWeights(count: number): Float64Array {
  const ramp = count - FULL_WEIGHT;
  return Float64Array.from({ length: count }, (_, trial) =>
    trial >= ramp ? 1 : ramp === 1 ? 1 / count : 1 / count + (trial / (ramp - 1)) * (1 - 1 / count),
  );
}
