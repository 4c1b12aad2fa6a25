import type { RandomSource } from '../domain/random.ts';
import { accept, refuse, type Refusal, type Result } from './result.ts';
import type { User } from './user.ts';
import type { TotpSettings } from './user-settings.ts';
import type { Users } from './users.ts';
import type { CredentialRegister } from './credentials.ts';
import { randomHex } from './gate/random-text.ts';

/** Checks a one-time password against a user's secret at a time. */
export type VerifyTotp = (check: {
  readonly secret: string;
  readonly code: string;
  readonly timeMs: number;
}) => boolean;

interface LogInRequest {
  readonly username: string | null;
  readonly password: string | null;
  /** `yes` for a token of 30 days. */
  readonly remember: string | null;
  readonly captcha: string | null;
  readonly userAgent: string;
  /** Header `X-TOTP`. */
  readonly totp: string | null;
  /** Device that an earlier log-in returned. */
  readonly device: string | null;
  readonly ip: string;
  readonly timeMs: number;
}

interface LoggedIn {
  readonly token: string;
  readonly device: string;
  readonly userId: number;
}

/**
 * Time for which withdrawals are closed after a log-in from a device not known before. Source: interface,
 * "Token scheme".
 */
const NEW_DEVICE_RESTRICTION_MS = 3_600_000;

const BOT_USER_AGENT = /^TraderBot\/\S/;
const DEVICE_LENGTH = 32;

/** Turns names and passwords into tokens. Source: interface, "Authentication and user information". */
export class LogInGate {
  private readonly users: Users;
  private readonly credentials: CredentialRegister;
  private readonly random: RandomSource;
  private readonly verifyTotp: VerifyTotp;

  constructor(options: {
    readonly users: Users;
    readonly credentials: CredentialRegister;
    readonly random: RandomSource;
    readonly verifyTotp: VerifyTotp;
  }) {
    this.users = options.users;
    this.credentials = options.credentials;
    this.random = options.random;
    this.verifyTotp = options.verifyTotp;
  }

  /**
   * A token, or a refusal: `ParseError`, `InvalidCaptcha`, `InvalidUserAgent`, `InvalidCredentials`,
   * `MissingOTP`, `InvalidOTP`. The codes are ours, the documents name none.
   */
  attempt(request: LogInRequest): Result<LoggedIn> {
    const { username, password, timeMs } = request;
    if (username === null || password === null)
      return refuse('ParseError', 'Expected a username and a password.');
    if (request.captcha !== 'api')
      return refuse('InvalidCaptcha', 'Expected captcha "api" for an automated log-in.');
    if (!BOT_USER_AGENT.test(request.userAgent)) {
      return refuse(
        'InvalidUserAgent',
        'Expected a User-Agent of the form TraderBot/<name> for captcha "api".',
      );
    }
    const user = this.users.findByName(username);
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
    const { token } = this.credentials.issue(user.id, request.remember === 'yes', timeMs);
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
    return totp.secret !== undefined && this.verifyTotp({ secret: totp.secret, code, timeMs });
  }

  /** The device that came, if this user has it; else a new one, which closes withdrawals for an hour. */
  private deviceOf(user: User, request: LogInRequest): string {
    if (request.device !== null && user.knowsDevice(request.device)) return request.device;
    const device = randomHex(this.random, DEVICE_LENGTH);
    user.rememberDevice(device);
    user.withdrawalsRestrictedUntilMs = request.timeMs + NEW_DEVICE_RESTRICTION_MS;
    return device;
  }
}
