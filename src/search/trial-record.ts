import { z } from 'zod';
import type { Point } from './space-declaration.ts';
import { invalidOptions } from '../domain/errors.ts';
import type { Coordinates } from './space-axes.ts';
import type { LearnedTrial } from './proposer.ts';

/**
 * Outcome of a trial:
 *
 * - `complete`: `values` has one number for each objective. `violation` is 0 if every constraint holds, and
 *   otherwise the sum of how far they are broken.
 * - `failed`: it has no values, but a reason.
 */
export type TrialOutcome =
  | { readonly kind: 'complete'; readonly values: readonly number[]; readonly violation: number }
  | { readonly kind: 'failed'; readonly reason: string };

/** Trial to run: its number in the study, from 0, and its point in the space. */
export interface Trial {
  readonly number: number;
  readonly point: Point;
}

/** Stored trial; records are in the order of their numbers. The outcome is null until it is known. */
export interface TrialRecord {
  readonly point: Point;
  readonly outcome: TrialOutcome | null;
}

/** The outcome of a trial. */
export interface TrialResult {
  readonly number: number;
  readonly outcome: TrialOutcome;
}

const OUTCOME = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('complete'),
    values: z.array(z.number()).min(1),
    violation: z.number().min(0),
  }),
  z.strictObject({ kind: z.literal('failed'), reason: z.string() }),
]);

/** Schema of trials as JSON, from which a sampler can continue. */
export const trialRecords = z.array(
  z.strictObject({
    point: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
    outcome: OUTCOME.nullable(),
  }),
);

/** Maximum number of trials of a study; beyond it the sampler refuses to propose. */
export const MOST_TRIALS = 100_000;

export const SAMPLER_KINDS = ['grid', 'random', 'sobol', 'tpe', 'nsga2', 'cmaes'] as const;

export type SamplerKind = (typeof SAMPLER_KINDS)[number];

export type Direction = 'minimize' | 'maximize';

/** Sampler settings of a study. With the same settings and outcomes the trials are the same. */
export interface SamplerSettings {
  readonly kind: SamplerKind;
  /** Seed, a whole number from 0 to 2^53 - 1. */
  readonly seed: number;
  /**
   * Number of trials proposed before any outcome is learned, 1 to 1,000. The number of workers, or a
   * multiple, keeps them busy; a smaller one learns sooner. It is part of the study; the number of workers is
   * not.
   */
  readonly generation: number;
  readonly objectives: readonly Direction[];
}

const LARGEST_GENERATION = 1_000;
const MOST_OBJECTIVES = 8;

/** Samplers that support only one objective. */
const ONE_OBJECTIVE: ReadonlySet<SamplerKind> = new Set(['tpe', 'cmaes']);

/**
 * Checks settings.
 * @throws SarrafError `INVALID_OPTIONS` for settings with which no sampler works
 */
export function checkSettings({ kind, seed, generation, objectives }: SamplerSettings): void {
  if (!SAMPLER_KINDS.includes(kind)) refuse(`a sampler among ${SAMPLER_KINDS.join(', ')}`, kind);
  if (!Number.isSafeInteger(seed) || seed < 0) refuse('a seed that is a whole number from 0', seed);
  if (!Number.isInteger(generation) || generation < 1 || generation > LARGEST_GENERATION)
    refuse(`a generation of 1 to ${LARGEST_GENERATION} trials`, generation);
  if (objectives.length < 1 || objectives.length > MOST_OBJECTIVES)
    refuse(`1 to ${MOST_OBJECTIVES} objectives`, objectives.length);
  if (objectives.length > 1 && ONE_OBJECTIVE.has(kind))
    refuse(`one objective for ${kind} (nsga2 takes several)`, objectives.length);
}

function refuse(expected: string, found: unknown): never {
  throw invalidOptions(`expected ${expected}, found ${String(found)}`);
}

/**
 * Returns an outcome to store. A value that is not finite makes it a failure.
 * @throws SarrafError `INVALID_OPTIONS` for another number of values than there are objectives
 */
export function checkedOutcome(
  outcome: TrialOutcome,
  trial: { readonly number: number; readonly objectives: number },
): TrialOutcome {
  if (outcome.kind === 'failed') return outcome;
  const { values, violation } = outcome;
  if (values.length !== trial.objectives) {
    const expected = `expected ${trial.objectives} values, one an objective, for trial ${trial.number}`;
    throw invalidOptions(`${expected}, found ${values.length}`);
  }
  const wrong = values.findIndex((value) => !Number.isFinite(value));
  if (wrong >= 0)
    return { kind: 'failed', reason: `expected a finite objective ${wrong + 1}, found ${values[wrong]}` };
  if (!(violation >= 0 && Number.isFinite(violation)))
    return { kind: 'failed', reason: `expected a violation of 0 or more, found ${violation}` };
  return outcome;
}

/** Converts an outcome to losses, as samplers compare it. */
export function learnedTrial(
  outcome: TrialOutcome,
  trial: {
    readonly number: number;
    readonly coordinates: Coordinates;
    readonly objectives: readonly Direction[];
  },
): LearnedTrial {
  const { number, coordinates, objectives } = trial;
  if (outcome.kind === 'failed') return { number, coordinates, losses: [], violation: Infinity };
  const losses = outcome.values.map((value, index) => (objectives[index] === 'maximize' ? -value : value));
  return { number, coordinates, losses, violation: outcome.violation };
}
