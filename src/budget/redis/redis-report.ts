import type { BudgetReport } from '../ledger-report.ts';
import { reportOfImage } from './image-report.ts';
import { LedgerImage } from './ledger-image.ts';
import type { RedisConnection } from './redis-connection.ts';

/**
 * Reads every budget of a ledger in Redis without changing it. `nowMs`: the server's time, where it is not
 * asked for it. Throws what Redis refuses, and `DATA_UNUSABLE` for a field that is none of a ledger.
 */
export async function readRedisLedger(
  { client, key }: RedisConnection,
  nowMs?: number,
): Promise<readonly BudgetReport[]> {
  const [fields, [seconds, microseconds]] = await Promise.all([client.hgetall(key), client.time()]);
  const image = new LedgerImage(new Map(Object.entries(fields)));
  return reportOfImage(image, nowMs ?? Number(seconds) * 1_000 + Math.floor(Number(microseconds) / 1_000));
}
