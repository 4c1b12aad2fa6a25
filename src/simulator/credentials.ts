import { HOUR_MS } from '../domain/time-text.ts';
import { invariant } from '../domain/errors.ts';
import type { RandomSource } from '../domain/random.ts';
import { retainNewest } from '../domain/retain-newest.ts';
import type { Permission, UserSettings, TotpSettings, User, Users } from './user.ts';
import { accept, refuse, type Refusal, type Result } from './requests.ts';

/** Caller that the gate has admitted. `credentialId` names the token or key without revealing it. */
export interface GateCaller {
  readonly userId: number;
  readonly credentialId: string;
  readonly scheme: 'token' | 'key';
}

interface Token {
  readonly token: string;
  readonly caller: GateCaller;
  /** Time at which it expires; null for never. */
  readonly expiresAtMs: number | null;
}

interface Key {
  readonly publicKey: string;
  readonly caller: GateCaller;
  readonly permissions: ReadonlySet<Permission>;
}

export interface CredentialRegisterState {
  readonly logins: readonly Token[];
  readonly nextLoginNumber: number;
}

/** Lifetimes of tokens in ms. Source: interface, "Token scheme". */
const TOKEN_LIFETIME_MS = 4 * HOUR_MS;
const REMEMBERED_TOKEN_LIFETIME_MS = 30 * 24 * HOUR_MS;
/** Maximum number of log-in tokens; beyond it the expired ones are dropped first, then the oldest. */
const LOGIN_TOKENS_RETAINED = 10_000;
const TOKEN_LENGTH = 40;

/** Register of the tokens and keys for the exchange's private calls. */
export class CredentialRegister {
  private readonly tokens = new Map<string, Token>();
  private readonly keys = new Map<string, Key>();
  private readonly random: RandomSource;
  private logins = new Map<string, Token>();
  private nextLoginNumber = 1;

  constructor(random: RandomSource) {
    this.random = random;
  }

  /** Adds a user's configured tokens and keys. Throws `INVARIANT` if another user has one of them. */
  addConfigured(userId: number, settings: UserSettings, timeMs: number): void {
    for (const [index, entry] of (settings.tokens ?? []).entries()) {
      const { token, validForMs } =
        typeof entry === 'string' ? { token: entry, validForMs: undefined } : entry;
      invariant(
        !this.tokens.has(token),
        `expected a token not yet used, was token ${index + 1} of "${settings.username}"`,
      );
      this.tokens.set(token, {
        token,
        caller: { userId, credentialId: `panel:${settings.username}:${index + 1}`, scheme: 'token' },
        expiresAtMs: validForMs === undefined ? null : timeMs + validForMs,
      });
    }
    for (const key of settings.keys ?? []) {
      const name = unpadded(key.publicKey);
      invariant(!this.keys.has(name), `expected a key not yet used, was "${key.publicKey}"`);
      this.keys.set(name, {
        publicKey: key.publicKey,
        caller: { userId, credentialId: `key:${name}`, scheme: 'key' },
        permissions: new Set(key.permissions),
      });
    }
  }

  /** Makes the token of a log-in, valid for 4 hours, or for 30 days with `remember`. */
  issue(userId: number, remember: boolean, timeMs: number): Token {
    if (this.logins.size >= LOGIN_TOKENS_RETAINED) this.makeRoom(timeMs);
    let token = randomHex(this.random, TOKEN_LENGTH);
    while (this.tokens.has(token) || this.logins.has(token)) token = randomHex(this.random, TOKEN_LENGTH);
    const issued: Token = {
      token,
      caller: { userId, credentialId: `login:${this.nextLoginNumber++}`, scheme: 'token' },
      expiresAtMs: timeMs + (remember ? REMEMBERED_TOKEN_LIFETIME_MS : TOKEN_LIFETIME_MS),
    };
    this.logins.set(token, issued);
    return issued;
  }

  /** Returns the caller of a token; null if it is unknown or expired. */
  callerOfToken(token: string, timeMs: number): GateCaller | null {
    const found = this.tokens.get(token) ?? this.logins.get(token);
    if (found === undefined) return null;
    if (found.expiresAtMs !== null && timeMs >= found.expiresAtMs) {
      this.logins.delete(token);
      return null;
    }
    return found.caller;
  }

  /** True if a token belongs to a user, expired or not. */
  hasToken(token: string): boolean {
    return this.tokens.has(token) || this.logins.has(token);
  }

  /** Returns the key with a public key, which may be written with or without its padding. */
  keyOf(publicKey: string): Key | undefined {
    return this.keys.get(unpadded(publicKey));
  }

  /** Ends a token before its time, for a log-out or by an administrator. False if there is none. */
  revoke(token: string): boolean {
    return this.logins.delete(token) || this.tokens.delete(token);
  }

  /** Ends all log-in tokens of a user; returns their number. */
  revokeLogins(userId: number): number {
    const ended = [...this.logins.values()].filter(({ caller }) => caller.userId === userId);
    for (const { token } of ended) this.logins.delete(token);
    return ended.length;
  }

  snapshot(): CredentialRegisterState {
    return { logins: [...this.logins.values()], nextLoginNumber: this.nextLoginNumber };
  }

  /** Restores log-in tokens and drops configured ones and keys, which the caller adds again. */
  restore(state: CredentialRegisterState): void {
    this.tokens.clear();
    this.keys.clear();
    this.logins = new Map(state.logins.map((token) => [token.token, token]));
    this.nextLoginNumber = state.nextLoginNumber;
  }

  private makeRoom(timeMs: number): void {
    for (const [token, { expiresAtMs }] of this.logins) {
      if (expiresAtMs !== null && expiresAtMs <= timeMs) this.logins.delete(token);
    }
    retainNewest(this.logins, LOGIN_TOKENS_RETAINED - 1);
  }
}

const unpadded = (publicKey: string): string => publicKey.replace(/=+$/, '');

/** Checks a one-time password against a user's secret at a time. */
export type VerifyTotp = (check: {
  readonly secret: string;
  readonly code: string;
  readonly timeMs: number;
}) => boolean;

interface LogInRequest {
  readonly username: string | null;
  readonly password: string | null;
  /** `yes` asks for a token of 30 days. */
  readonly remember: string | null;
  readonly captcha: string | null;
  readonly userAgent: string;
  /** Value of the header `X-TOTP`. */
  readonly totp: string | null;
  /** Device id that an earlier log-in returned. */
  readonly device: string | null;
  readonly ip: string;
  readonly timeMs: number;
}

/** Time without withdrawals after a log-in from an unknown device, in ms. Source: "Token scheme". */
const NEW_DEVICE_RESTRICTION_MS = 3_600_000;

const BOT_USER_AGENT = /^TraderBot\/\S/;
const DEVICE_LENGTH = 32;

/** Checks names and passwords and issues tokens. Source: interface, "Authentication and user information". */
export class LogInGate {
  private readonly options: {
    readonly users: Users;
    readonly credentials: CredentialRegister;
    readonly random: RandomSource;
    readonly verifyTotp: VerifyTotp;
  };

  constructor(options: LogInGate['options']) {
    this.options = options;
  }

  /**
   * Returns a token or a refusal: `ParseError`, `InvalidCaptcha`, `InvalidUserAgent`, `InvalidCredentials`,
   * `MissingOTP`, `InvalidOTP`. The codes are ours; the documents name none.
   */
  attempt(
    request: LogInRequest,
  ): Result<{ readonly token: string; readonly device: string; readonly userId: number }> {
    const { username, password, timeMs } = request;
    if (username === null || password === null)
      return refuse('ParseError', 'Expected a username and a password.');
    if (request.captcha !== 'api')
      return refuse('InvalidCaptcha', 'Expected captcha "api" for an automated log-in.');
    if (!BOT_USER_AGENT.test(request.userAgent))
      return refuse(
        'InvalidUserAgent',
        'Expected a User-Agent of the form TraderBot/<name> for captcha "api".',
      );
    const user = this.options.users.findByName(username);
    if (user === undefined)
      return refuse('InvalidCredentials', 'Unable to log in with provided credentials.');
    const refusal = this.refusalOf(user, password, request);
    user.attempts.push({
      ip: request.ip,
      username,
      status: refusal === null ? 'Successful' : 'Failed',
      timeMs,
    });
    if (refusal !== null) return refusal;
    const { token } = this.options.credentials.issue(user.id, request.remember === 'yes', timeMs);
    return accept({ token, device: this.deviceOf(user, request), userId: user.id });
  }

  private refusalOf(user: User, password: string, request: LogInRequest): Refusal | null {
    if (user.password !== password)
      return refuse('InvalidCredentials', 'Unable to log in with provided credentials.');
    const { totp } = user.settings;
    if (totp === undefined) return null;
    if (request.totp === null)
      return refuse('MissingOTP', 'Expected a one-time password in the header X-TOTP.');
    return this.isRightCode(totp, request.totp, request.timeMs)
      ? null
      : refuse('InvalidOTP', 'The one-time password is wrong.');
  }

  private isRightCode(totp: TotpSettings, code: string, timeMs: number): boolean {
    if (totp.fixedCode !== undefined && totp.fixedCode === code) return true;
    return totp.secret !== undefined && this.options.verifyTotp({ secret: totp.secret, code, timeMs });
  }

  /** Returns the request's device if the user has it; else a new one, which blocks withdrawals an hour. */
  private deviceOf(user: User, request: LogInRequest): string {
    if (request.device !== null && user.knowsDevice(request.device)) return request.device;
    const device = randomHex(this.options.random, DEVICE_LENGTH);
    user.rememberDevice(device);
    user.withdrawalsRestrictedUntilMs = request.timeMs + NEW_DEVICE_RESTRICTION_MS;
    return device;
  }
}

/** Returns `length` hexadecimal digits from a seeded source: for tokens of a simulation, not real secrets. */
export function randomHex(random: RandomSource, length: number): string {
  let text = '';
  while (text.length < length) {
    text += Math.floor(random.next() * 0x1_0000_0000)
      .toString(16)
      .padStart(8, '0');
  }
  return text.slice(0, length);
}
