import { z } from 'zod';
import { formatUnits } from '../domain/money.ts';
import { storedCount, storedTimeMs, storedUnits } from '../domain/stored-json.ts';
import { storedWalletTransactionId } from '../domain/order.ts';
import { storedBooks } from '../portfolio/balance-books.ts';
import { storedSentence } from '../language/stored-sentence.ts';

const decimal = storedUnits.transform((units): string => formatUnits(units));
const disagreement = z.object({ currency: z.string(), expected: decimal, found: decimal });

/** A difference between the books and a wallet, as decimal texts. */
export type DisagreementText = z.output<typeof disagreement>;

/** A difference that a later comparison has to confirm before it is a break. */
const suspicion = z.object({ sinceMs: storedTimeMs, rows: z.array(disagreement).readonly() });

/** Stored state of the reconciliation, which `sarraf reconcile` shows. */
export const storedReconciliation = z.object({
  books: storedBooks,
  /** Ids and places of the last lines that were read of each wallet's history. */
  lastLines: z.record(
    z.string(),
    z.array(z.tuple([storedWalletTransactionId, storedCount]).readonly()).readonly(),
  ),
  concludedAtMs: storedTimeMs.nullable(),
  conclusions: storedCount,
  /** Currencies that are compared. */
  followed: z.array(z.string()),
  /** Time the books began; null once a later reading has confirmed them. */
  begunAtMs: storedTimeMs.nullable(),
  /** Time of the last movement in the books, by the exchange's clock; missing in rows of early versions. */
  movedAtMs: storedTimeMs.nullable().optional(),
  suspicion: suspicion.nullable(),
  /** Reason of the last inconclusive comparison, stored once it has lasted for too long. */
  blockedBy: storedSentence.nullable().optional(),
  /** The break, which stops new orders until a person has reviewed it; null if there is none. */
  break: suspicion.extend({ atMs: storedTimeMs }).nullable(),
});

export type StoredReconciliation = z.output<typeof storedReconciliation>;
export type Suspicion = z.output<typeof suspicion>;

export const STORED_RECONCILIATION = 'reconciliation';
