import { present } from '../domain/invariant.ts';
import { SarrafError } from '../domain/errors.ts';
import { valueCount } from './parameter.ts';
import { PointIndex } from './point-index.ts';
import type { Coordinates } from './space-axes.ts';
import type { Proposer, ProposerSetup } from './proposer.ts';
import { RandomStream } from './random-stream.ts';
import { MOST_TRIALS } from './trial-record.ts';

/**
 * Every point of the space once, in an order that the seed shuffles: a study that ends early has then seen
 * all of the space, and not a corner of it.
 * @throws SarrafError `INVALID_OPTIONS` for a space without end, or of more than 100,000 points
 */
export class GridProposer implements Proposer {
  readonly mayRepeat = false;
  private readonly setup: ProposerSetup;
  private readonly index: PointIndex;
  private readonly order: Uint32Array;

  constructor(setup: ProposerSetup) {
    this.setup = setup;
    const { space } = setup.axes;
    const endless = space.parameters.find((parameter) => valueCount(parameter) === Infinity);
    if (endless !== undefined)
      throw new SarrafError(
        'INVALID_OPTIONS',
        `expected a step for ${endless.name}, found none: a grid tries every value`,
      );
    this.index = new PointIndex(space);
    const count = present(this.index.count, 'the number of points');
    if (count > BigInt(MOST_TRIALS))
      throw new SarrafError(
        'INVALID_OPTIONS',
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

/** The numbers below `count`, shuffled as Fisher and Yates do. */
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
