import { SarrafError, invalidOptions } from '../domain/errors.ts';
import type { Access } from './request-types.ts';
import { createHash } from 'node:crypto';
import { getPublicKey, hashes, sign } from '@noble/ed25519';

/** Parts of a request for which credentials are made. */
export interface UnsignedRequest {
  readonly endpointName: string;
  readonly access: Access;
  readonly method: string;
  readonly path: string;
  readonly body: string | null;
}

/** Turns credentials into headers, and is notified whether the exchange accepted them. */
export interface Authenticator {
  /** @throws SarrafError `UNAUTHORIZED` if these credentials cannot make the call; nothing is sent then. */
  headersFor(request: UnsignedRequest): Promise<Readonly<Record<string, string>>>;
  /** Called when the exchange accepted these headers. */
  accepted(headers: Readonly<Record<string, string>>): void;
  /** Called when the exchange answered 401 to these headers. */
  rejected(headers: Readonly<Record<string, string>>): void;
}

const ignore = (): void => {};

function needs(request: UnsignedRequest, expected: string): never {
  throw new SarrafError('UNAUTHORIZED', `${request.endpointName}: expected ${expected}; nothing was sent`);
}

/** True if a call is always made without credentials. */
export const isAnonymous = (access: Access): boolean => access === 'none' || access === 'merchant';

export function noCredentials(): Authenticator {
  return {
    headersFor: async (request) =>
      isAnonymous(request.access) || request.access === 'optional-token'
        ? {}
        : needs(request, 'a token or a key, was none'),
    accepted: ignore,
    rejected: ignore,
  };
}

/** Returns credentials of a token made elsewhere, such as in the user panel. It cannot be renewed. */
export function fixedToken(token: string): Authenticator {
  if (!/^[\x21-\x7e]{1,1024}$/.test(token))
    throw invalidOptions(`expected a token without spaces, was text of ${token.length} characters`);
  const headers = { authorization: `Token ${token}` };
  return {
    headersFor: async (request) => (isAnonymous(request.access) ? {} : headers),
    accepted: ignore,
    rejected: ignore,
  };
}

/** Returns credentials of a key: three headers, named after the service, in place of `Authorization`. */
export function keyCredentials(
  key: ApiKey,
  options: { readonly serviceName: string; readonly nowMs: () => number },
): Authenticator {
  const sign = createSigner(key);
  const prefix = options.serviceName.charAt(0).toUpperCase() + options.serviceName.slice(1);
  return {
    async headersFor(request) {
      const { access, method, path, body } = request;
      if (isAnonymous(access) || access === 'optional-token') return {};
      if (access === 'token') needs(request, 'a token, was a key, which this call does not take');
      const timestamp = String(Math.floor(options.nowMs() / 1000));
      return {
        [`${prefix}-Key`]: key.publicKey,
        [`${prefix}-Signature`]: sign({ timestamp, method, path, body }),
        [`${prefix}-Timestamp`]: timestamp,
      };
    },
    accepted: ignore,
    rejected: ignore,
  };
}

hashes.sha512 = (message) => new Uint8Array(createHash('sha512').update(message).digest());

/** An API key: both parts as URL-safe Base64 of 32 bytes. */
export interface ApiKey {
  readonly publicKey: string;
  /** The 32-byte seed, as URL-safe Base64. */
  readonly privateKey: string;
}

/** Signed parts of a request. */
interface SignedParts {
  /** Unix time in seconds. */
  readonly timestamp: string;
  /** HTTP method in upper case. */
  readonly method: string;
  /** Path with the query, exactly as sent. */
  readonly path: string;
  readonly body: string | null;
}

const KEY_BYTES = 32;

/** Encodes URL-safe Base64 with its padding. */
export const toUrlSafeBase64 = (bytes: Uint8Array): string =>
  Buffer.from(bytes).toString('base64').replaceAll('+', '-').replaceAll('/', '_');

function decodeKey(text: string, what: string): Uint8Array {
  const bytes = /^[A-Za-z0-9_+/-]+={0,2}$/.test(text)
    ? new Uint8Array(Buffer.from(text, 'base64url'))
    : new Uint8Array();
  if (bytes.length === KEY_BYTES) return bytes;
  throw invalidOptions(
    `expected URL-safe Base64 of ${KEY_BYTES} bytes for ${what}, was ${bytes.length} bytes`,
  );
}

/** Returns the message to sign: the parts one after another, without separators. */
export const signedMessage = (parts: SignedParts): string =>
  parts.timestamp + parts.method + parts.path + (parts.body ?? '');

/**
 * Returns a signer for a key ("Key scheme"). A signature is URL-safe Base64 with padding.
 * @throws SarrafError `INVALID_OPTIONS` if a part has the wrong length, or the two parts do not belong
 * together.
 */
export function createSigner(key: ApiKey): (parts: SignedParts) => string {
  const seed = decodeKey(key.privateKey, 'the private key');
  const publicKey = decodeKey(key.publicKey, 'the public key');
  if (!Buffer.from(getPublicKey(seed)).equals(Buffer.from(publicKey)))
    throw invalidOptions('expected the public key that belongs to the private key, was another');
  return (parts) => toUrlSafeBase64(sign(new Uint8Array(Buffer.from(signedMessage(parts), 'utf8')), seed));
}
