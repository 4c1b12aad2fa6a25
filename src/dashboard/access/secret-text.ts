import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

/** 256 bits. */
const SECRET_BYTES = 32;

/** A new secret, as a text that can stand in an address. */
export function newSecret(): string {
  return randomBytes(SECRET_BYTES).toString('base64url');
}

/** What is kept of a secret: one of 256 random bits can not be found from it. */
export function hashOfSecret(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}

/** Whether two hashes are the same, in a time that does not say where they differ. */
export function isSameHash(left: Buffer, right: Buffer): boolean {
  return left.length === right.length && timingSafeEqual(left, right);
}
