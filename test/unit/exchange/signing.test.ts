import { createPrivateKey, createPublicKey, sign as signWithNode, verify } from 'node:crypto';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createSigner, signedMessage, toUrlSafeBase64 } from '../../../src/exchange/authenticator.ts';

/** DER around a bare seed, which is all that PKCS #8 adds to an Ed25519 key. */
const PKCS8_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex');

function keyFromSeed(seed: Uint8Array) {
  const privateKey = createPrivateKey({
    key: Buffer.concat([PKCS8_PREFIX, seed]),
    format: 'der',
    type: 'pkcs8',
  });
  const publicKey = createPublicKey(privateKey);
  const raw = publicKey.export({ format: 'der', type: 'spki' }).subarray(-32);
  return {
    privateKey,
    publicKey,
    key: { privateKey: toUrlSafeBase64(seed), publicKey: toUrlSafeBase64(raw) },
  };
}

describe('createSigner', () => {
  it('signs as node:crypto does, for any seed and request', () => {
    const request = fc.record({
      timestamp: fc.nat().map(String),
      method: fc.constantFrom('GET', 'POST', 'DELETE'),
      path: fc.string().map((text) => `/${text}`),
      body: fc.option(fc.string({ unit: 'grapheme' })),
    });
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), request, (seed, parts) => {
        const { privateKey, publicKey, key } = keyFromSeed(seed);
        const message = Buffer.from(signedMessage(parts), 'utf8');
        const signature = createSigner(key)(parts);
        expect(signature).toBe(toUrlSafeBase64(signWithNode(null, message, privateKey)));
        expect(verify(null, message, publicKey, Buffer.from(signature, 'base64url'))).toBe(true);
      }),
      { numRuns: 30 },
    );
  });

  it('signs timestamp, method, path with query and body, one after another', () => {
    const parts = {
      timestamp: '1700000000',
      method: 'POST',
      path: '/market/orders/add?a=1',
      body: '{"x":1}',
    };
    expect(signedMessage(parts)).toBe('1700000000POST/market/orders/add?a=1{"x":1}');
    expect(signedMessage({ ...parts, body: null })).toBe('1700000000POST/market/orders/add?a=1');
  });

  it('keeps the padding of a signature', () => {
    const { key } = keyFromSeed(new Uint8Array(32).fill(9));
    const signature = createSigner(key)({ timestamp: '1', method: 'GET', path: '/', body: null });
    expect(signature).toMatch(/^[A-Za-z0-9_-]{86}==$/);
  });

  it('takes keys without their padding', () => {
    const { key } = keyFromSeed(new Uint8Array(32).fill(9));
    const bare = { privateKey: key.privateKey.replace('=', ''), publicKey: key.publicKey.replace('=', '') };
    const parts = { timestamp: '1', method: 'GET', path: '/', body: null };
    expect(createSigner(bare)(parts)).toBe(createSigner(key)(parts));
  });

  it('refuses a key of another length without showing it', () => {
    const { key } = keyFromSeed(new Uint8Array(32).fill(9));
    const short = { ...key, privateKey: 'c2VjcmV0' };
    expect(() => createSigner(short)).toThrow(
      'expected URL-safe Base64 of 32 bytes for the private key, was 6 bytes',
    );
  });

  it('refuses two parts that are not of one key', () => {
    const one = keyFromSeed(new Uint8Array(32).fill(1)).key;
    const other = keyFromSeed(new Uint8Array(32).fill(2)).key;
    expect(() => createSigner({ ...one, publicKey: other.publicKey })).toThrow('belongs to the private key');
  });
});
