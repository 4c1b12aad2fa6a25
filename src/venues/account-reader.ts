import type { RequestLimiter } from '../budget/limiter.ts';
import { SarrafError } from '../domain/errors.ts';
import type { ExchangeClient } from '../exchange/client.ts';
import { ENDPOINTS, type EndpointReply } from '../exchange/endpoints.ts';
import type { CredentialSettings } from './credentials-settings.ts';
import type { AccountFields } from './account-identity.ts';

export type AccountReading =
  | { readonly kind: 'read'; readonly fields: AccountFields }
  /**
   * The exchange does not show it to this credential, or not now: `fields` is what is known without it.
   */
  | { readonly kind: 'unavailable'; readonly why: string; readonly fields: AccountFields }
  /** The credential was refused, or no answer came. */
  | { readonly kind: 'failed'; readonly error: SarrafError };

/** Asks the exchange whose account a credential opens. */
export interface AccountReader {
  /**
   * `isAmid`: amid another call with the credential, which holds the right to use it; else as a call of its
   * own. Never throws for what the exchange does.
   */
  read(way: { readonly withinMs: number; readonly isAmid: boolean }): Promise<AccountReading>;
}

/** Over a limit, or not permitted: then nobody waits for it. */
const UNAVAILABLE: ReadonlySet<string> = new Set(['FORBIDDEN', 'RATE_LIMITED']);

/** @see AccountReader. Source: "Profile". */
export function createAccountReader(options: {
  readonly client: ExchangeClient;
  readonly limiter: RequestLimiter;
  readonly limiterMs: () => number;
  readonly credentials: CredentialSettings;
}): AccountReader {
  const { client, limiter, limiterMs, credentials } = options;
  const known = knownFields(credentials);
  const { budget, timeoutMs } = ENDPOINTS.profile;
  return {
    async read({ withinMs, isAmid }) {
      try {
        const reply = await limiter.run({
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
function knownFields(credentials: CredentialSettings): AccountFields {
  return credentials.kind === 'login' ? { login: credentials.username } : {};
}

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
