import { present, SarrafError, dataUnusable, invalidOptions } from '../domain/errors.ts';
import { type Point, type Space, valueCount } from './space-declaration.ts';
import { PointIndex, SpaceAxes, type Coordinates } from './space-axes.ts';
import {
  checkedOutcome,
  learnedTrial,
  checkSettings,
  type SamplerSettings,
  MOST_TRIALS,
  type Trial,
  type TrialOutcome,
  type TrialRecord,
  type TrialResult,
} from './trial-record.ts';
import { type Proposer, RandomStream, RandomProposer, type ProposerSetup } from './proposer.ts';
import { CmaProposer } from './cma-proposer.ts';
import { NsgaProposer } from './nsga-proposer.ts';
import { SobolProposer } from './sobol-proposer.ts';
import { TpeProposer } from './tpe-proposer.ts';

/** Maximum number of proposals for one trial before a new point is searched in order. */
const MOST_ATTEMPTS = 32;

/** Upper limit of the index at which the search for a new point starts: floats are exact up to it. */
const FARTHEST_START = BigInt(Number.MAX_SAFE_INTEGER);

/** Record of a trial while the study runs. */
interface OpenRecord {
  readonly point: Point;
  outcome: TrialOutcome | null;
}

/**
 * Proposes the trials of a study in generations of a fixed size. The trials of a generation are proposed
 * before any of their outcomes is learned, and learned in the order of their numbers. So the same settings
 * and outcomes give the same trials, whatever runs them and whichever ends first.
 *
 * Its state is given by its trials: from the settings and the trials so far (plain JSON), another sampler
 * continues where this one is.
 *
 * No point is proposed twice, since its backtest would have the same result: a repeated proposal is drawn
 * again, up to 32 times. Then a finite space gives its next new point in order, and an infinite one repeats
 * the point. CMA-ES may repeat points, which its distribution needs.
 */
export class Sampler {
  private readonly settings: SamplerSettings;
  private readonly axes: SpaceAxes;
  private readonly index: PointIndex;
  private readonly proposer: Proposer;
  private readonly records: OpenRecord[] = [];
  private readonly seen = new Set<string>();
  /** Number of points; null if the space is infinite. */
  private readonly pointCount: bigint | null;
  private results = 0;
  private learned = 0;

  /**
   * `trials`: earlier trials, in order.
   * @throws SarrafError `INVALID_OPTIONS` for settings that do not fit the space
   * @throws SarrafError `DATA_UNUSABLE` for trials of another study
   */
  constructor(space: Space, settings: SamplerSettings, trials: readonly TrialRecord[] = []) {
    checkSettings(settings);
    this.settings = settings;
    this.axes = new SpaceAxes(space);
    this.index = new PointIndex(space);
    this.pointCount = this.index.count;
    this.proposer = createProposer(this.axes, settings);
    for (const [number, record] of trials.entries()) this.replay(number, record);
  }

  /** All trials, also those without an outcome: another sampler can continue from them. */
  get trials(): readonly TrialRecord[] {
    return this.records;
  }

  /** Trials without an outcome, which are run again after a crash. */
  get pending(): readonly Trial[] {
    return this.records
      .map(({ point, outcome }, number) => ({ number, point, outcome }))
      .slice(this.learned)
      .filter(({ outcome }) => outcome === null)
      .map(({ number, point }) => ({ number, point }));
  }

  /** True if every point of the space has been proposed. */
  get isExhausted(): boolean {
    return this.pointCount !== null && !this.proposer.mayRepeat && BigInt(this.seen.size) >= this.pointCount;
  }

  /**
   * Returns the next trials, at most `most`, within the current generation. It is empty until all outcomes of
   * that generation are known, and when the space is exhausted.
   * @throws SarrafError `INVALID_OPTIONS` for more trials than a study may have
   */
  ask(most: number): readonly Trial[] {
    const asked: Trial[] = [];
    const end = this.learned + this.settings.generation;
    while (asked.length < most && this.records.length < end && !this.isExhausted) {
      const number = this.records.length;
      if (number >= MOST_TRIALS) throw invalidOptions(`expected at most ${MOST_TRIALS} trials in a study`);
      const point = this.newPoint(number);
      this.enter(point);
      asked.push({ number, point });
    }
    return asked;
  }

  /**
   * Adds outcomes, in any order. A generation is learned once all its outcomes are known, in the order of its
   * numbers. A trial with a value that is not finite counts as failed.
   * @throws SarrafError `INVALID_OPTIONS` for a trial that was not proposed, has an outcome already, or has
   * another number of values than there are objectives; results before it in the list are kept
   */
  add(results: readonly TrialResult[]): void {
    for (const { number, outcome } of results) {
      const record = this.records[number];
      const expected = `expected the outcome of a trial that is due, found that of trial ${number}`;
      if (record === undefined) throw invalidOptions(`${expected}, which was not asked for`);
      if (record.outcome !== null) throw invalidOptions(`${expected}, which was told before`);
      record.outcome = checkedOutcome(outcome, { number, objectives: this.settings.objectives.length });
      this.results += 1;
      this.learnWhenWhole();
    }
  }

  private learnWhenWhole(): void {
    const { generation, objectives } = this.settings;
    if (this.results < this.learned + generation) return;
    const trials = this.records.slice(this.learned, this.results).map(({ point, outcome }, index) =>
      learnedTrial(present(outcome, 'an outcome'), {
        number: this.learned + index,
        coordinates: this.axes.coordinatesOf(point),
        objectives,
      }),
    );
    this.proposer.learn(trials);
    this.learned = this.results;
  }

  private newPoint(number: number): Point {
    let point: Point = {};
    for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt += 1) {
      point = this.axes.pointAt(this.proposer.propose(number, attempt));
      if (this.proposer.mayRepeat || !this.seen.has(this.keyOf(point))) return point;
    }
    return this.pointCount === null ? point : this.nextNewPoint(number, this.pointCount);
  }

  /** Returns the first new point from a random one on. One of `seen.size + 1` points must be new. */
  private nextNewPoint(number: number, count: bigint): Point {
    const random = new RandomStream(this.settings.seed, number, MOST_ATTEMPTS);
    const start = BigInt(random.below(Number(count < FARTHEST_START ? count : FARTHEST_START)));
    for (let step = 0; step <= this.seen.size; step += 1) {
      const point = this.index.pointAt((start + BigInt(step)) % count);
      if (!this.seen.has(this.keyOf(point))) return point;
    }
    throw new SarrafError('INVARIANT', `expected a new point among ${count}, found none`);
  }

  private enter(point: Point): void {
    const number = this.records.length;
    this.records.push({ point, outcome: null });
    this.seen.add(this.keyOf(point));
    this.proposer.accept(number, this.axes.coordinatesOf(point));
  }

  private replay(number: number, { point, outcome }: TrialRecord): void {
    const problem = this.problemOfStored(number, point);
    if (problem !== null) throw dataUnusable(`trial ${number}: ${problem}`);
    this.enter(point);
    if (outcome !== null) this.add([{ number, outcome }]);
  }

  private problemOfStored(number: number, point: Point): string | null {
    if (number >= MOST_TRIALS) return `expected at most ${MOST_TRIALS} trials in a study`;
    if (number >= this.learned + this.settings.generation)
      return `expected every outcome of the generation before, found ${this.results} of ${number}`;
    return this.axes.problemOf(point);
  }

  /** Returns a key that does not depend on the order in which the values are stored. */
  private keyOf(point: Point): string {
    return JSON.stringify(this.axes.space.parameters.map(({ name }) => point[name] ?? null));
  }
}

/**
 * Creates the sampling method that the settings name.
 * @throws SarrafError `INVALID_OPTIONS` for a space that it cannot sample
 */
function createProposer(axes: SpaceAxes, { kind, seed, generation }: SamplerSettings): Proposer {
  const setup = { axes, seed, generation };
  switch (kind) {
    case 'grid':
      return new GridProposer(setup);
    case 'random':
      return new RandomProposer(setup);
    case 'sobol':
      return new SobolProposer(setup);
    case 'tpe':
      return new TpeProposer(setup);
    case 'nsga2':
      return new NsgaProposer(setup);
    case 'cmaes':
      return new CmaProposer(setup);
  }
}

/**
 * Proposes every point of the space once, in an order shuffled by the seed: a study that ends early has then
 * covered all of the space, and not a corner of it.
 * @throws SarrafError `INVALID_OPTIONS` for an infinite space, or one of more than 100,000 points
 */
class GridProposer implements Proposer {
  readonly mayRepeat = false;
  private readonly setup: ProposerSetup;
  private readonly index: PointIndex;
  private readonly order: Uint32Array;

  constructor(setup: ProposerSetup) {
    this.setup = setup;
    const { space } = setup.axes;
    const endless = space.parameters.find((parameter) => valueCount(parameter) === Infinity);
    if (endless !== undefined)
      throw invalidOptions(`expected a step for ${endless.name}, found none: a grid tries every value`);
    this.index = new PointIndex(space);
    const count = present(this.index.count, 'the number of points');
    if (count > BigInt(MOST_TRIALS))
      throw invalidOptions(
        `expected a grid of at most ${MOST_TRIALS} points, found ${count}: take longer steps or another sampler`,
      );
    this.order = shuffled(Number(count), setup.seed);
  }

  propose(number: number): Coordinates {
    const place = present(this.order[number % this.order.length], 'a place in the grid');
    return this.setup.axes.coordinatesOf(this.index.pointAt(BigInt(place)));
  }

  accept(): void {}

  learn(): void {}
}

/** Returns the numbers from 0 to `count - 1`, shuffled (Fisher and Yates). */
function shuffled(count: number, seed: number): Uint32Array {
  const random = new RandomStream(seed, count);
  const order = Uint32Array.from({ length: count }, (_, place) => place);
  for (let left = count - 1; left > 0; left -= 1) {
    const other = random.below(left + 1);
    const [one, two] = [order[left] ?? 0, order[other] ?? 0];
    order[left] = two;
    order[other] = one;
  }
  return order;
}
