import type { Estimate } from '../../../../src/statistics/estimate.ts';

/** The value of an estimate that must have one. */
export function knownValue<Value>(estimate: Estimate<Value>): Value {
  if (estimate.kind === 'unknown') throw new Error(`expected a value, was none: ${estimate.message}`);
  return estimate.value;
}
