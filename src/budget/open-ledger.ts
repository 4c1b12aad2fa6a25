import type { Budget } from '../domain/rate-limit.ts';
import { admittanceOf, type Admittance } from './admittance.ts';
import { isInRedis, redisPlace } from './ledger-place.ts';
import { readLedger, type BudgetReport } from './ledger-report.ts';
import { monotonicMs } from './process-owner.ts';
import { LedgerStore } from './store.ts';

export interface OpenLedgerOptions {
  /** As `ledgerPlace` says it. */
  readonly place: string;
  readonly budgets: Iterable<Budget>;
  readonly subjects: { readonly ip: string; readonly token: string };
  readonly isGuest: boolean;
  /** Longer than that no answer of a Redis is waited for. */
  readonly timeoutMs: number;
  /** Called with what somebody should know of a Redis, in one line. */
  readonly say: (line: string) => void;
}

/** A ledger that processes share, wherever it is. */
export interface OpenLedger {
  readonly admittance: Admittance;
  /** Every budget as it is known here now. */
  rows(): readonly BudgetReport[];
  close(): Promise<void>;
}

/**
 * Opens the ledger of an exchange: the file of this machine, or the one in Redis that machines share. Throws
 * `DATA_UNUSABLE` where it can not be used.
 */
export async function openLedger(options: OpenLedgerOptions): Promise<OpenLedger> {
  const { place } = options;
  if (isInRedis(place)) {
    const { openRedisLedger } = await import('./redis/open-redis-ledger.ts');
    return openRedisLedger({ ...options, ...redisPlace(place) });
  }
  const store = new LedgerStore({ ...options, path: place, whenMissing: 'full' });
  return {
    admittance: admittanceOf(store, store),
    rows: () => readLedger(place, monotonicMs()),
    close: async () => store.close(),
  };
}
