import { z } from 'zod';
import { SarrafError } from '../../domain/errors.ts';
import type { StudyStore } from '../study-store.ts';
import { FAILURE_KINDS } from '../trial-report.ts';
import { keptFinding } from '../study-fact.ts';
import { heldSchema } from './held-schema.ts';
import { COSTS, type StressReport } from './stress-task.ts';

const REPORT = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('ran'),
    metrics: z.record(z.string(), z.number().nullable()),
    trades: z.strictObject({ changes: z.array(z.number()), held: heldSchema.nullable() }).nullable(),
  }),
  z.strictObject({ kind: z.literal('failed'), failure: z.enum(FAILURE_KINDS), reason: z.string() }),
]) satisfies z.ZodType<StressReport>;

const BASIS = z.strictObject({
  /** Of redrawn bars and of random entries, each. */
  draws: z.int().positive(),
  /** Of redrawn bars, in bars; or why there are none. */
  meanBlock: z.union([z.number(), z.strictObject({ missing: keptFinding })]),
  /** Positions that are put at random places; or why they are not. */
  positions: z.union([z.int().positive(), z.strictObject({ missing: keptFinding })]),
  /** The costs that the trial paid, which are doubled. */
  paid: z.array(z.strictObject({ cost: z.enum(COSTS), from: keptFinding, to: keptFinding })).readonly(),
});

/** Common inputs of all runs of a trial. */
export type StressBasis = z.output<typeof BASIS>;

/** The runs of one trial under stress, all of which have ended. */
export interface StoredStress {
  readonly trial: number;
  readonly basis: StressBasis;
  readonly reports: ReadonlyMap<string, StressReport>;
}

/** A missing part of a basis, and the reason. */
export type Missing = Extract<StressBasis['meanBlock'], object>;

/** Null where they have not been run, or not all of them. Throws `DATA_UNUSABLE` for what nobody wrote. */
export function readStress({ stress, path }: StudyStore, trial: number): StoredStress | null {
  const basis = stress.basis(trial);
  if (basis === null) return null;
  return {
    trial,
    basis: checked(BASIS, basis, path),
    reports: readReports({ stress, path }, trial),
  };
}

/** Those that have ended, by their names. Throws `DATA_UNUSABLE`. */
export function readReports(
  { stress, path }: Pick<StudyStore, 'stress' | 'path'>,
  trial: number,
): ReadonlyMap<string, StressReport> {
  const reports = new Map<string, StressReport>();
  for (const [run, report] of stress.reports(trial)) reports.set(run, checked(REPORT, report, path));
  return reports;
}

function checked<Value>(schema: z.ZodType<Value>, stored: unknown, path: string): Value {
  const read = schema.safeParse(stored);
  if (read.success) return read.data;
  throw new SarrafError(
    'DATA_UNUSABLE',
    `expected runs under stress in ${path}, found some that can not be read: restore a copy, or run the study under another name`,
    { cause: read.error },
  );
}
