import { describe, expect, it } from 'vitest';
import { linesAddingUpTo } from '../../../src/portfolio/explaining-lines.ts';

function amountsAddingUpTo(difference: bigint, amounts: readonly bigint[]): readonly bigint[] | null {
  const lines = amounts.map((amount) => ({ amount }));
  return linesAddingUpTo(difference, lines)?.map(({ amount }) => amount) ?? null;
}

/** No few of them add up to another few. */
const POWERS = Array.from({ length: 40 }, (_, power) => 3n ** BigInt(power));

describe('a difference is explained', () => {
  it.each([
    ['one line', [50n], 50n],
    ['a withdrawal', [-50n], -50n],
    ['all lines together', [50n, 70n, -20n], 100n],
    ['the newest few', [50n, 70n, 30n], 100n],
    ['the oldest few', [50n, 70n, 30n], 120n],
    ['one of several', [50n, 70n, 30n], 50n],
    ['two of several', [50n, 70n, 30n, 11n], 80n],
    ['deposits with a line of a given-up trade between them', [477n, 36n, 190n, -2_675n], -2_008n],
    ['three of twelve', [1n, 5n, 25n, 125n, 625n, 7n, 49n, 343n, 2_401n, 11n, 121n, 1_331n], 1_961n],
  ])('by %s', (_, lines, difference) => {
    const found = amountsAddingUpTo(difference, lines);
    expect(found?.reduce((sum, amount) => sum + amount, 0n)).toBe(difference);
  });

  it('by lines that came one after the other among many others', () => {
    expect(amountsAddingUpTo(3n ** 20n + 3n ** 21n + 3n ** 22n, POWERS)).toEqual(POWERS.slice(20, 23));
  });

  it('by all lines but one or two, which may be of trades that are still to come', () => {
    const all = POWERS.reduce((sum, amount) => sum + amount, 0n);
    expect(amountsAddingUpTo(all - 3n ** 20n, POWERS)).toHaveLength(39);
    expect(amountsAddingUpTo(all - 3n ** 7n - 3n ** 20n, POWERS)).toHaveLength(38);
  });

  it('by the newest of those that would do, and of these by the fewest', () => {
    expect(amountsAddingUpTo(5n, [5n, 2n, 3n, 0n])).toEqual([2n, 3n, 0n]);
    expect(amountsAddingUpTo(5n, [1n, 4n, 5n])).toEqual([5n]);
  });

  it('by none of them else: of many lines too many sums would fit', () => {
    expect(amountsAddingUpTo(4n, [])).toBeNull();
    expect(amountsAddingUpTo(1n + 27n + 729n, POWERS.slice(0, 13))).toBeNull();
  });
});
