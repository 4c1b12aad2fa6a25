import { describe, expect, it } from 'vitest';
import { judgeAccount, type AccountFields, type KeptAccount } from '../../../../src/venues/account-reader.ts';

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
