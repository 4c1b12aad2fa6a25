import type { Coordinates, SpaceAxes } from './space-axes.ts';

/** A trial whose outcome is known, as samplers compare them: smaller is better. */
export interface LearnedTrial {
  readonly number: number;
  readonly coordinates: Coordinates;
  /** One number an objective; empty where the trial failed. */
  readonly losses: readonly number[];
  /** 0: feasible; more: how far constraints are broken; `Infinity`: the trial failed. */
  readonly violation: number;
}

/** Inputs of every sampling method. */
export interface ProposerSetup {
  readonly axes: SpaceAxes;
  readonly seed: number;
  /** Trials of one generation: they are proposed before any of them is learned from. */
  readonly generation: number;
}

/**
 * One way of sampling. What it proposes depends on its setup, the number of the trial, and what it was told
 * before: nothing else. So it need not be stored: the trials of a study make it again.
 */
export interface Proposer {
  /** True if it may propose a point twice. Otherwise the sampler asks it again. */
  readonly mayRepeat: boolean;
  /** Coordinates for a trial; `attempt` counts from 0 those for the same trial that came to nothing. */
  propose(number: number, attempt: number): Coordinates;
  /** A trial of the generation under way was given these coordinates. */
  accept(number: number, coordinates: Coordinates): void;
  /** The outcomes of a whole generation, in the order of their numbers. */
  learn(trials: readonly LearnedTrial[]): void;
}
