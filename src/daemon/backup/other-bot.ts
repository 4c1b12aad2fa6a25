import type { MirrorFacts } from '../../mirror/mirror-facts.ts';
import { compareAccounts, keptAccount, type KeptAccount } from '../../venues/live/account-identity.ts';

type Owner = Pick<MirrorFacts, 'instances' | 'account'>;

/**
 * Returns why a backup is another bot's, as in `found BACKUP …`; null if nothing indicates it. Instances are
 * identified by order names. Accounts are compared if both mirrors have hashes of one salt; else the bot does
 * it when it starts and queries the exchange.
 */
export function otherBotText(
  backup: Owner,
  of: { readonly present: Owner | null; readonly instance: string | null },
): string | null {
  const { present, instance } = of;
  if (instance !== null && backup.instances.length > 0 && !backup.instances.includes(instance))
    return `with orders of the instance ${backup.instances.join(', ')}, where the configuration has ${instance}`;
  if (present === null) return null;
  if (areApart(backup.instances, present.instances)) {
    return `with orders of the instance ${backup.instances.join(', ')}, where the folder has those of ${present.instances.join(', ')}`;
  }
  const [one, other] = [accountOf(backup), accountOf(present)];
  const isOther = one !== null && other !== null && compareAccounts(one, other) === 'other';
  return isOther ? 'of another account' : null;
}

function areApart(one: readonly string[], other: readonly string[]): boolean {
  return one.length > 0 && other.length > 0 && !one.some((name) => other.includes(name));
}

/** A damaged one says nothing; the bot refuses it at its start. */
function accountOf({ account }: Owner): KeptAccount | null {
  if (account === null) return null;
  try {
    return keptAccount.safeParse(JSON.parse(account)).data ?? null;
  } catch {
    return null;
  }
}
