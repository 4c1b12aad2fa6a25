import { waitingLocks } from '../../daemon/waiting-locks.ts';
import { SarrafError } from '../../domain/errors.ts';
import { locksNow } from '../../mirror/locks-now.ts';
import type { MirrorReader } from '../../mirror/mirror-reader.ts';
import type { LocksReply } from '../schema/lock.ts';
import { lockItemOf } from './row-items.ts';

export function locksReplyOf(
  reader: MirrorReader,
  of: { readonly dataFolder: string; readonly nowMs: number },
): LocksReply {
  const { locks, nextChangeAtMs } = locksNow(reader.kept(), of.nowMs);
  return {
    locks: locks.map((lock) => lockItemOf(lock)),
    nextChangeAtMs: nextChangeAtMs === null ? null : Math.floor(nextChangeAtMs),
    waiting: waitingOf(of.dataFolder).map(({ kind, name, strategy, market }) => ({
      kind,
      name,
      strategy,
      market,
    })),
  };
}

function waitingOf(dataFolder: string): ReturnType<typeof waitingLocks> {
  try {
    return waitingLocks(dataFolder);
  } catch (error) {
    // What waits is news beside the locks themselves.
    if (error instanceof SarrafError) return [];
    throw error;
  }
}
