import { createHash } from 'node:crypto';
import type { StudyIdentity } from './question/study-identity.ts';
import type { TrialRow } from './store/study-rows.ts';

/**
 * SHA-256 of what was asked, of the data, the code and the engine, and of all trials in order: their params,
 * outcomes, figures and daily returns. Times are not in it, nor are the words of a failure, which name paths:
 * a study has one hash on every machine.
 */
export function studyHash({ id }: StudyIdentity, rows: Iterable<TrialRow>): string {
  const hash = createHash('sha256').update(id);
  for (const { number, params, outcome, failure, metrics, first_day: firstDay, returns } of rows) {
    const result = failure === null ? outcome : failure;
    hash.update(`\n${JSON.stringify([number, params, result, metrics, firstDay])}`);
    if (returns !== null) hash.update(returns);
  }
  return hash.digest('hex');
}
