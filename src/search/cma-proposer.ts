import { SarrafError } from '../domain/errors.ts';
import type { NumericAxis, Coordinates, SpaceAxes } from './space-axes.ts';
import { CmaDistribution, defaultPopulation } from './cma-distribution.ts';
import {
  numberAt,
  type LearnedTrial,
  type Proposer,
  type ProposerSetup,
  RandomStream,
  wholeGenerations,
  gaussianCdf,
  gaussianQuantile,
} from './proposer.ts';

/** The first step: a sixth of every line, which is Optuna's. */
const FIRST_STEP = 1 / 6;

/** Samples outside a line without steps are drawn anew so often, and then put on its end. */
const MOST_DRAWS = 100;

/** Two parents and two others, at least. Populations double at restarts, up to the largest. */
const LEAST_POPULATION = 4;
const LARGEST_POPULATION = 1_000;

/** Limits at which the search ends and restarts: those of the tutorial (appendix B.3). */
const SMALLEST_STEP = 1e-12 * FIRST_STEP;
const LARGEST_SPREAD = 1e4;
const SMALLEST_GAIN = 1e-12;
const LARGEST_RATIO = 1e7;

/** Apart from the streams of other purposes. */
const SAMPLE_STREAM = 3_000;
const RESTART_STREAM = 3_001;

/**
 * CMA-ES for numbers, with a restart in twice the population when a search has ended (IPOP, A. Auger and N.
 * Hansen, 2005). It works on each line as 0 to 1: from the middle at first, from anywhere after a restart.
 *
 * - A population is the multiple of the generation that is next to Hansen's default.
 * - Samples outside a line without steps are drawn again. Stepped values are rounded, with a margin that
 *   keeps other values in reach; those outside become the outer value.
 * - Infeasible trials rank after feasible ones, failed ones last; a population in which all failed teaches
 *   nothing.
 */
export class CmaProposer implements Proposer {
  readonly mayRepeat = true;
  private readonly setup: ProposerSetup;
  private readonly axes: readonly NumericAxis[];
  private population: number;
  private distribution: CmaDistribution;
  /** By dimension: how samples are stretched before they are rounded. */
  private scales: Float64Array;
  private learned: LearnedTrial[] = [];
  /** The best losses of the latest populations. */
  private bests: number[] = [];
  private restarts = 0;

  /** @throws SarrafError `INVALID_OPTIONS` for a space that does not only have numbers that always exist */
  constructor(setup: ProposerSetup) {
    this.setup = setup;
    this.axes = numericAxes(setup.axes);
    this.population = this.wholeGenerations(defaultPopulation(this.axes.length));
    this.scales = new Float64Array(this.axes.length).fill(1);
    this.distribution = this.fresh(this.axes.map(() => 0.5));
  }

  propose(number: number): Coordinates {
    const sample = this.sample(number);
    const { mean } = this.distribution;
    return sample.map((value, index) => {
      const { low, high } = this.axis(index);
      const center = numberAt(mean, index);
      return low + (center + (value - center) * numberAt(this.scales, index)) * (high - low);
    });
  }

  accept(): void {}

  learn(trials: readonly LearnedTrial[]): void {
    this.learned.push(...trials);
    if (this.learned.length < this.population) return;
    const ranked = this.learned.toSorted(byRank);
    this.learned = [];
    const best = ranked[0];
    if (best === undefined || best.violation === Infinity) return;
    this.distribution.update(ranked.map(({ number }) => this.sample(number)));
    this.boundMargins();
    this.bests.push(best.violation > 0 ? best.violation : (best.losses[0] ?? 0));
    if (this.hasEnded(ranked)) this.restart();
  }

  /** The sample of a trial; the same until the distribution is updated. Stretches do not take part in it. */
  private sample(number: number): Float64Array {
    const random = new RandomStream(this.setup.seed, number, SAMPLE_STREAM);
    let sample: Float64Array = new Float64Array();
    for (let draw = 0; draw < MOST_DRAWS; draw += 1) {
      sample = this.distribution.place(Float64Array.from(this.axes, () => random.normal()));
      if (sample.every((value, index) => this.axis(index).isStepped || (value >= 0 && value <= 1)))
        return sample;
    }
    return sample.map((value, index) =>
      this.axis(index).isStepped ? value : Math.min(1, Math.max(0, value)),
    );
  }

  private boundMargins(): void {
    const { distribution } = this;
    const margin = 1 / (this.axes.length * this.population);
    for (const [index, axis] of this.axes.entries()) {
      if (!axis.isStepped) continue;
      const line = axis.high - axis.low;
      const mean = numberAt(distribution.mean, index);
      const [left, right] = marginCell(axis, axis.low + mean * line);
      const bounded = withMargin(
        { mean, scale: numberAt(this.scales, index) },
        {
          deviation: distribution.step * distribution.deviation(index),
          margin,
          cell: [(left - axis.low) / line, (right - axis.low) / line],
        },
      );
      distribution.mean[index] = bounded.mean;
      this.scales[index] = bounded.scale;
    }
  }

  private hasEnded(ranked: readonly LearnedTrial[]): boolean {
    const { distribution, bests } = this;
    const { step, path } = distribution;
    const [shortest, longest] = distribution.extent;
    if (longest > LARGEST_RATIO * shortest || step * longest > LARGEST_SPREAD) return true;
    if (this.axes.every((_, index) => isStill(index))) return true;
    const horizon = 10 + Math.ceil((30 * this.axes.length) / this.population);
    if (bests.length < horizon) return false;
    const values = bests.slice(-horizon);
    for (const { losses, violation } of ranked) values.push(violation > 0 ? violation : (losses[0] ?? 0));
    return Math.max(...values) - Math.min(...values) < SMALLEST_GAIN;

    function isStill(index: number): boolean {
      const reach = Math.max(distribution.deviation(index), Math.abs(numberAt(path, index)));
      return step * reach < SMALLEST_STEP;
    }
  }

  private restart(): void {
    this.restarts += 1;
    const random = new RandomStream(this.setup.seed, this.restarts, RESTART_STREAM);
    this.population = Math.min(this.population * 2, this.wholeGenerations(LARGEST_POPULATION));
    this.scales.fill(1);
    this.bests = [];
    this.distribution = this.fresh(this.axes.map(() => random.uniform()));
  }

  private fresh(mean: readonly number[]): CmaDistribution {
    return new CmaDistribution(Float64Array.from(mean), FIRST_STEP, this.population);
  }

  private wholeGenerations(trials: number): number {
    return wholeGenerations(trials, { generation: this.setup.generation, least: LEAST_POPULATION });
  }

  private axis(index: number): NumericAxis {
    const axis = this.axes[index];
    if (axis === undefined) throw new SarrafError('INVARIANT', `expected a dimension, was ${index}`);
    return axis;
  }
}

function byRank(one: LearnedTrial, other: LearnedTrial): number {
  if (one.violation !== other.violation) return one.violation < other.violation ? -1 : 1;
  if (one.violation > 0) return one.number - other.number;
  return (one.losses[0] ?? 0) - (other.losses[0] ?? 0) || one.number - other.number;
}

function numericAxes({ axes, space }: SpaceAxes): readonly NumericAxis[] {
  return axes.map((axis, index) => {
    const parameter = space.parameters[index];
    const name = parameter?.name ?? '';
    const refuse = (found: string): never => {
      const message = `expected numbers only for cmaes, found ${found} ${name}: take tpe, or fix it in the params`;
      throw new SarrafError('INVALID_OPTIONS', message);
    };
    if (axis.kind === 'choice') return refuse(parameter?.kind === 'boolean' ? 'the boolean' : 'the choice');
    if (parameter !== undefined && parameter.when.length > 0) return refuse('the conditional parameter');
    return axis;
  });
}

/** The distribution of one dimension: its mean, and its deviation without and with what the margin adds. */
interface Marginal {
  readonly mean: number;
  /** By how much samples are stretched around the mean before they are rounded. */
  readonly scale: number;
}

/** A probability on one side is kept off a half, where its quantile is 0. */
const OFF_HALF = 1e-10;

/**
 * Keeps a stepped parameter from being stuck at one value: the chance of another one is `margin` at least, on
 * both sides together. For this the mean moves and samples are stretched, and the distribution stays as it is
 * (R. Hamano et al., "CMA-ES with margin", 2022, arXiv:2205.13482, section 4.2).
 */
export function withMargin(
  { mean, scale }: Marginal,
  of: {
    readonly deviation: number;
    readonly margin: number;
    /** The range of the value next to the mean; both ends are the same for an outer value. */
    readonly cell: readonly [left: number, right: number];
  },
): Marginal {
  const { deviation, margin } = of;
  const [left, right] = of.cell;
  const width = deviation * scale;
  const below = gaussianCdf((left - mean) / width);
  const above = gaussianCdf((mean - right) / width);
  if (left === right || Math.max(below, above) > 0.5) {
    if (Math.min(below, above) >= margin) return { mean, scale };
    const side = mean < right ? -1 : 1;
    return { mean: right + side * width * gaussianQuantile(1 - margin), scale };
  }
  const inside = 1 - below - above;
  const [least, most] = [Math.max(below, margin / 2), Math.max(above, margin / 2)];
  const share = (1 - least - most - inside) / (least + inside + most - 1.5 * margin);
  const toLeft = quantileBeyond(least + share * (least - margin / 2));
  const toRight = quantileBeyond(most + share * (most - margin / 2));
  return {
    mean: (left * toRight + right * toLeft) / (toLeft + toRight),
    scale: (right - left) / ((toLeft + toRight) * deviation),
  };
}

function quantileBeyond(share: number): number {
  return gaussianQuantile(1 - Math.min(0.5 - OFF_HALF, Math.max(OFF_HALF, share)));
}

/** The range of the value next to a place on the line, as `withMargin` wants it. */
export function marginCell(axis: NumericAxis, coordinate: number): readonly [left: number, right: number] {
  const [left, right] = axis.cellAt(axis.snapped(coordinate));
  const tolerance = (right - left) / 2;
  if (left < axis.low + tolerance) return [right, right];
  if (right > axis.high - tolerance) return [left, left];
  return [left, right];
}
