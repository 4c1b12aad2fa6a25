/** Beyond it a normal distribution has nothing left that a float could show. */
const FARTHEST = 37;
const ROOT_OF_TWO_PI = 2.506628274631;

const ABOVE = [
  3.52624965998911e-2, 0.700383064443688, 6.37396220353165, 33.912866078383, 112.079291497871,
  221.213596169931, 220.206867912376,
];
const BELOW = [
  8.83883476483184e-2, 1.75566716318264, 16.064177579207, 86.7807322029461, 296.564248779674,
  637.333633378831, 793.826512519948, 440.413735824752,
];

/**
 * The share of a standard normal distribution below `z`, to 13 digits, and to 8 beyond 7 deviations: J. Hart's
 * approximation as G. West gives it ("Better approximations to cumulative normal functions", Wilmott 2005).
 */
export function gaussianCdf(z: number): number {
  const size = Math.abs(z);
  const tail = size > FARTHEST ? 0 : Math.exp((-size * size) / 2) * tailFactor(size);
  return z > 0 ? 1 - tail : tail;
}

function tailFactor(size: number): number {
  if (size < 7.07106781186547) return polynomial(ABOVE, size) / polynomial(BELOW, size);
  const fraction = size + 1 / (size + 2 / (size + 3 / (size + 4 / (size + 0.65))));
  return 1 / fraction / ROOT_OF_TWO_PI;
}

function polynomial(coefficients: readonly number[], at: number): number {
  let sum = 0;
  for (const coefficient of coefficients) sum = sum * at + coefficient;
  return sum;
}

/** The share of a standard normal distribution between two places; exact in the tails too. */
export function gaussianMass(from: number, to: number): number {
  return from > 0 ? gaussianCdf(-from) - gaussianCdf(-to) : gaussianCdf(to) - gaussianCdf(from);
}

/**
 * Where the share below is `share`, above 0 and below 1: bisection, which is exact and seldom needed. Its 60
 * halvings of 74 leave less than a float's last digit.
 */
export function gaussianQuantile(share: number): number {
  let [low, high] = [-FARTHEST, FARTHEST];
  for (let halving = 0; halving < 60; halving += 1) {
    const middle = (low + high) / 2;
    if (gaussianCdf(middle) < share) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}
