import { subjectOf } from '../budget/ledger-file.ts';
import type { Credentials } from '../exchange/client-options.ts';
import type { LoginCredentials } from '../exchange/session.ts';
import type { CredentialSettings } from './credentials-settings.ts';
import type { Secret } from '../configuration/secret.ts';
import { createHmac } from 'node:crypto';

/** Login data that outlives a run: the device and the token. */
type KeptLogIn = Pick<LoginCredentials, 'device' | 'onDevice' | 'token' | 'onToken' | 'onTokenRefused'>;

/**
 * Returns the client's credentials; `kept` is for a user who logs in. The secrets are unwrapped here and
 * nowhere else.
 */
export function clientCredentials(
  settings: CredentialSettings | null,
  nowMs: () => number,
  kept: KeptLogIn = {},
): Credentials {
  if (settings === null) return { kind: 'none' };
  switch (settings.kind) {
    case 'token':
      return { kind: 'token', token: settings.token.reveal() };
    case 'key':
      return {
        kind: 'key',
        key: { publicKey: settings.publicKey, privateKey: settings.privateKey.reveal() },
      };
    case 'login': {
      const { username, password, totpSecret } = settings;
      const login = { username, password: password.reveal(), remember: true, ...kept };
      if (totpSecret === null) return { kind: 'login', login };
      return {
        kind: 'login',
        login: { ...login, oneTimePassword: () => oneTimePassword(totpSecret.reveal(), nowMs()) },
      };
    }
  }
}

/**
 * Returns the account's name for the ledger and the locks: the same for every bot that shares its limits. To
 * be hashed, never shown.
 */
export function accountIdentity(settings: CredentialSettings): string {
  switch (settings.kind) {
    case 'token':
      return settings.token.reveal();
    case 'key':
      return settings.publicKey;
    case 'login':
      return settings.username;
  }
}

/**
 * By whom the ledger counts requests: the address that this machine calls from, by its name where there are
 * several, and the account, hashed.
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
    token: subjectOf(credentials === null ? 'nobody' : accountIdentity(credentials)),
  };
}

/** The secrets of a configuration, so that a log can take them out of whatever it is given. */
export function secretsOf(settings: CredentialSettings | null): readonly Secret[] {
  if (settings === null) return [];
  switch (settings.kind) {
    case 'token':
      return [settings.token];
    case 'key':
      return [settings.privateKey];
    case 'login':
      return settings.totpSecret === null ? [settings.password] : [settings.password, settings.totpSecret];
  }
}

/** Everything that a reply must not repeat: the secrets, and the public part of a key. */
export function credentialTexts(settings: CredentialSettings | null): readonly string[] {
  const secrets = secretsOf(settings).map((secret) => secret.reveal());
  return settings?.kind === 'key' ? [...secrets, settings.publicKey] : secrets;
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

/** The six digits that a Base32 secret stands for in the 30 seconds around a time (RFC 6238 with SHA-1). */
export function oneTimePassword(secret: string, nowMs: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(nowMs / STEP_MS)));
  const digest = createHmac('sha1', bytesOfBase32(secret)).update(counter).digest();
  const offset = digest.readUInt8(digest.length - 1) & 0xf;
  const number = (digest.readUInt32BE(offset) & 0x7fffffff) % 10 ** DIGITS;
  return String(number).padStart(DIGITS, '0');
}
