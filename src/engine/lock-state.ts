import { z } from 'zod';
import { formatUnits } from '../domain/money.ts';
import { storedTimeMs } from '../domain/stored-json.ts';
import { storedPeaks, type Peaks } from './locks/equity-watch.ts';
import { storedLock } from './lock.ts';
import { storedEarning, storedStop, type Earning, type Stop } from './locks/trade-counts.ts';

/** Of the stored form; another one is refused, as what it means is not known. */
const VERSION = 1;

/** Counts of one rule. */
const storedCounts = z.object({
  rule: z.string(),
  stops: z.array(storedStop),
  earnings: z.array(storedEarning),
  peaks: z.array(storedPeaks),
});

/** Lock data stored across restarts. */
export const storedLocks = z.object({
  version: z.literal(VERSION, {
    error: `expected version ${VERSION} of what is kept of locks: it is of another sarraf; run that one, or move the mirror away`,
  }),
  locks: z.array(storedLock),
  counts: z.array(storedCounts),
  /** The next change by the clock that is known, for people who look while no bot runs. */
  nextChangeAtMs: storedTimeMs.nullable(),
});

export type StoredLocks = z.output<typeof storedLocks>;
export interface RuleCounts {
  readonly rule: string;
  readonly stops: readonly Stop[];
  readonly earnings: readonly Earning[];
  readonly peaks: readonly Peaks[];
}

/** Nothing locked, nothing counted. */
export const NO_LOCKS: StoredLocks = { version: VERSION, locks: [], counts: [], nextChangeAtMs: null };

const plain = (_: string, value: unknown): unknown =>
  typeof value === 'bigint' ? formatUnits(value) : value;

/** As it is written: units are decimal texts. */
export function locksToJson(state: StoredLocks): unknown {
  return JSON.parse(JSON.stringify(state, plain));
}
