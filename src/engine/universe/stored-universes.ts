import { z } from 'zod';
import { storedCount, storedTimeMs } from '../../domain/stored-json.ts';

const member = z.strictObject({ market: z.string(), rank: storedCount, sinceMs: storedTimeMs });

/** Stored state of one universe. */
const storedUniverse = z.strictObject({
  members: z.array(member).readonly(),
  /** Markets that have left while the strategy still had something in them. */
  kept: z.array(z.string()).readonly(),
});

/** State for a restart. Universes are named by the strategy and the data: `alpha/members`. */
export const storedUniverses = z.strictObject({
  /** Time each market was first seen; null if it was there when the bot first polled. */
  firstSeen: z.record(z.string(), storedTimeMs.nullable()),
  universes: z.record(z.string(), storedUniverse),
});

export type StoredUniverse = z.output<typeof storedUniverse>;

export const STORED_UNIVERSES = 'universes';
