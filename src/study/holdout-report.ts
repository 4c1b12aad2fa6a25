import { z } from 'zod';
import { withoutYear } from '../backtest/finish-run.ts';
import { SarrafError } from '../domain/errors.ts';
import type { StudyRange } from './data/study-data.ts';
import { FAILURE_KINDS } from './trial-report.ts';

const REPORT = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('ran'), metrics: z.record(z.string(), z.number().nullable()) }),
  z.strictObject({ kind: z.literal('failed'), failure: z.enum(FAILURE_KINDS), reason: z.string() }),
]);

/** Result of the hold-out, without its daily returns. */
export type HoldoutReport = z.output<typeof REPORT>;

/**
 * Reads what a study keeps of its hold-out, as it is shown; null where its run has not ended. Throws
 * `DATA_UNUSABLE`.
 */
export function readHoldoutReport(
  kept: unknown,
  { splitMs, toMs }: Pick<StudyRange, 'splitMs' | 'toMs'>,
): HoldoutReport | null {
  if (kept === null) return null;
  const read = REPORT.safeParse(kept);
  if (read.success) {
    const report = read.data;
    if (report.kind === 'failed') return report;
    return { ...report, metrics: withoutYear(report.metrics, { fromMs: splitMs, toMs }) };
  }
  throw new SarrafError(
    'DATA_UNUSABLE',
    'expected figures of the hold-out in the study, found what can not be read: restore a copy',
    { cause: read.error },
  );
}
