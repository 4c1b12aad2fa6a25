import { z } from 'zod';
import { storedTimeMs, storedUnits } from '../domain/stored-json.ts';

export const STORED_TRANSFERS = 'transfers';

/** Transfers at work at once: one of a currency. Beyond it nobody has wallets. */
export const MOST_TRANSFERS = 20;

const storedTransfer = z.object({
  /** Of its intent. */
  id: z.string(),
  strategy: z.string(),
  /** Lower case. */
  currency: z.string(),
  amount: storedUnits,
  from: z.enum(['spot', 'margin']),
  /** `sending`: its request may leave, or has left; `unknown`: no clear answer came. */
  state: z.enum(['sending', 'unknown']),
  sinceMs: storedTimeMs,
});

/** Stored transfers at work: written before the request of one leaves. */
export const storedTransfers = z.array(storedTransfer).max(MOST_TRANSFERS);

/** A transfer between the spot and the margin wallet of a currency that has not come to its end. */
export type TransferRecord = z.output<typeof storedTransfer>;
