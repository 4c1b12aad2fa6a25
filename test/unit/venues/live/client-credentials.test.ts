import { expect, test } from 'vitest';
import { accountIdentity, clientCredentials, secretsOf } from '../../../../src/venues/client-credentials.ts';
import { Secret } from '../../../../src/configuration/secret.ts';
import type { CredentialSettings } from '../../../../src/venues/credentials-settings.ts';

const TOKEN: CredentialSettings = { kind: 'token', token: new Secret('t') };
const KEY: CredentialSettings = { kind: 'key', publicKey: 'p', privateKey: new Secret('s') };
const LOGIN: CredentialSettings = {
  kind: 'login',
  username: 'u',
  password: new Secret('w'),
  totpSecret: null,
};
const TOTP: CredentialSettings = { ...LOGIN, totpSecret: new Secret('GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ') };

test.each([
  [TOKEN, 't', ['t']],
  [KEY, 'p', ['s']],
  [LOGIN, 'u', ['w']],
  [TOTP, 'u', ['w', 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ']],
])(
  'an account is named by what its bots have in common, and every secret of it is known: %o',
  (settings, identity, secrets) => {
    expect(accountIdentity(settings)).toBe(identity);
    expect(secretsOf(settings).map((secret) => secret.reveal())).toEqual(secrets);
  },
);

test('the client gets a one-time password of its moment', async () => {
  let nowMs = 59_000;
  const credentials = clientCredentials(TOTP, () => nowMs);
  if (credentials.kind !== 'login') throw new Error('expected a login');
  expect(await credentials.login.oneTimePassword?.()).toBe('287082');
  nowMs = 1_111_111_109_000;
  expect(await credentials.login.oneTimePassword?.()).toBe('081804');
  expect(clientCredentials(null, () => 0)).toEqual({ kind: 'none' });
  expect(secretsOf(null)).toEqual([]);
});
