import { z } from 'zod';
import { formatDuration } from '../daemon/duration-text.ts';
import { SarrafError } from '../domain/errors.ts';
import type { WalkForwardPlan } from './study-settings.ts';
import { canonicalJson } from './question/canonical-json.ts';
import type { StudyStore } from './study-store.ts';

/** A plan without its trials, of which there may be more later: what decides the windows and choices. */
export type WalkQuestion = Omit<WalkForwardPlan, 'trials'>;

const STORED = z.strictObject({
  kind: z.enum(['anchored', 'rolling']),
  choose: z.enum(['best', 'plateau']),
  trainMs: z.int().positive(),
  testMs: z.int().positive(),
  stepMs: z.int().positive(),
  purgeMs: z.int().nonnegative(),
  embargoMs: z.int().nonnegative(),
}) satisfies z.ZodType<WalkQuestion>;

export function walkQuestion({ trials: _trials, ...question }: WalkForwardPlan): WalkQuestion {
  return question;
}

export const isSamePlan = (one: WalkQuestion, other: WalkQuestion): boolean =>
  canonicalJson(one) === canonicalJson(other);

/** The plan that the walk-forward of a study was begun with; null before it. Throws `DATA_UNUSABLE`. */
export function begunPlan({ walkForward, path }: StudyStore): WalkQuestion | null {
  const head = walkForward.head();
  if (head === null) return null;
  const read = STORED.safeParse(head.plan);
  if (read.success) return read.data;
  throw new SarrafError(
    'DATA_UNUSABLE',
    `expected the plan of a walk-forward in ${path}, found one that can not be read: restore a copy, or run the study under another name`,
    { cause: read.error },
  );
}

/** A plan as a study file says it. */
export function writtenPlan({ kind, choose, ...lengths }: WalkQuestion): Readonly<Record<string, string>> {
  const { trainMs, testMs, stepMs, purgeMs, embargoMs } = lengths;
  return {
    kind,
    train: formatDuration(trainMs),
    test: formatDuration(testMs),
    step: formatDuration(stepMs),
    purge: formatDuration(purgeMs),
    embargo: formatDuration(embargoMs),
    choose,
  };
}

/** The same in a sentence. */
export const planText = (plan: WalkQuestion): string =>
  Object.entries(writtenPlan(plan))
    .map(([key, text]) => `${key} ${text}`)
    .join(', ');
