/**
 * `sum(one[t + lag] other[t])` over all `t` that both have. Four sums side by side: one alone waits for each
 * addition to end before the next. They are declared one by one: numbers out of an array literal stay boxed,
 * which takes three times as long.
 */
export function productSum(one: Float64Array, other: Float64Array, lag = 0): number {
  const count = Math.min(one.length - lag, other.length);
  let first = 0;
  let second = 0;
  let third = 0;
  let fourth = 0;
  let at = 0;
  for (; at + 3 < count; at += 4) {
    first += (one[at + lag] ?? 0) * (other[at] ?? 0);
    second += (one[at + lag + 1] ?? 0) * (other[at + 1] ?? 0);
    third += (one[at + lag + 2] ?? 0) * (other[at + 2] ?? 0);
    fourth += (one[at + lag + 3] ?? 0) * (other[at + 3] ?? 0);
  }
  for (; at < count; at += 1) first += (one[at + lag] ?? 0) * (other[at] ?? 0);
  return first + second + (third + fourth);
}
