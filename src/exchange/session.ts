import { HOUR_MS } from '../domain/time-text.ts';
import { SarrafError } from '../domain/errors.ts';
import { isAnonymous, type Authenticator, type UnsignedRequest } from './authenticator.ts';

/** Token from a log-in. Times are in ms since 1970, by this machine's clock. */
export interface IssuedToken {
  readonly key: string;
  /** Time before the log-in was sent. */
  readonly issuedAtMs: number;
  readonly expiresAtMs: number;
}

/** Data for a log-in. */
export interface LoginCredentials {
  readonly username: string;
  readonly password: string;
  /** True to request a token of 30 days in place of 4 hours. */
  readonly remember?: boolean;
  /** Returns the current one-time password, for accounts that require one. */
  readonly oneTimePassword?: () => string | Promise<string>;
  /** Device name from an earlier log-in: an unknown device blocks withdrawals for an hour. */
  readonly device?: string;
  /** Called with the device's name, to be stored for the next start. */
  readonly onDevice?: (device: string) => void;
  /** Token from an earlier log-in of this user at this address, used while it is valid. */
  readonly token?: IssuedToken;
  /** Called with each new token, to be stored for the next start. */
  readonly onToken?: (token: IssuedToken) => void;
  /** Called when the exchange refuses a token, so that no later start tries it. */
  readonly onTokenRefused?: (key: string) => void;
}

export interface LoginAttempt {
  readonly request: {
    readonly username: string;
    readonly password: string;
    readonly captcha: 'api';
    readonly remember?: 'yes';
    readonly device?: string;
  };
  /** Value of the `X-TOTP` header; null for none. */
  readonly oneTimePassword: string | null;
}

/** Makes the log-in call; throws if it is refused. */
type LogIn = (attempt: LoginAttempt) => Promise<{ readonly key: string; readonly device: string | null }>;

/** Lifetime of a log-in's token. Source: "Token scheme". */
export const TOKEN_LIFETIME_MS = 4 * HOUR_MS;
export const REMEMBERED_LIFETIME_MS = 30 * 24 * HOUR_MS;
/** Share of the lifetime after which a token is renewed. */
const RENEW_AFTER_SHARE = 0.9;
/** Pause in ms after a failed log-in, or a token refused at once: bad tokens get an address blocked. */
const PAUSE_MS = 600_000;

interface HeldToken {
  readonly key: string;
  readonly header: string;
  readonly renewAtMs: number;
  /** True if a call with it was answered, or if it is from an earlier start: log-ins then work. */
  proven: boolean;
}

/**
 * The token scheme with log-in ("Token scheme"). It has one token, from an earlier start or from the first
 * call that needs one, and renews it before it expires; calls wait for a log-in in progress. A refused token
 * is dropped and the next call logs in again, once: if that fails too, calls are refused unsent for ten
 * minutes.
 */
export class TokenSession implements Authenticator {
  private readonly credentials: LoginCredentials;
  private readonly logIn: LogIn;
  private readonly nowMs: () => number;
  private device: string | null;
  private token: HeldToken | null;
  private running: Promise<string> | null = null;
  private pausedUntilMs = Number.NEGATIVE_INFINITY;

  constructor(options: {
    readonly credentials: LoginCredentials;
    readonly logIn: LogIn;
    readonly nowMs: () => number;
  }) {
    this.credentials = options.credentials;
    this.logIn = options.logIn;
    this.nowMs = options.nowMs;
    this.device = options.credentials.device ?? null;
    this.token = earlierToken(options.credentials.token, options.nowMs());
  }

  async headersFor(request: UnsignedRequest): Promise<Readonly<Record<string, string>>> {
    if (isAnonymous(request.access)) return {};
    return { authorization: await this.currentHeader() };
  }

  accepted(headers: Readonly<Record<string, string>>): void {
    if (this.token !== null && headers['authorization'] === this.token.header) this.token.proven = true;
  }

  rejected(headers: Readonly<Record<string, string>>): void {
    // The refusal of an older token proves nothing about the present one.
    if (this.token === null || headers['authorization'] !== this.token.header) return;
    if (!this.token.proven) this.pausedUntilMs = this.nowMs() + PAUSE_MS;
    const { key } = this.token;
    this.token = null;
    this.credentials.onTokenRefused?.(key);
  }

  private currentHeader(): Promise<string> {
    if (this.token !== null && this.nowMs() < this.token.renewAtMs) return Promise.resolve(this.token.header);
    this.running ??= this.renew().finally(() => {
      this.running = null;
    });
    return this.running;
  }

  private async renew(): Promise<string> {
    const startMs = this.nowMs();
    if (startMs < this.pausedUntilMs)
      throw new SarrafError(
        'UNAUTHORIZED',
        `expected no log-in for ${this.pausedUntilMs - startMs} ms more, after a failed one`,
        {
          details: { pausedForMs: this.pausedUntilMs - startMs },
        },
      );
    try {
      const { key, device } = await this.logIn(await this.attempt());
      if (device !== null && device !== this.device) {
        this.device = device;
        this.credentials.onDevice?.(device);
      }
      const lifetimeMs = this.credentials.remember === true ? REMEMBERED_LIFETIME_MS : TOKEN_LIFETIME_MS;
      // The token's time runs from before the log-in, so that a slow reply makes the renewal early, not late.
      const token = { key, issuedAtMs: startMs, expiresAtMs: startMs + lifetimeMs };
      this.token = held(token, { proven: false });
      this.credentials.onToken?.(token);
      return this.token.header;
    } catch (error) {
      if (error instanceof SarrafError && (error.code === 'UNAUTHORIZED' || error.code === 'RATE_LIMITED'))
        this.pausedUntilMs = this.nowMs() + PAUSE_MS;
      throw error;
    }
  }

  private async attempt(): Promise<LoginAttempt> {
    const { username, password, remember, oneTimePassword } = this.credentials;
    return {
      request: {
        username,
        password,
        captcha: 'api',
        ...(remember === true ? { remember: 'yes' as const } : {}),
        ...(this.device === null ? {} : { device: this.device }),
      },
      oneTimePassword: oneTimePassword === undefined ? null : await oneTimePassword(),
    };
  }
}

function held(token: IssuedToken, { proven }: Pick<HeldToken, 'proven'>): HeldToken {
  const { key, issuedAtMs, expiresAtMs } = token;
  const renewAtMs = issuedAtMs + (expiresAtMs - issuedAtMs) * RENEW_AFTER_SHARE;
  return { key, header: `Token ${key}`, renewAtMs, proven };
}

/** Returns true if a session would use the token of an earlier start, without a new log-in. */
export function isTokenCurrent(token: IssuedToken | undefined, nowMs: number): boolean {
  const earlier = earlierToken(token, nowMs);
  return earlier !== null && nowMs < earlier.renewAtMs;
}

/** Returns the token of an earlier start; null if it has expired, or a changed clock leaves that unknown. */
function earlierToken(token: IssuedToken | undefined, nowMs: number): HeldToken | null {
  if (token === undefined || token.issuedAtMs > nowMs) return null;
  if (token.expiresAtMs - token.issuedAtMs > REMEMBERED_LIFETIME_MS) return null;
  return held(token, { proven: true });
}
