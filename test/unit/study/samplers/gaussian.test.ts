import { expect, test } from 'vitest';
import { gaussianCdf, gaussianMass, gaussianQuantile } from '../../../../src/study/samplers/gaussian.ts';

/** `scipy.stats.norm.cdf`, scipy 1.17.1. */
test.each([
  [-30, 4.906713927147908e-198],
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
  // In the far tail its digits are fewer.
  expect(Math.abs(gaussianCdf(z) / share - 1)).toBeLessThan(z < -7 ? 1e-8 : 1e-13);
  if (share > 1e-12 && share < 0.99) expect(gaussianQuantile(share)).toBeCloseTo(z, 10);
});

test('a mass far from the middle keeps its digits on both sides', () => {
  expect(gaussianMass(8, 9) / 6.219831832e-16).toBeCloseTo(1, 7);
  expect(gaussianMass(-9, -8)).toBe(gaussianMass(8, 9));
});
