import type { MirrorStore } from '../mirror/mirror-store.ts';
import type { Venue } from '../venues/venue.ts';
import type { RunLocks } from './run-locks.ts';
import type { VenueCaller } from '../venues/venue-caller.ts';
import { AccountCheck } from './account-check.ts';

/**
 * The caller of an exchange once it is known that the account is the one that a mirror was kept for, or with
 * that question put before its first private call. Throws `INVALID_OPTIONS` where it is another, and
 * `DATA_UNUSABLE` where another run of this instance name has it under another credential. An exchange in
 * this process has no account to take for another.
 */
export async function checkedCaller(
  venue: Pick<Venue, 'caller' | 'accountReader'>,
  mirror: Pick<MirrorStore, 'path' | 'account' | 'keepAccount'>,
  { say, locks }: { readonly say: (message: string) => void; readonly locks: Pick<RunLocks, 'lockUser'> },
): Promise<VenueCaller> {
  const { caller, accountReader } = venue;
  if (accountReader === null) return caller;
  const check = new AccountCheck({
    reader: accountReader,
    mirror,
    say,
    onAccount({ username }) {
      if (username !== undefined) locks.lockUser(username);
    },
  });
  await check.open();
  return check.guard(caller);
}
