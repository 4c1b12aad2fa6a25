import type { RequestLimiter } from '../budget/limiter.ts';
import { SarrafError } from '../domain/errors.ts';
import type { ExchangeClient } from '../exchange/client.ts';
import { ENDPOINTS, type EndpointReply } from '../exchange/endpoints.ts';
import type { CredentialSettings } from './client-credentials.ts';
import { randomBytes, scryptSync } from 'node:crypto';
import { z } from 'zod';
import type { SimulatedExchange } from '../simulator/exchange.ts';
import type { TradingEvent } from '../simulator/trading.ts';
import type { UserId } from '../simulator/accounts.ts';

export type AccountReading =
  | { readonly kind: 'read'; readonly fields: AccountFields }
  /** The exchange does not show the account to this credential, or not now. `fields`: what is known. */
  | { readonly kind: 'unavailable'; readonly why: string; readonly fields: AccountFields }
  /** The credential was refused, or no answer came. */
  | { readonly kind: 'failed'; readonly error: SarrafError };

/** Reads the account that a credential belongs to, from the exchange. */
export interface AccountReader {
  /**
   * `isAmid`: true inside another call with the credential, whose permit it uses; false as a call of its own.
   * Does not throw for failures of the exchange.
   */
  read(context: { readonly withinMs: number; readonly isAmid: boolean }): Promise<AccountReading>;
}

/** Error codes after which no one waits for the account: over a limit, or not permitted. */
const UNAVAILABLE: ReadonlySet<string> = new Set(['FORBIDDEN', 'RATE_LIMITED']);

/** @see AccountReader. Source: "Profile". */
export function createAccountReader(options: {
  readonly client: ExchangeClient;
  /** Returns the limiter, which is made after the client. */
  readonly limiter: () => RequestLimiter;
  readonly limiterMs: () => number;
  readonly credentials: CredentialSettings;
}): AccountReader {
  const { client, limiter, limiterMs, credentials } = options;
  const known = knownFields(credentials);
  const { budget, timeoutMs } = ENDPOINTS.profile;
  return {
    async read({ withinMs, isAmid }) {
      try {
        const reply = await limiter().run({
          budget: budget.name,
          requestClass: 'account',
          kind: null,
          credential: isAmid ? 'none' : 'with',
          canLogIn: credentials.kind === 'login',
          expiresAtMs: limiterMs() + withinMs,
          timeoutMs,
          send: async (signal) => client.profile({}, { signal }),
        });
        if (!reply.sent) return unsent(reply.reason, known);
        if (!reply.value.ok) return { kind: 'unavailable', why: reply.value.code, fields: known };
        return { kind: 'read', fields: accountFieldsOf(reply.value.value, credentials) };
      } catch (error) {
        if (!(error instanceof SarrafError)) throw error;
        if (UNAVAILABLE.has(error.code)) return { kind: 'unavailable', why: error.message, fields: known };
        return { kind: 'failed', error };
      }
    },
  };
}

/** Returns the account fields known before any request. */
const knownFields = (credentials: CredentialSettings): AccountFields =>
  credentials.kind === 'login' ? { login: credentials.username } : {};

/** Returns the account fields of a profile and those known before. */
export function accountFieldsOf(
  { profile: { username, email, mobile } }: EndpointReply<'profile'>,
  credentials: CredentialSettings,
): AccountFields {
  return {
    ...knownFields(credentials),
    ...(username === null ? {} : { username }),
    ...(email === null ? {} : { email }),
    ...(mobile === null ? {} : { mobile }),
  };
}

function unsent(reason: string, known: AccountFields): AccountReading {
  const why = `the profile could not be asked for: ${reason}`;
  // A lockout of this one call must not keep the bot from all others.
  if (reason === 'locked out') return { kind: 'unavailable', why, fields: known };
  const code = reason === 'credential refused' ? 'UNAUTHORIZED' : 'TOO_MANY_CALLS';
  return { kind: 'failed', error: new SarrafError(code, why, { outcome: 'none' }) };
}

/** Fields that identify an account, as the exchange or the configuration gives them. Missing if unknown. */
export interface AccountFields {
  readonly username?: string;
  readonly email?: string;
  readonly mobile?: string;
  /** The log-in name, used if the profile cannot be read. */
  readonly login?: string;
}

const NAMES = ['username', 'email', 'mobile', 'login'] as const;

type FieldName = (typeof NAMES)[number];

const hex = z.string().regex(/^(?:[0-9a-f]{2})+$/);

/** Account identity in a mirror: hashes with a random salt, from which no account can be found. */
export const storedAccount = z.object({ salt: hex, hashes: z.partialRecord(z.enum(NAMES), hex) });

export type AccountHash = z.output<typeof storedAccount>;

type AccountOutcome =
  /** `same`: the account matches, or none was stored before. */
  | { readonly kind: 'same'; readonly account: AccountHash }
  | { readonly kind: 'other' }
  /** `unknown`: no field was known both times. */
  | { readonly kind: 'unknown'; readonly account: AccountHash };

const SALT_BYTES = 16;
const HASH_BYTES = 32;
/** Cost of a hash: some milliseconds, since it is made at every start. */
const COST = 4_096;

/**
 * Checks whether fields belong to the stored account. One match is enough, since people change their address
 * or telephone; no match among fields known both times means another account. The profile counts more than
 * the login name.
 */
export function judgeAccount(
  stored: AccountHash | null,
  fields: AccountFields,
  salt: () => string = () => randomBytes(SALT_BYTES).toString('hex'),
): AccountOutcome {
  if (stored === null) {
    const account = hashed(fields, salt());
    return { kind: Object.keys(account.hashes).length === 0 ? 'unknown' : 'same', account };
  }
  const now = hashed(fields, stored.salt);
  const kind = compareAccounts(stored, now);
  const account = { salt: stored.salt, hashes: { ...stored.hashes, ...now.hashes } };
  return kind === 'other' ? { kind } : { kind, account };
}

/** Compares two stored accounts as `judgeAccount` does. The result is `unknown` if their salts differ. */
export function compareAccounts(first: AccountHash, second: AccountHash): AccountOutcome['kind'] {
  if (first.salt !== second.salt) return 'unknown';
  const [one, other] = [first.hashes, second.hashes];
  for (const names of [['username', 'email', 'mobile'], ['login']] as const) {
    const both = names.filter((name) => one[name] !== undefined && other[name] !== undefined);
    if (both.length > 0) return both.some((name) => one[name] === other[name]) ? 'same' : 'other';
  }
  return 'unknown';
}

function hashed(fields: AccountFields, salt: string): AccountHash {
  const hashes: Partial<Record<FieldName, string>> = {};
  for (const name of NAMES) {
    const value = fields[name]?.trim().toLowerCase() ?? '';
    // The hash is slow, since telephone numbers are few enough to try them all.
    if (value !== '')
      hashes[name] = scryptSync(`${name}:${value}`, salt, HASH_BYTES, { N: COST }).toString('hex');
  }
  return { salt, hashes };
}

/** Data with which a paper account begins. */
export interface AccountOrigin {
  /** Address of the exchange whose markets it follows. */
  readonly baseUrl: string;
  /** Amounts by currency, lower case. */
  readonly balances: Readonly<Record<string, string>>;
}

/** Stores a paper account from one run to the next. */
export interface AccountStore {
  /** True if there is an earlier account. */
  readonly isNew: boolean;
  /** Start of the account, by the exchange's clock; null for a new one. */
  readonly beganAtMs: number | null;
  /** Data with which the account began; null for a new one. */
  readonly origin: AccountOrigin | null;
  /** Markets of its orders. */
  readonly symbols: readonly string[];
  /** Restores the stored account in a new exchange. Throws `DATA_UNUSABLE` if it does not fit. */
  restore(exchange: SimulatedExchange, nowMs: number): void;
  /** Stores the changes in an exchange from now on. Throws `DATA_UNUSABLE` as `save` does. */
  begin(
    exchange: SimulatedExchange,
    of: { readonly userId: UserId; readonly origin: AccountOrigin; readonly nowMs: number },
  ): void;
  apply(event: TradingEvent): void;
  /**
   * Writes all changes to disk. An answer must wait for it, since an exchange does not forget what it has
   * answered. Throws `DATA_UNUSABLE`; the next call tries again.
   */
  save(): void;
  close(): void;
}
