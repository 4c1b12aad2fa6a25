import { randomBytes, scryptSync } from 'node:crypto';
import { z } from 'zod';

/** Fields that identify an account, as the exchange or the configuration gives them. Missing if unknown. */
export interface AccountFields {
  readonly username?: string;
  readonly email?: string;
  readonly mobile?: string;
  /** The name that logs in, for where the profile can not be read. */
  readonly login?: string;
}

const NAMES = ['username', 'email', 'mobile', 'login'] as const;

type FieldName = (typeof NAMES)[number];

const hex = z.string().regex(/^(?:[0-9a-f]{2})+$/);

/** Account identity that a mirror stores: hashes with a salt of their own, from which nobody is looked up. */
export const keptAccount = z.object({ salt: hex, hashes: z.partialRecord(z.enum(NAMES), hex) });

export type KeptAccount = z.output<typeof keptAccount>;

type AccountVerdict =
  /** Or nothing was kept yet. */
  | { readonly kind: 'same'; readonly account: KeptAccount }
  | { readonly kind: 'other' }
  /** Nothing that is known now was known before. */
  | { readonly kind: 'unknown'; readonly account: KeptAccount };

const SALT_BYTES = 16;
const HASH_BYTES = 32;
/** Some milliseconds a hash: it is made at every start. */
const COST = 4_096;

/**
 * Checks whether fields belong to the stored account. One match is enough, since people change their address
 * or their telephone; no match among fields known both times means another account. The profile goes before
 * the login name.
 */
export function judgeAccount(
  kept: KeptAccount | null,
  fields: AccountFields,
  salt: () => string = () => randomBytes(SALT_BYTES).toString('hex'),
): AccountVerdict {
  if (kept === null) {
    const account = hashed(fields, salt());
    return { kind: Object.keys(account.hashes).length === 0 ? 'unknown' : 'same', account };
  }
  const now = hashed(fields, kept.salt);
  const kind = compareAccounts(kept, now);
  const account = { salt: kept.salt, hashes: { ...kept.hashes, ...now.hashes } };
  return kind === 'other' ? { kind } : { kind, account };
}

/** The same of two that were kept. Nothing is known of hashes that were salted differently. */
export function compareAccounts(first: KeptAccount, second: KeptAccount): AccountVerdict['kind'] {
  if (first.salt !== second.salt) return 'unknown';
  const [one, other] = [first.hashes, second.hashes];
  for (const names of [['username', 'email', 'mobile'], ['login']] as const) {
    const both = names.filter((name) => one[name] !== undefined && other[name] !== undefined);
    if (both.length > 0) return both.some((name) => one[name] === other[name]) ? 'same' : 'other';
  }
  return 'unknown';
}

function hashed(fields: AccountFields, salt: string): KeptAccount {
  const hashes: Partial<Record<FieldName, string>> = {};
  for (const name of NAMES) {
    const value = fields[name]?.trim().toLowerCase() ?? '';
    // A slow hash: of telephone numbers there are few enough to try them all.
    if (value !== '')
      hashes[name] = scryptSync(`${name}:${value}`, salt, HASH_BYTES, { N: COST }).toString('hex');
  }
  return { salt, hashes };
}
