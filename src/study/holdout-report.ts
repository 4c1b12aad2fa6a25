import { z } from 'zod';
import { SarrafError } from '../domain/errors.ts';
import { FAILURE_KINDS } from './trials/trial-report.ts';

const REPORT = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('ran'), metrics: z.record(z.string(), z.number().nullable()) }),
  z.strictObject({ kind: z.literal('failed'), failure: z.enum(FAILURE_KINDS), reason: z.string() }),
]);

/** What the hold-out brought, without its daily returns. */
export type HoldoutReport = z.output<typeof REPORT>;

/** Reads what a study keeps of its hold-out; null where its run has not ended. Throws `DATA_UNUSABLE`. */
export function readHoldoutReport(kept: unknown): HoldoutReport | null {
  if (kept === null) return null;
  const read = REPORT.safeParse(kept);
  if (read.success) return read.data;
  throw new SarrafError(
    'DATA_UNUSABLE',
    'expected figures of the hold-out in the study, found what can not be read: restore a copy',
    { cause: read.error },
  );
}
