/** In deviations: less than 1e-18 is left beyond it. */
const TABLE_END = 9;
const PER_UNIT = 256;
const ROOT_OF_TWO_PI = Math.sqrt(2 * Math.PI);

/** Below it the series is exact, from there on the fraction. */
const SERIES_END = 3;
/** Levels of the continued fraction: from 3 deviations on, more of them change no digit. */
const LEVELS = 60;

/**
 * The share of a standard normal distribution above `z`, from 0 on, to 13 digits: by the series around 0,
 * and by the continued fraction far from it (M. Abramowitz and I. Stegun, "Handbook of Mathematical
 * Functions", 26.2.11 and 26.2.14).
 */
function exactTail(z: number): number {
  const density = Math.exp((-z * z) / 2) / ROOT_OF_TWO_PI;
  if (z >= SERIES_END) {
    let fraction = z;
    for (let level = LEVELS; level > 0; level -= 1) fraction = z + level / fraction;
    return density / fraction;
  }
  let [sum, term] = [z, z];
  for (let odd = 3; term > sum * Number.EPSILON; odd += 2) {
    term *= (z * z) / odd;
    sum += term;
  }
  return 0.5 - density * sum;
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
 * The share of a standard normal distribution below `z`. Between the places of a table it is a cubic that
 * has their values and slopes: right to 1e-12, in a tenth of the time. Beyond 9 deviations it is 0 or 1.
 * `normalCdf` of the statistics is exact, and too slow for a sampler, which asks thousands of times a
 * trial.
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

/** Returns the value below which the share is `share`, above 0 and below 1, by bisection. */
export function gaussianQuantile(share: number): number {
  let [low, high] = [-TABLE_END, TABLE_END];
  for (let halving = 0; halving < HALVINGS; halving += 1) {
    const middle = (low + high) / 2;
    if (gaussianCdf(middle) < share) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}
