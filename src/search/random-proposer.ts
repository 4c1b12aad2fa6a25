import type { Axis, Coordinates } from './space-axes.ts';
import type { Proposer, ProposerSetup } from './proposer.ts';
import { RandomStream } from './random-stream.ts';

/** Returns the place on an axis of a share of it, from 0 to 1 without 1. */
export function onAxis(axis: Axis, share: number): number {
  return axis.kind === 'choice'
    ? Math.min(axis.count - 1, Math.floor(share * axis.count))
    : axis.low + share * (axis.high - axis.low);
}

/** Every parameter by itself, all stretches of its line equally likely. */
export class RandomProposer implements Proposer {
  readonly mayRepeat = false;
  private readonly setup: ProposerSetup;

  constructor(setup: ProposerSetup) {
    this.setup = setup;
  }

  propose(number: number, attempt: number): Coordinates {
    const { axes, seed } = this.setup;
    const random = new RandomStream(seed, number, attempt);
    return Float64Array.from(axes.axes, (axis) => onAxis(axis, random.uniform()));
  }

  /** Does nothing: draws do not depend on earlier draws. */
  accept(): void {}

  /** Nor on what came of it. */
  learn(): void {}
}
