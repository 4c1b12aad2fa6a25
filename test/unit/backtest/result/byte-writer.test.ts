import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ByteWriter } from '../../../../src/backtest/byte-writer.ts';
import { formatUnits, type Units } from '../../../../src/domain/money.ts';
import { written } from './written.ts';

/** Typical numbers: with few digits, with as many as a float has, and at the edges of both. */
const numbers = fc.oneof(
  fc.double(),
  fc.integer(),
  fc.double({ min: 1, max: 20_000, noNaN: true }),
  fc
    .tuple(fc.maxSafeInteger(), fc.integer({ min: 0, max: 15 }))
    .map(([value, decimals]) => value / 10 ** decimals),
  fc.tuple(fc.constantFrom(9, 99, 99_999), fc.integer({ min: 0, max: 20 })).map(([nines, shift]) => {
    const edge = nines + 1;
    return edge - edge * Number.EPSILON * shift;
  }),
);

describe('bytes', () => {
  test('of a number are its shortest decimal', () => {
    fc.assert(
      fc.property(numbers, (value) => {
        expect(written((out) => out.number(value))).toBe(String(value));
      }),
      { numRuns: 1_000 },
    );
  });

  test('of money are its canonical decimal', () => {
    const units = fc.oneof(
      fc.bigInt({ min: -(10n ** 25n), max: 10n ** 25n }),
      fc.maxSafeInteger().map(BigInt),
      fc.integer({ min: 0, max: 900_720 }).map((whole) => BigInt(whole) * 10n ** 10n - 1n),
    );
    fc.assert(
      fc.property(units, (value) => {
        expect(written((out) => out.units(value as Units))).toBe(formatUnits(value));
      }),
      { numRuns: 500 },
    );
  });

  test('of moments are what toISOString has, in any order', () => {
    const moments = fc.array(fc.date({ noInvalidDate: true }), { minLength: 1 });
    fc.assert(
      fc.property(moments, (dates) => {
        const text = written((out) => dates.forEach((date) => out.isoTime(date.getTime())));
        expect(text).toBe(dates.map((date) => date.toISOString()).join(''));
      }),
    );
    expect(() => written((out) => out.isoTime(Number.NaN))).toThrow(RangeError);
  });

  test('of a text are UTF-8, however long it is', () => {
    const texts = [
      '',
      'a',
      'é',
      'تتر',
      '😀',
      'x'.repeat(65_536),
      'y'.repeat(200_000),
      'z'.repeat(65_530),
      'end',
    ];
    const text = written((out) => {
      for (const one of texts) out.text(one);
      out.number(0.1);
    });
    expect(text).toBe(`${texts.join('')}0.1`);
  });

  test('are passed on in pieces of bounded size, without a byte lost between them', () => {
    const sizes: number[] = [];
    const out = new ByteWriter((piece) => sizes.push(piece.length));
    for (let index = 0; index < 50_000; index += 1) out.text('0123456789');
    out.flush();
    out.flush();
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(500_000);
    expect(sizes.length).toBeLessThan(10);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(65_536);
  });
});
