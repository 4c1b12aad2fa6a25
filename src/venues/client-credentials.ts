import { subjectOf } from '../budget/ledger-file.ts';
import type { Credentials, ClientOptions } from '../exchange/client-options.ts';
import type { LoginCredentials, IssuedToken } from '../exchange/session.ts';
import { Secret, readPrivateFile, writePrivateFile } from '../configuration/secret-file.ts';
import { createHmac } from 'node:crypto';
import { invalidOptions, messageOf } from '../domain/errors.ts';
import { rmSync } from 'node:fs';
import { z } from 'zod';

/** Credentials of the bot at the exchange. Secrets are wrapped: printed or logged they are `[secret]`. */
export type CredentialSettings =
  | { readonly kind: 'token'; readonly token: Secret }
  | { readonly kind: 'key'; readonly publicKey: string; readonly privateKey: Secret }
  | { readonly kind: 'secret'; readonly apiKey: string; readonly apiSecret: Secret }
  | {
      readonly kind: 'login';
      readonly username: string;
      readonly password: Secret;
      /** Base32 secret that the exchange shows for one-time passwords; null if the account needs none. */
      readonly totpSecret: Secret | null;
    };

/** Names of the fields that hold secrets. */
export const SECRET_FIELDS = ['token', 'privateKey', 'apiSecret', 'password', 'totpSecret'] as const;

/** Returns the settings of a kind of credential, as a sentence names them. */
export const credentialFields = (kind: CredentialSettings['kind']): string =>
  ({
    token: 'token',
    key: 'key and privateKey',
    secret: 'apiKey and apiSecret',
    login: 'username and password',
  })[kind];

const text = () => z.string({ error: 'expected a text' }).min(1, 'expected a text, was empty');

const secret = () => text().transform((value) => new Secret(value));

/** Part of a key: 32 bytes, so 43 characters and maybe the padding. The message never repeats the input. */
const keyPart = () =>
  text().regex(
    /^[A-Za-z0-9_+/-]{43}=?$/,
    'expected 32 bytes in URL-safe Base64, which is 43 characters and maybe "="',
  );

/**
 * Exactly one kind of credential: a token, both parts of a key, or a user who logs in. Each secret is
 * `${NAME}` of the environment, `file:` with a path, or (not recommended) the text itself.
 */
export const credentialsSettings = z
  .strictObject({
    token: secret().optional().describe('A token of the user panel. A secret.'),
    key: keyPart().optional().describe('The public part of an API key, 32 bytes in URL-safe Base64.'),
    privateKey: keyPart()
      .transform((value) => new Secret(value))
      .optional()
      .describe('The private part of the key, its 32-byte seed in URL-safe Base64. A secret.'),
    apiKey: text()
      .optional()
      .describe('The name of a key with a secret, at a venue that signs so; not at the venue service.'),
    apiSecret: secret().optional().describe('The secret of apiKey. A secret.'),
    username: text().optional().describe('The user who logs in.'),
    password: secret().optional().describe("The user's password. A secret."),
    totpSecret: text()
      .regex(/^[A-Za-z2-7 ]+=*$/, 'expected Base32, which is letters and the digits 2 to 7')
      .transform((value) => new Secret(value))
      .optional()
      .describe('Base32 secret of the one-time passwords, for an account that asks for them. A secret.'),
  })
  .transform((given, context): CredentialSettings => {
    const { token, key, privateKey, apiKey, apiSecret, username, password, totpSecret = null } = given;
    const credentials = [
      token,
      key ?? privateKey,
      apiKey ?? apiSecret,
      username ?? password ?? totpSecret ?? undefined,
    ];
    if (credentials.filter((credential) => credential !== undefined).length === 1) {
      if (token !== undefined) return { kind: 'token', token };
      if (key !== undefined && privateKey !== undefined) return { kind: 'key', publicKey: key, privateKey };
      if (apiKey !== undefined && apiSecret !== undefined) return { kind: 'secret', apiKey, apiSecret };
      if (username !== undefined && password !== undefined)
        return { kind: 'login', username, password, totpSecret };
    }
    const written = Object.keys(given).join(', ');
    const message = `expected token alone, or key and privateKey, or apiKey and apiSecret, or username and password (and totpSecret), was ${written === '' ? 'nothing' : written}`;
    context.addIssue({ code: 'custom', message });
    return z.NEVER;
  });

/** Login data that outlives a run: the device and the token. */
type StoredLogIn = Pick<LoginCredentials, 'device' | 'onDevice' | 'token' | 'onToken' | 'onTokenRefused'>;

/** Returns the client's credentials; `stored` is for a user who logs in. Secrets are unwrapped only here. */
export function clientCredentials(
  settings: CredentialSettings | null,
  nowMs: () => number,
  stored: StoredLogIn = {},
): Credentials {
  if (settings === null) return { kind: 'none' };
  switch (settings.kind) {
    case 'token':
      return { kind: 'token', token: settings.token.reveal() };
    case 'secret':
      throw invalidOptions('expected credentials of the venue service, was apiKey and apiSecret');
    case 'key':
      return {
        kind: 'key',
        key: { publicKey: settings.publicKey, privateKey: settings.privateKey.reveal() },
      };
    case 'login': {
      const { username, password, totpSecret } = settings;
      const login = { username, password: password.reveal(), remember: true, ...stored };
      if (totpSecret === null) return { kind: 'login', login };
      return {
        kind: 'login',
        login: { ...login, oneTimePassword: () => oneTimePassword(totpSecret.reveal(), nowMs()) },
      };
    }
  }
}

/**
 * Returns the account's name for the ledger and the locks: equal for all bots that share its limits; null
 * without credentials. It must be hashed, never shown.
 */
export function accountIdentity(settings: CredentialSettings | null): string | null {
  switch (settings?.kind) {
    case undefined:
      return null;
    case 'token':
      return settings.token.reveal();
    case 'key':
      return settings.publicKey;
    case 'secret':
      return settings.apiKey;
    case 'login':
      return settings.username;
  }
}

/**
 * Returns the subjects for which the ledger counts requests: the address that this machine calls from, by its
 * name if there are several, and the account, hashed.
 */
export function ledgerSubjects({
  credentials,
  publicAddress,
}: {
  readonly credentials: CredentialSettings | null;
  readonly publicAddress: string | null;
}): { readonly ip: string; readonly token: string } {
  return {
    ip: publicAddress ?? 'this-address',
    token: subjectOf(accountIdentity(credentials) ?? 'nobody'),
  };
}

/** Returns the secrets of a configuration, so that a log can remove them from its texts. */
export function secretsOf(settings: CredentialSettings | null): readonly Secret[] {
  if (settings === null) return [];
  switch (settings.kind) {
    case 'token':
      return [settings.token];
    case 'key':
      return [settings.privateKey];
    case 'secret':
      return [settings.apiSecret];
    case 'login':
      return settings.totpSecret === null ? [settings.password] : [settings.password, settings.totpSecret];
  }
}

/** Returns all texts that a reply must not repeat: the secrets, and the public part of a key. */
export function credentialTexts(settings: CredentialSettings | null): readonly string[] {
  const secrets = secretsOf(settings).map((secret) => secret.reveal());
  if (settings?.kind === 'key') return [...secrets, settings.publicKey];
  return settings?.kind === 'secret' ? [...secrets, settings.apiKey] : secrets;
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
const STEP_MS = 30_000;
const DIGITS = 6;

function bytesOfBase32(text: string): Buffer {
  const bytes: number[] = [];
  let bits = 0;
  let value = 0;
  for (const letter of text.toUpperCase().replaceAll(/[ =]/g, '')) {
    value = ((value << 5) | ALPHABET.indexOf(letter)) & 0xfff;
    bits += 5;
    if (bits < 8) continue;
    bits -= 8;
    bytes.push((value >> bits) & 0xff);
  }
  return Buffer.from(bytes);
}

/** Returns the six digits of a Base32 secret for the 30 seconds around a time (RFC 6238 with SHA-1). */
export function oneTimePassword(secret: string, nowMs: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(nowMs / STEP_MS)));
  const digest = createHmac('sha1', bytesOfBase32(secret)).update(counter).digest();
  const offset = digest.readUInt8(digest.length - 1) & 0xf;
  const number = (digest.readUInt32BE(offset) & 0x7fffffff) % 10 ** DIGITS;
  return String(number).padStart(DIGITS, '0');
}

/** The token of an earlier log-in, and the callbacks that store or drop one. */
export interface KnownToken {
  readonly token?: IssuedToken;
  readonly onToken: (token: IssuedToken) => void;
  readonly onTokenRefused: (key: string) => void;
}

/** Times of a token, in a file beside the token's own, so that a configuration can use that one. */
const times = z.strictObject({
  /** Hash of the token to which the times belong: after a crash they may be beside another. */
  token: z.string(),
  issuedAtMs: z.int().nonnegative(),
  expiresAtMs: z.int().nonnegative(),
});

const timesPath = (path: string): string => `${path}.times`;

/** Stores a token, and beside it its validity, for this user alone. Throws the system's errors. */
export function storeToken(path: string, { key, issuedAtMs, expiresAtMs }: IssuedToken): void {
  writePrivateFile(path, `${key}\n`);
  const beside = { token: subjectOf(key), issuedAtMs, expiresAtMs } satisfies z.output<typeof times>;
  writePrivateFile(timesPath(path), `${JSON.stringify(beside)}\n`);
}

/**
 * Returns the token of a file. It only saves a log-in, so file errors are reported and ignored. A token
 * without times is not tried: it may be invalid, and bad tokens get an address blocked.
 */
export function knownToken(path: string, onProblem: (message: string) => void): KnownToken {
  const problem = (what: string, next: string): void => onProblem(`${what}: ${next}. File: ${path}`);
  let token: IssuedToken | null = null;
  try {
    token = readToken(path);
  } catch (error) {
    problem(
      `the token of an earlier log-in can not be used (${reasonOf(error)})`,
      'a new log-in replaces it',
    );
  }
  return {
    ...(token === null ? {} : { token }),
    onToken(next) {
      try {
        storeToken(path, next);
      } catch (error) {
        problem(`the token can not be stored (${reasonOf(error)})`, 'the next start logs in again');
      }
    },
    onTokenRefused(key) {
      try {
        // The token's own file stays, as a configuration may name it; without times no bot tries the token.
        // The times of a newer token of another process stay, too.
        if (readTimes(path)?.token === subjectOf(key)) rmSync(timesPath(path), { force: true });
      } catch (error) {
        problem(
          `the times of a refused token can not be removed (${reasonOf(error)})`,
          'the next start may try it again',
        );
      }
    },
  };
}

/** Returns null if there is no token with times. Throws for files that are damaged or do not match. */
function readToken(path: string): IssuedToken | null {
  const beside = readTimes(path);
  const key = beside === null ? null : readPrivateFile(path);
  if (beside === null || key === null) return null;
  const { token, issuedAtMs, expiresAtMs } = beside;
  if (subjectOf(key) !== token)
    throw new RangeError('expected the token that its times are of, found another text');
  return { key, issuedAtMs, expiresAtMs };
}

function readTimes(path: string): z.output<typeof times> | null {
  const text = readPrivateFile(timesPath(path));
  if (text === null) return null;
  let content: unknown = null;
  try {
    content = JSON.parse(text);
  } catch {
    // Checked below: the content must never be part of a message.
  }
  const read = times.safeParse(content);
  if (!read.success)
    throw new RangeError(`expected the times of a token in ${timesPath(path)}, found something else`);
  return read.data;
}

function reasonOf(error: unknown): string {
  const { code } = error as NodeJS.ErrnoException;
  return code ?? messageOf(error);
}

/** Device name given by the exchange at an earlier login, and the callback for the next one. */
export interface KnownDevice {
  readonly device?: string;
  readonly onDevice: (device: string) => void;
}

/** Longest device name in characters; no exchange is known to send a longer one. */
const LONGEST_DEVICE = 1_024;

/**
 * Returns the device of a file. A log-in without it counts as a new device, which closes withdrawals for an
 * hour ("Token scheme"). That must not stop a bot, so file errors are reported and ignored.
 */
export function knownDevice(path: string, onProblem: (message: string) => void): KnownDevice {
  const problem = (what: string, error: unknown): void =>
    onProblem(
      `${what} (${(error as NodeJS.ErrnoException).code ?? String(error)}): the next log-in is one from a new device, which closes withdrawals for an hour. File: ${path}`,
    );
  let device: string | null = null;
  try {
    device = readPrivateFile(path);
  } catch (error) {
    problem('the name of this device can not be read', error);
  }
  return {
    ...(device === null ? {} : { device }),
    onDevice(next) {
      try {
        if (next.length > LONGEST_DEVICE)
          throw new RangeError(`expected at most ${LONGEST_DEVICE} characters`);
        writePrivateFile(path, next);
      } catch (error) {
        problem('the name of this device can not be kept', error);
      }
    },
  };
}

/** The venue of a configuration: what `exchange.venue` says, and the folder of the configuration's file. */
export interface VenuePlace {
  readonly name: string;
  readonly folder: string;
  /** Path of the setting that names it; `exchange.venue` if left out. */
  readonly setting?: string;
}

/** Network access to an exchange, as configured. */
export interface ExchangeAccess extends Required<Pick<ClientOptions, 'limits' | 'headroom' | 'orderBook'>> {
  readonly venue: VenuePlace;
  /** The service's own name: the key headers begin with it. */
  readonly name: string;
  readonly baseUrl: string | null;
  readonly credentials: CredentialSettings | null;
  /** Folder of the ledger of sent requests; null for the user's state folder. */
  readonly ledgerFolder: string | null;
  /** `redis://…` of a ledger that machines share; null for a file. */
  readonly ledger: string | null;
  /** Longest time in ms to wait for an answer of that Redis. */
  readonly ledgerTimeoutMs: number;
  /** Public address from which this machine calls, if it has several; null if there is one. */
  readonly publicAddress: string | null;
}
