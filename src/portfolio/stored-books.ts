import { z } from 'zod';
import { storedTimeMs } from '../domain/stored-json.ts';
import { storedWalletTransactionId } from '../domain/venue-id.ts';

const wholeUnits = z
  .string()
  .regex(/^-?\d{1,80}$/, 'expected a whole number of units')
  .transform((text) => BigInt(text));
const currency = z.string();

const line = z.tuple([currency, storedWalletTransactionId, wholeUnits, storedTimeMs]);

/** The books as JSON, for the mirror. */
export const storedBooks = z.object({
  expected: z.record(currency, wholeUnits).nullable(),
  /** Time of the reading that they began with; an early version did not know it. */
  beganAtMs: storedTimeMs.nullable().optional(),
  /** Trades whose lines were not seen yet: currency, amount, time (an early version had none), if a sum. */
  unmatched: z.array(z.tuple([currency, wholeUnits, storedTimeMs.optional(), z.literal(true).optional()])),
  /** Currency, id, amount and when it was read. */
  outside: z.array(line),
  /** The same of those that explained a difference; an early version did not keep them. */
  entered: z.array(line).optional(),
  /** By currency: when its balance agreed last. */
  agreedAtMs: z.record(currency, storedTimeMs),
  /** By currency: when the last was that is not remembered; an early version did not know it. */
  givenUpAtMs: z.record(currency, storedTimeMs).optional(),
});

export type StoredBooks = z.input<typeof storedBooks>;
