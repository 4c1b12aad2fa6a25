import { InvalidSample, type Estimate } from '../../statistics/estimate.ts';
import { said, type StudyFinding } from '../study-fact.ts';

/** Result of a test of a study, or the reason it was not made: the value expected and the value found. */
export type Tested<Value> =
  | { readonly kind: 'tested'; readonly value: Value }
  | { readonly kind: 'not tested'; readonly message: StudyFinding };

export function notTested(message: StudyFinding): Tested<never> {
  return { kind: 'not tested', message };
}

/**
 * An estimate as a study shows it. Returns that are no sample, such as those that compound to more money than
 * there is, are said in words: a study is shown whatever its trials earned.
 */
export function tested<Value>(estimate: () => Estimate<Value>): Tested<Value> {
  try {
    const made = estimate();
    return made.kind === 'known' ? { kind: 'tested', value: made.value } : notTested(made.lack);
  } catch (error) {
    if (error instanceof InvalidSample) return notTested(error.lack ?? said(error.message));
    throw error;
  }
}

/** The value, or null where it was not tested. */
export function valueOf<Value>(of: Tested<Value>): Value | null {
  return of.kind === 'tested' ? of.value : null;
}
