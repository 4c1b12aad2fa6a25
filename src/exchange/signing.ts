import { createHash } from 'node:crypto';
import { getPublicKey, hashes, sign } from '@noble/ed25519';
import { SarrafError } from '../domain/errors.ts';

hashes.sha512 = (message) => new Uint8Array(createHash('sha512').update(message).digest());

/** An API key: both parts as URL-safe Base64 of 32 bytes. */
export interface ApiKey {
  readonly publicKey: string;
  /** The 32-byte seed. */
  readonly privateKey: string;
}

/** Signed parts of a request. */
interface SignedParts {
  /** Unix time in seconds. */
  readonly timestamp: string;
  /** Upper case. */
  readonly method: string;
  /** With the query, exactly as sent. */
  readonly path: string;
  readonly body: string | null;
}

const KEY_BYTES = 32;

/** URL-safe Base64 with its padding kept. */
export function toUrlSafeBase64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64').replaceAll('+', '-').replaceAll('/', '_');
}

function decodeKey(text: string, what: string): Uint8Array {
  const bytes = /^[A-Za-z0-9_+/-]+={0,2}$/.test(text)
    ? new Uint8Array(Buffer.from(text, 'base64url'))
    : new Uint8Array();
  if (bytes.length === KEY_BYTES) return bytes;
  throw new SarrafError(
    'INVALID_OPTIONS',
    `expected URL-safe Base64 of ${KEY_BYTES} bytes for ${what}, was ${bytes.length} bytes`,
  );
}

/** The message that is signed: the parts one after another, without separators. */
export function signedMessage(parts: SignedParts): string {
  return parts.timestamp + parts.method + parts.path + (parts.body ?? '');
}

/**
 * A signer for a key ("Key scheme"). The result is URL-safe Base64 with padding.
 * @throws SarrafError `INVALID_OPTIONS` when a part has the wrong length, or the two parts are not of one
 * key.
 */
export function createSigner(key: ApiKey): (parts: SignedParts) => string {
  const seed = decodeKey(key.privateKey, 'the private key');
  const publicKey = decodeKey(key.publicKey, 'the public key');
  if (!Buffer.from(getPublicKey(seed)).equals(Buffer.from(publicKey))) {
    throw new SarrafError(
      'INVALID_OPTIONS',
      'expected the public key that belongs to the private key, was another',
    );
  }
  return (parts) => toUrlSafeBase64(sign(new Uint8Array(Buffer.from(signedMessage(parts), 'utf8')), seed));
}
