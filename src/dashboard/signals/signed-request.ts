import { createHmac, timingSafeEqual } from 'node:crypto';

/** Maximum difference between a signed request's time and ours. */
export const SIGNED_WITHIN_MS = 300_000;

/** Parts that a sender signs: time, destination and payload. */
export interface SignedSignal {
  /** As it stands in the header. */
  readonly timestamp: string;
  /** As it is asked for, such as `/api/v1/signals/follow/alert`. */
  readonly path: string;
  /** As it was sent, to the byte. */
  readonly body: string;
}

/** HMAC-SHA256 of `TIMESTAMP.PATH.BODY`, in hexadecimal. */
export function signalSignature(key: Buffer, { timestamp, path, body }: SignedSignal): string {
  return createHmac('sha256', key).update(`${timestamp}.${path}.${body}`).digest('hex');
}

/** True if a signature is that of a key; the time does not reveal where it differs. */
export function isSignatureOf(key: Buffer, parts: SignedSignal, signature: string): boolean {
  const own = Buffer.from(signalSignature(key, parts), 'hex');
  const sent = Buffer.from(/^[0-9a-f]{64}$/i.test(signature) ? signature : '', 'hex');
  return sent.length === own.length && timingSafeEqual(sent, own);
}

/** The time of a header, in seconds or milliseconds since 1970, in ms; null where it is none. */
export function timestampMs(timestamp: string): number | null {
  if (/^\d{9,11}$/.test(timestamp)) return Number(timestamp) * 1_000;
  return /^\d{12,14}$/.test(timestamp) ? Number(timestamp) : null;
}
