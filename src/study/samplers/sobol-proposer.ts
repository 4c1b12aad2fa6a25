import type { Coordinates } from '../space/space-axes.ts';
import type { Proposer, ProposerSetup } from './proposer.ts';
import { onAxis, RandomProposer } from './random-proposer.ts';
import { scrambledSobol } from './sobol-sequence.ts';

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
