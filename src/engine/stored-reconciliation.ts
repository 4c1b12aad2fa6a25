import { z } from 'zod';
import { formatUnits } from '../domain/money.ts';
import { storedCount, storedTimeMs, storedUnits } from '../domain/stored-json.ts';
import { storedWalletTransactionId } from '../domain/order.ts';
import { storedBooks } from '../portfolio/balance-books.ts';
import { storedSentence } from '../language/stored-sentence.ts';

const decimal = storedUnits.transform((units): string => formatUnits(units));
const disagreement = z.object({ currency: z.string(), expected: decimal, found: decimal });

/** Expected and found are decimals. */
export type DisagreementText = z.output<typeof disagreement>;

/** A difference that the next conclusion must confirm. */
const suspicion = z.object({ sinceMs: storedTimeMs, rows: z.array(disagreement).readonly() });

/** Stored state, which `sarraf reconcile` shows. */
export const storedReconciliation = z.object({
  books: storedBooks,
  /** By currency, the last lines that were read: their ids and cursors. */
  lastLines: z.record(
    z.string(),
    z.array(z.tuple([storedWalletTransactionId, storedCount]).readonly()).readonly(),
  ),
  concludedAtMs: storedTimeMs.nullable(),
  conclusions: storedCount,
  /** Currencies that were compared. */
  followed: z.array(z.string()),
  /** Time the books began, until a later reading has confirmed them. */
  begunAtMs: storedTimeMs.nullable(),
  /**
   * Time of the last movement of the books, by the exchange's clock; missing in those of an early version.
   */
  movedAtMs: storedTimeMs.nullable().optional(),
  suspicion: suspicion.nullable(),
  /** Cause of the last inconclusive comparisons, once they have lasted for too long. */
  blockedBy: storedSentence.nullable().optional(),
  /** A break stops new orders until a person has looked at it. */
  break: suspicion.extend({ atMs: storedTimeMs }).nullable(),
});

export type StoredReconciliation = z.output<typeof storedReconciliation>;
export type Suspicion = z.output<typeof suspicion>;

export const STORED_RECONCILIATION = 'reconciliation';
