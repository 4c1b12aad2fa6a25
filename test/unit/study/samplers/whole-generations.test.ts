import { expect, test } from 'vitest';
import { wholeGenerations } from '../../../../src/search/proposer.ts';

test.each([
  [50, 1, 50],
  [50, 8, 48],
  [9, 8, 8],
  [6, 40, 40],
  [13, 8, 16],
  // One generation of three is too small.
  [4, 3, 6],
])('%i trials in generations of %i are %i', (trials, generation, expected) => {
  expect(wholeGenerations(trials, { generation, least: 4 })).toBe(expected);
});
