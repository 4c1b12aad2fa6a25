import { existsSync } from 'node:fs';
import { isInRedis } from './ledger-place.ts';
import { readLedger, type BudgetReport } from './ledger-report.ts';
import { monotonicMs } from './process-owner.ts';

/**
 * Reads every budget of a ledger without changing it. Throws `DATA_UNUSABLE` where there is no file, or Redis
 * does not answer.
 */
export async function readLedgerAt(place: string): Promise<readonly BudgetReport[]> {
  if (!isInRedis(place)) return readLedger(place, monotonicMs());
  const { withRedisLedger } = await import('./redis-by-hand.ts');
  const { readRedisLedger } = await import('./redis/redis-report.ts');
  return withRedisLedger(place, async (connection) => readRedisLedger(connection));
}

/** The same; null where there is no ledger yet. */
export async function readLedgerIfAny(place: string): Promise<readonly BudgetReport[] | null> {
  if (!isInRedis(place)) return existsSync(place) ? readLedger(place, monotonicMs()) : null;
  const rows = await readLedgerAt(place);
  return rows.length === 0 ? null : rows;
}
