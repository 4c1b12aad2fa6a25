import { z } from 'zod';
import { SarrafError } from '../../domain/errors.ts';
import type { TrialMetrics } from '../objectives.ts';
import type { AccountReport } from '../trials/account-run.ts';

const METRICS = z.record(z.string(), z.number().nullable());

const ACCOUNT = z.strictObject({
  initialEquity: z.string(),
  finalEquity: z.string(),
  metrics: METRICS,
  stretches: z.array(z.strictObject({ metrics: METRICS, beganExposed: z.boolean() })),
  /** The first day, in days since 1970-01-01, and the return of each from then on. */
  daily: z.strictObject({ firstDay: z.int(), returns: z.array(z.number()) }),
  failures: z.array(z.string()),
});

/** The account of a walk-forward as a study keeps it. */
export type StoredAccount = z.output<typeof ACCOUNT>;

/** As plain JSON. Throws `DATA_UNUSABLE` for an account that could not be run: nothing of it is kept. */
export function writeAccount(report: AccountReport): StoredAccount {
  if (report.kind === 'failed')
    throw new SarrafError(
      'DATA_UNUSABLE',
      `expected the account of all windows, found none: ${report.reason}`,
    );
  const { initialEquity, finalEquity, metrics, stretches, daily, failures } = report;
  return {
    initialEquity,
    finalEquity,
    metrics,
    stretches: stretches.map((stretch) => ({ ...stretch })),
    daily: { firstDay: daily.firstDay, returns: [...daily.returns] },
    failures: [...failures],
  };
}

/** The figures of an account that is kept; null for none, and for one that can not be read. */
export const accountFigures = (stored: unknown): TrialMetrics | null =>
  ACCOUNT.safeParse(stored).data?.metrics ?? null;

/** Throws a `ZodError` for what nobody could have written. */
export function readAccount(stored: unknown): StoredAccount {
  return ACCOUNT.parse(stored);
}
