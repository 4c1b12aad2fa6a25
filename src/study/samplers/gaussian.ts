/** In deviations: less than 1e-18 is left beyond it. */
const TABLE_END = 9;
const PER_UNIT = 256;
const ROOT_OF_TWO_PI = Math.sqrt(2 * Math.PI);

const ABOVE = [
  3.52624965998911e-2, 0.700383064443688, 6.37396220353165, 33.912866078383, 112.079291497871,
  221.213596169931, 220.206867912376,
];
const BELOW = [
  8.83883476483184e-2, 1.75566716318264, 16.064177579207, 86.7807322029461, 296.564248779674,
  637.333633378831, 793.826512519948, 440.413735824752,
];

/**
 * The share of a standard normal distribution above `z`, from 0 on, to 13 digits, and to 8 beyond 7
 * deviations: J. Hart's approximation as G. West gives it ("Better approximations to cumulative normal
 * functions", Wilmott 2005).
 */
function exactTail(z: number): number {
  const factor =
    z < 7.07106781186547
      ? polynomial(ABOVE, z) / polynomial(BELOW, z)
      : 1 / (z + 1 / (z + 2 / (z + 3 / (z + 4 / (z + 0.65))))) / ROOT_OF_TWO_PI;
  return Math.exp((-z * z) / 2) * factor;
}

function polynomial(coefficients: readonly number[], at: number): number {
  let sum = 0;
  for (const coefficient of coefficients) sum = sum * at + coefficient;
  return sum;
}

/** Tails at every 256th of a deviation, and how steep they are there. */
const TAILS = Float64Array.from({ length: TABLE_END * PER_UNIT + 2 }, (_, place) =>
  exactTail(place / PER_UNIT),
);
const SLOPES = Float64Array.from(
  { length: TAILS.length },
  (_, place) => -Math.exp(-((place / PER_UNIT) ** 2) / 2) / ROOT_OF_TWO_PI / PER_UNIT,
);

/**
 * The share of a standard normal distribution below `z`. Between the places of a table it is a cubic that has
 * their values and slopes: right to 1e-12, in a
 * tenth of the time. Beyond 9 deviations it is 0 or 1.
 */
export function gaussianCdf(z: number): number {
  const size = Math.abs(z);
  if (size >= TABLE_END) return z > 0 ? 1 : 0;
  const scaled = size * PER_UNIT;
  const place = Math.trunc(scaled);
  const part = scaled - place;
  const [left = 0, right = 0] = [TAILS[place], TAILS[place + 1]];
  const [leftSlope = 0, rightSlope = 0] = [SLOPES[place], SLOPES[place + 1]];
  const fall = left - right;
  const rest = 1 - part;
  const bend = rest * (leftSlope + fall) - part * (rightSlope + fall);
  const tail = rest * left + part * right + part * rest * bend;
  return z > 0 ? 1 - tail : tail;
}

/** The share of a standard normal distribution between two places. */
export function gaussianMass(from: number, to: number): number {
  return from > 0 ? gaussianCdf(-from) - gaussianCdf(-to) : gaussianCdf(to) - gaussianCdf(from);
}

/** Halvings of the interval of a quantile: what is left is below a float's last digits. */
const HALVINGS = 60;

/** Where the share below is `share`, above 0 and below 1, by bisection. */
export function gaussianQuantile(share: number): number {
  let [low, high] = [-TABLE_END, TABLE_END];
  for (let halving = 0; halving < HALVINGS; halving += 1) {
    const middle = (low + high) / 2;
    if (gaussianCdf(middle) < share) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}
