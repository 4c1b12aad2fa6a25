import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

/** 256 bits. */
const SECRET_BYTES = 32;

/** A new secret, as a text that can stand in an address. */
export function newSecret(): string {
  return randomBytes(SECRET_BYTES).toString('base64url');
}

/** Returns the stored hash of a secret: 256 random bits cannot be found from it. */
export function hashOfSecret(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}

/** True if two hashes are the same; the time does not reveal where they differ. */
export function isSameHash(left: Buffer, right: Buffer): boolean {
  return left.length === right.length && timingSafeEqual(left, right);
}
