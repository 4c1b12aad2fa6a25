import { parseUnits } from '../domain/money.ts';
import type { WalletTransaction } from '../venues/port.ts';
import type { FillRecord } from '../records/fill.ts';
import { FILL_ROWS } from './record-tables.ts';
import { openMirrorReadOnly } from './mirror-file.ts';

/** Movements in wallets, as far as known; oldest first. */
export interface Movements {
  /** Trades of all markets. */
  readonly fills: readonly FillRecord[];
  /** Lines of the wallets' histories. */
  readonly transactions: readonly WalletTransaction[];
}

interface StoredTransaction extends Omit<WalletTransaction, 'amount' | 'tooFine'> {
  readonly amount: string;
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
      fills: FILL_ROWS.select(database, 'WHERE at_ms >= ? ORDER BY at_ms DESC, id DESC LIMIT ?')(
        fromMs,
        last,
      ).toReversed(),
      transactions: database
        .prepare<[number, number], StoredTransaction>(
          `SELECT id, currency, at_ms AS atMs, amount, description FROM transactions
           WHERE at_ms >= ? ORDER BY at_ms DESC, ordinal DESC LIMIT ?`,
        )
        .all(fromMs, last)
        .toReversed()
        .map((row): WalletTransaction => ({ ...row, amount: parseUnits(row.amount), tooFine: null })),
    }));
    return read();
  } finally {
    database.close();
  }
}
