import type { LockRecord, Lock } from '../../../src/engine/lock.ts';
import type { MemberRecord } from '../../../src/engine/universe-manager.ts';

/** Makes a lock of all markets by a rule, with the given fields. */
export function lockRecord({
  endedAtMs = null,
  refused = 0,
  ...lock
}: Partial<Omit<LockRecord, 'lock'>> & Partial<Lock> & Pick<Lock, 'beganAtMs'>): LockRecord {
  return {
    lock: {
      name: 'night',
      rule: null,
      strategy: null,
      market: null,
      entries: 'cancel',
      reason: 'a rule',
      endsAtMs: endedAtMs ?? Number.MAX_SAFE_INTEGER,
      ...lock,
    },
    endedAtMs,
    refused,
  };
}

/** Makes the record of a market that entered or left the universe of a strategy. */
export function memberRecord({ kind, ...of }: Pick<MemberRecord, 'market' | 'kind' | 'atMs'>): MemberRecord {
  const rank = kind === 'entered' ? 1 : 3;
  return {
    ...of,
    kind,
    strategy: 'busiest',
    universe: 'members',
    rankBy: 'volume24h',
    rank,
    reason: { by: 'rank', found: rank, limit: 2 },
  };
}
