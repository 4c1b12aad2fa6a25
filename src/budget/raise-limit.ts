import { existsSync } from 'node:fs';
import { isInRedis } from './ledger-place.ts';
import { openLedgerFile, openLedgerReadOnly } from './ledger-file.ts';
import type { RaisedLimit } from './named-limit.ts';

/** The same, wherever the ledger is. */
export async function raiseLimitAt(place: string, budget: string): Promise<readonly RaisedLimit[]> {
  if (!isInRedis(place)) return raiseLimit(place, budget);
  const { raiseRedisLimit } = await import('./redis-by-hand.ts');
  return raiseRedisLimit(place, budget);
}

/**
 * Takes a lowered limit of a budget back by hand, for every address and account in the ledger; answers which
 * there were. Processes that have the ledger open go by it with their next admission. Throws `DATA_UNUSABLE`
 * where there is no ledger, or it can not be written.
 */
function raiseLimit(path: string, budget: string): readonly RaisedLimit[] {
  // Looked at first: nobody makes a ledger by this.
  if (!existsSync(path)) openLedgerReadOnly(path).close();
  const database = openLedgerFile(path, () => undefined);
  try {
    return database
      .prepare<[string], RaisedLimit>(
        'DELETE FROM named_limits WHERE budget = ? RETURNING subject, request_limit AS named',
      )
      .all(budget);
  } finally {
    database.close();
  }
}
