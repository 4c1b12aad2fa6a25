import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  credit,
  debit,
  EMPTY_BALANCE,
  freeOf,
  hold,
  release,
  spend,
  type Balance,
} from '../../../src/domain/balance.ts';

describe('a balance', () => {
  test('gives a hold back when it is released, and takes it when it is spent', () => {
    const held = hold(credit(EMPTY_BALANCE, 100n), 60n);
    expect(freeOf(held)).toBe(40n);
    expect(release(held, 60n)).toEqual({ total: 100n, held: 0n });
    expect(spend(held, { released: 60n, spent: 55n })).toEqual({ total: 45n, held: 0n });
  });

  test('refuses to promise or take more than there is', () => {
    const balance = hold(credit(EMPTY_BALANCE, 100n), 60n);
    expect(() => hold(balance, 41n)).toThrow('expected 0 <= held <= total, was held 101 of 100');
    expect(() => debit(balance, 41n)).toThrow('debit');
    expect(() => release(balance, 61n)).toThrow('release');
  });

  test('never has a negative part, whatever is asked of it', () => {
    const steps = fc.array(
      fc.tuple(fc.constantFrom(credit, debit, hold, release), fc.bigInt({ min: 0n, max: 1_000n })),
    );
    fc.assert(
      fc.property(steps, (asked) => {
        let balance: Balance = EMPTY_BALANCE;
        for (const [step, units] of asked) {
          try {
            balance = step(balance, units);
          } catch {
            // Refused: it stays as it was.
          }
          expect(balance.held >= 0n && balance.held <= balance.total).toBe(true);
        }
      }),
    );
  });
});
