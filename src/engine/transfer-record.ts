import { z } from 'zod';
import { storedTimeMs, storedUnits } from '../domain/stored-json.ts';

export const STORED_TRANSFERS = 'transfers';

/** Maximum number of unfinished transfers: one of each currency, and no account has more currencies. */
export const MOST_TRANSFERS = 20;

const storedTransfer = z.object({
  /** Id of its intent. */
  id: z.string(),
  strategy: z.string(),
  /** Currency in lower case. */
  currency: z.string(),
  amount: storedUnits,
  from: z.enum(['spot', 'margin']),
  /** `sending`: its answer is awaited; `unknown`: there was no clear answer. */
  state: z.enum(['sending', 'unknown']),
  sinceMs: storedTimeMs,
});

/** Stored unfinished transfers; each is stored before its request leaves. */
export const storedTransfers = z.array(storedTransfer).max(MOST_TRANSFERS);

/** An unfinished transfer between the spot and the margin wallet of a currency. */
export type TransferRecord = z.output<typeof storedTransfer>;
