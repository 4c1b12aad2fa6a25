import { factsOf, type Fact } from '../language/fact.ts';
import type { ENGLISH_WARNINGS } from './report/texts/english-warnings.ts';

/** Warning for the reader of the figures of a run, independent of language. */
export type RunWarning = Fact<keyof typeof ENGLISH_WARNINGS>;

/** Makes one. */
export const runWarning = factsOf<typeof ENGLISH_WARNINGS>();

/** Several one after the other in one sentence, such as `A and B`; there is at least one. */
export function joinedBy(
  key: 'warning.and' | 'warning.then',
  [first, ...others]: readonly [RunWarning, ...RunWarning[]],
): RunWarning {
  return others.reduce((one, other) => runWarning(key, { one, other }), first);
}
