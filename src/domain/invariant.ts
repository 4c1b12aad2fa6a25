import { SarrafError } from './errors.ts';

/**
 * Condition that must hold, as a text; or a function that returns the text, for checks made at every order or
 * poll.
 */
type Sentence = string | (() => string);

/**
 * Stops at a broken invariant. The message says what was expected and what was found.
 * @throws SarrafError `INVARIANT`
 */
export function invariant(condition: boolean, message: Sentence): asserts condition {
  if (!condition) throw new SarrafError('INVARIANT', typeof message === 'string' ? message : message());
}

/**
 * A value that can not be missing, such as the element at a place that was looked for before. `what` names
 * it.
 * @throws SarrafError `INVARIANT` where it is missing all the same
 */
export function present<Value>(value: Value, what: Sentence): NonNullable<Value> {
  if (value !== undefined && value !== null) return value;
  throw new SarrafError('INVARIANT', `expected ${typeof what === 'string' ? what : what()}, found nothing`);
}
