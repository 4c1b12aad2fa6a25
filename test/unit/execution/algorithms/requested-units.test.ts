import { Decimal } from 'decimal.js';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { positiveRequestedUnits, requestedUnits } from '../../../../src/engine/algorithms/requested-units.ts';

describe('what an author writes', () => {
  test('is read alike as a text and as a Decimal, to the last of ten decimals', () => {
    const digits = fc.tuple(fc.bigInt({ min: 0n, max: 10n ** 25n }), fc.nat(10));
    fc.assert(
      fc.property(digits, ([whole, decimals]) => {
        const exact = whole * 10n ** BigInt(10 - decimals);
        const padded = whole.toString().padStart(decimals + 1, '0');
        const cut = padded.length - decimals;
        const text = decimals === 0 ? padded : `${padded.slice(0, cut)}.${padded.slice(cut)}`;
        expect(requestedUnits(text)).toBe(exact);
        expect(requestedUnits(new Decimal(text))).toBe(exact);
      }),
    );
  });

  test('of few digits is read as a Decimal is, cut below ten decimals', () => {
    const digits = fc.tuple(fc.nat(Number.MAX_SAFE_INTEGER), fc.nat(16), fc.nat(15));
    fc.assert(
      fc.property(digits, ([number, less, decimals]) => {
        const whole = String(Math.floor(number / 10 ** less)).padStart(decimals + 1, '0');
        const cut = whole.length - decimals;
        const text = decimals === 0 ? whole : `${whole.slice(0, cut)}.${whole.slice(cut)}`;
        expect(requestedUnits(text)).toBe(requestedUnits(new Decimal(text)));
      }),
      { numRuns: 2_000 },
    );
  });

  test.each(['.5', '5.', '1.2.3', '.', '1 '])(
    'is read in the plain form alone, or as a Decimal: %s',
    (text) => {
      const read = (): bigint => BigInt(new Decimal(text).toFixed(10).replace('.', ''));
      let expected: bigint | null = null;
      try {
        expected = read();
      } catch {
        expected = null;
      }
      expect(requestedUnits(text)).toBe(expected);
    },
  );

  test.each([
    ['1.23456789019', 12_345_678_901n],
    ['1e30', 10n ** 40n],
    [0.1 + 0.2, 3_000_000_000n],
    [5, 50_000_000_000n],
    ['1e-3', 10_000_000n],
    ['0.00000000019999', 1n],
    ['12.123456789099999', 121_234_567_890n],
    ['+5', 50_000_000_000n],
    ['007', 70_000_000_000n],
    ['0.0', 0n],
    ['-0', 0n],
  ])('is %s', (text, units) => {
    expect(requestedUnits(text)).toBe(units);
  });

  test.each(['-1', 'NaN', 'Infinity', '', 'one', '1e31', '1,5', Number.NaN, Infinity, -1])(
    'is nothing: %s',
    (text) => {
      expect(requestedUnits(text)).toBeNull();
    },
  );

  test.each(['0', '0.00000000001', '-1'])('is not positive: %s', (text) => {
    expect(positiveRequestedUnits(text)).toBeNull();
  });
});
