import { z } from 'zod';
import { storedWalletTransactionId } from '../domain/order.ts';
import { storedTimeMs } from '../domain/stored-json.ts';

const wholeUnits = z
  .string()
  .regex(/^-?\d{1,80}$/, 'expected a whole number of units')
  .transform((text) => BigInt(text));
const currency = z.string();

const line = z.tuple([currency, storedWalletTransactionId, wholeUnits, storedTimeMs]);

/** Schema of the books as JSON, for the mirror. */
export const storedBooks = z.object({
  expected: z.record(currency, wholeUnits).nullable(),
  /** Time of the first reading of the books; an early version did not store it. */
  beganAtMs: storedTimeMs.nullable().optional(),
  /** Trades without lines: currency, amount, time (missing in an early version), true if a sum. */
  unmatched: z.array(z.tuple([currency, wholeUnits, storedTimeMs.optional(), z.literal(true).optional()])),
  /** Lines of no known trade: currency, id, amount and time of reading. */
  outside: z.array(line),
  /** Lines that explained a difference, in the same form; an early version did not store them. */
  entered: z.array(line).optional(),
  /** Time when each currency's balance last agreed. */
  agreedAtMs: z.record(currency, storedTimeMs),
  /** Time of the last trade or line of each currency that was given up; missing in an early version. */
  givenUpAtMs: z.record(currency, storedTimeMs).optional(),
});
