import { expect, test } from 'vitest';
import { gaussianCdf, gaussianMass, gaussianQuantile } from '../../../../src/search/proposer.ts';

/** `scipy.stats.norm.cdf`, scipy 1.17.1. */
test.each([
  [-8.5, 9.47953482220325e-18],
  [-7.2, 3.010627981117422e-13],
  [-3, 0.0013498980316300933],
  [-1, 0.15865525393145707],
  [-0.1, 0.460172162722971],
  [0, 0.5],
  [0.5, 0.6914624612740131],
  [2, 0.9772498680518208],
  [6, 0.9999999990134123],
])('the share below %f is %f', (z, share) => {
  // Between the places of the table 12 decimals are right; in the far tail so are 4 digits.
  expect(gaussianCdf(z)).toBeCloseTo(share, 12);
  if (z < -7) expect(gaussianCdf(z) / share).toBeCloseTo(1, 4);
  if (share > 1e-12 && share < 0.99) expect(gaussianQuantile(share)).toBeCloseTo(z, 10);
});

test('a mass far from the middle keeps its digits on both sides', () => {
  expect(gaussianMass(8, 9) / 6.219831832e-16).toBeCloseTo(1, 3);
  expect(gaussianMass(-9, -8)).toBe(gaussianMass(8, 9));
});
