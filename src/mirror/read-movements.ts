import type { WalletTransaction } from '../venues/port.ts';
import type { FillRecord } from '../execution/fill-record.ts';
import { selectFills } from './fill-columns.ts';
import { openMirrorReadOnly } from './mirror-file.ts';

/** What moved in wallets, as far as it is known; oldest first. */
export interface Movements {
  /** Trades of all markets. */
  readonly fills: readonly FillRecord[];
  /** Lines of the wallets' histories. */
  readonly transactions: readonly WalletTransaction[];
}

/**
 * Reads the newest `last` trades and as many lines of the wallets' histories from a time on. Throws
 * `DATA_UNUSABLE` as `MirrorReader` does.
 */
export function readMovements(
  path: string,
  from: { readonly fromMs: number; readonly last: number },
): Movements {
  const database = openMirrorReadOnly(path);
  try {
    const { fromMs, last } = from;
    const read = database.transaction(() => ({
      fills: selectFills(database, 'WHERE at_ms >= ? ORDER BY at_ms DESC, id DESC LIMIT ?')(
        fromMs,
        last,
      ).toReversed(),
      transactions: database
        .prepare<[number, number], WalletTransaction>(
          `SELECT id, currency, at_ms AS atMs, amount, description FROM transactions
           WHERE at_ms >= ? ORDER BY at_ms DESC, ordinal DESC LIMIT ?`,
        )
        .all(fromMs, last)
        .toReversed(),
    }));
    return read();
  } finally {
    database.close();
  }
}
