import type { MirrorStore } from '../../mirror/mirror-store.ts';
import type { BotVenue } from '../bot-venue.ts';
import type { VenueCaller } from '../venue-caller.ts';
import { AccountGate } from './account-gate.ts';

/**
 * The caller of an exchange once it is known that the account is the one that a mirror was kept for, or with that question put before its first private call.
 * Throws `INVALID_OPTIONS` where it is another. An exchange in this process has no account to take for another.
 */
export async function checkedCaller(
  venue: Pick<BotVenue, 'caller' | 'accountReader'>,
  mirror: Pick<MirrorStore, 'path' | 'account' | 'keepAccount'>,
  say: (message: string) => void,
): Promise<VenueCaller> {
  const { caller, accountReader } = venue;
  if (accountReader === null) return caller;
  const gate = new AccountGate({ reader: accountReader, mirror, say });
  await gate.open();
  return gate.guard(caller);
}
