import { NO_UNITS, type Units } from '../../domain/money.ts';
import { divideDown } from '../../domain/rounding.ts';

/**
 * An amount in whole steps shared out by weights, so that the parts add up to it: each gets its share rounded
 * down, and what is left goes a step each to the largest remainders, of equal ones to the first. `weights`
 * are from 0 on and one of them is above 0; what has no weight gets nothing.
 */
export function sharedOut(amount: Units, weights: readonly bigint[], step: bigint): readonly Units[] {
  const steps = divideDown(amount, step);
  const whole = weights.reduce((sum, weight) => sum + weight, 0n);
  const shares = weights.map((weight, index) => {
    const exact = steps * weight;
    return { index, steps: divideDown(exact, whole), remainder: exact % whole };
  });
  let left = steps - shares.reduce((sum, share) => sum + share.steps, 0n);
  const parts: Units[] = shares.map((share) => (share.steps * step) as Units);
  const byRemainder = shares.toSorted((one, other) =>
    one.remainder === other.remainder ? one.index - other.index : one.remainder > other.remainder ? -1 : 1,
  );
  for (const { index } of byRemainder) {
    if (left === 0n) break;
    parts[index] = ((parts[index] ?? NO_UNITS) + step) as Units;
    left -= 1n;
  }
  return parts;
}
