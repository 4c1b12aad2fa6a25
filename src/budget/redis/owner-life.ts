import type { Machine } from '../machine.ts';
import type { LifeSign } from '../process-owner.ts';
import type { LedgerDraft } from './ledger-draft.ts';
import type { SeenLedger } from './seen-ledger.ts';

/** Returns the identity of this process for Redis, so that others of its machine can see whether it lives. */
export function whoIs({ bootId, owner }: Machine): string {
  return JSON.stringify([bootId, owner]);
}

/**
 * Returns whether an owner lives: one of this machine by its process, another by the lease that it renews.
 */
export function lifeSignIn(
  draft: LedgerDraft,
  owner: string,
  { machine, seen }: { readonly machine: Machine; readonly seen: SeenLedger },
): LifeSign {
  const [bootId, text] = whoIn(draft.text(`who:${owner}`));
  const isHere = seen.machineName !== '' && bootId === machine.bootId;
  const sign = isHere ? machine.lifeSignOf(text) : 'foreign';
  if (sign !== 'foreign') return sign;
  const untilMs = Number(draft.text(`lease:${owner}`) ?? 0);
  return untilMs >= seen.nowMs() ? 'alive' : 'silent';
}

function whoIn(text: string | undefined): readonly [string, string] {
  const found: unknown = text === undefined ? null : JSON.parse(text);
  return Array.isArray(found) ? [String(found[0]), String(found[1])] : ['', ''];
}
