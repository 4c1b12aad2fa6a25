import type { Estimate } from '../../../../src/statistics/estimate.ts';

/** Returns the value of an estimate; throws if it has none. */
export function knownValue<Value>(estimate: Estimate<Value>): Value {
  if (estimate.kind === 'unknown') throw new Error(`expected a value, was none: ${estimate.message}`);
  return estimate.value;
}
