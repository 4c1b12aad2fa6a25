import { z } from 'zod';
import type { Point } from './parameter.ts';

/**
 * Outcome of a trial:
 *
 * - `complete`: `values` has one number an objective. `violation` is 0 if every constraint holds, and
 *   otherwise the sum of how far they are broken.
 * - `failed`: it has no values, and the reason.
 */
export type TrialOutcome =
  | { readonly kind: 'complete'; readonly values: readonly number[]; readonly violation: number }
  | { readonly kind: 'failed'; readonly reason: string };

/** A trial to be run: its number in the study, from 0, and where in the space it is. */
export interface Trial {
  readonly number: number;
  readonly point: Point;
}

/** A trial as the study keeps it, in the order of their numbers; null: its outcome is not known yet. */
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

/** Trials as JSON: what a sampler is continued from. */
export const trialRecords = z.array(
  z.strictObject({
    point: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
    outcome: OUTCOME.nullable(),
  }),
);

/** Maximum number of trials of a study; beyond it the sampler refuses to propose. */
export const MOST_TRIALS = 100_000;
