import { createHash, createHmac, createPublicKey, verify, type KeyObject } from 'node:crypto';
import type { VerifySignature } from '../simulator/gate.ts';
import type { VerifyTotp } from '../simulator/credentials.ts';
import type { Md5 } from '../simulator/gateway.ts';

/** Prefix of the 32 raw bytes of an Ed25519 key in its DER form (RFC 8410). */
const DER_PREFIX = Buffer.from('302a300506032b6570032100', 'hex');
/** Keys kept ready; past the bound a key is read again each time. */
const KEYS_KEPT = 1_000;

const keys = new Map<string, KeyObject | null>();

function keyOf(publicKey: string): KeyObject | null {
  const known = keys.get(publicKey);
  if (known !== undefined) return known;
  const raw = Buffer.from(publicKey, 'base64url');
  const key =
    raw.length === 32
      ? createPublicKey({ key: Buffer.concat([DER_PREFIX, raw]), format: 'der', type: 'spki' })
      : null;
  if (keys.size < KEYS_KEPT) keys.set(publicKey, key);
  return key;
}

/**
 * Ed25519 over UTF-8; key and signature in URL-safe Base64, with or without padding. False for whatever can
 * not be read.
 */
export const verifyEd25519: VerifySignature = ({ publicKey, message, signature }) => {
  const key = keyOf(publicKey);
  const bytes = Buffer.from(signature, 'base64url');
  return key !== null && bytes.length === 64 && verify(null, Buffer.from(message), key, bytes);
};

export const md5Hex: Md5 = (text) => createHash('md5').update(text).digest('hex');

const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
const TOTP_STEP_MS = 30_000;

function base32Bytes(text: string): Buffer {
  let bits = '';
  for (const character of text.toUpperCase().replace(/=+$/, '')) {
    bits += Math.max(0, BASE32.indexOf(character)).toString(2).padStart(5, '0');
  }
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
}

function totpCode(secret: string, step: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const digest = createHmac('sha1', base32Bytes(secret)).update(counter).digest();
  const offset = (digest.at(-1) ?? 0) & 15;
  return String((digest.readUInt32BE(offset) & 0x7fff_ffff) % 1_000_000).padStart(6, '0');
}

/**
 * A time-based one-time password (RFC 6238: SHA-1, 30 seconds, 6 digits), one step of tolerance on either
 * side.
 */
export const verifyTotpCode: VerifyTotp = ({ secret, code, timeMs }) => {
  const step = Math.floor(timeMs / TOTP_STEP_MS);
  return [step - 1, step, step + 1].some((candidate) => totpCode(secret, candidate) === code);
};
