import { expect, test, describe, it } from 'vitest';
import {
  accountIdentity,
  clientCredentials,
  secretsOf,
  type CredentialSettings,
} from '../../../../src/venues/client-credentials.ts';
import { Secret } from '../../../../src/configuration/secret.ts';
import { judgeAccount, type AccountFields, type KeptAccount } from '../../../../src/venues/account-reader.ts';

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

const ONE: AccountFields = { username: 'one', email: 'one@example.com', mobile: '09120000001' };

function kept(fields: AccountFields): KeptAccount {
  const verdict = judgeAccount(null, fields, () => 'salt');
  if (verdict.kind === 'other') throw new Error('nothing was kept');
  return verdict.account;
}

describe('an account', () => {
  it('is kept as it is seen first, as salted hashes without a word of it', () => {
    const text = JSON.stringify(kept(ONE));
    for (const value of Object.values(ONE)) expect(text).not.toContain(value);
    expect(judgeAccount(null, ONE)).not.toEqual(judgeAccount(null, ONE));
  });

  it.each<[string, AccountFields, 'same' | 'other' | 'unknown']>([
    ['everything agrees', ONE, 'same'],
    ['it is written otherwise', { ...ONE, email: ' One@Example.com ' }, 'same'],
    ['the address is new', { ...ONE, email: 'new@example.com' }, 'same'],
    ['only one field is there', { mobile: '09120000001' }, 'same'],
    ['nothing agrees', { username: 'two', email: 'two@example.com', mobile: '09120000002' }, 'other'],
    ['the one field that is there does not agree', { username: 'two' }, 'other'],
    ['nothing is there', {}, 'unknown'],
    ['fields are empty', { username: ' ', email: '' }, 'unknown'],
    ['only the log-in is known', { login: 'two' }, 'unknown'],
  ])('when %s', (_, fields, kind) => {
    expect(judgeAccount(kept(ONE), fields).kind).toBe(kind);
  });

  it('is known by the name that logs in where that is all there is', () => {
    const before = kept({ login: 'one@example.com' });
    expect(judgeAccount(before, { login: 'One@example.com' }).kind).toBe('same');
    expect(judgeAccount(before, { login: 'two@example.com' }).kind).toBe('other');
  });

  it('is the same over another log-in name when the profile says so', () => {
    expect(judgeAccount(kept({ ...ONE, login: 'a' }), { ...ONE, login: 'b' }).kind).toBe('same');
  });

  it('keeps what it learns later beside what it knew', () => {
    const verdict = judgeAccount(kept({ login: 'one' }), { login: 'one', username: 'one' });
    expect(verdict).toMatchObject({
      kind: 'same',
      account: { hashes: { login: expect.any(String), username: expect.any(String) } },
    });
  });
});
