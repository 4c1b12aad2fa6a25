import { SarrafError } from '../domain/errors.ts';

/** Longest state as JSON, about; more is a mistake of the strategy's. */
const MOST_CHARACTERS = 1_000_000;

/** Greatest depth of a state: one that holds itself has no end. */
const DEEPEST = 50;

/**
 * Holds a state to plain JSON, so that what can not be stored is found now and not at a restart, and freezes
 * it: a change in place would be lost, and so it is an error where it is made.
 * @throws SarrafError `INVALID_STRATEGY` when anything in it would come back as something else: a Decimal, a
 * Date, a Map, undefined, NaN.
 */
export function checkState(state: unknown): void {
  const characters = sizeOf(state, '', 0, 0);
  if (characters > MOST_CHARACTERS) throw tooLong();
}

/**
 * The characters of what was counted so far and of this value: at least what they are as JSON without
 * escapes.
 */
function sizeOf(value: unknown, key: string, depth: number, before: number): number {
  if (value === null || typeof value === 'boolean') return before + 4;
  if (typeof value === 'string') return before + value.length + 2;
  if (typeof value === 'number' && Number.isFinite(value)) return before + 1;
  if (typeof value !== 'object') throw notJson(value, key);
  if (depth > DEEPEST)
    throw new SarrafError('INVALID_STRATEGY', `expected a state at most ${DEEPEST} levels deep`);
  let characters = before + 2;
  // What is frozen already is looked into all the same: an author may freeze what is no JSON.
  if (Array.isArray(value)) {
    const entries: readonly unknown[] = value;
    for (const entry of entries) characters = next(entry, key, depth, characters);
  } else {
    const prototype: unknown = Object.getPrototypeOf(value);
    if (prototype !== Object.prototype && prototype !== null) throw notJson(value, key);
    const fields = value as Readonly<Record<string, unknown>>;
    for (const name of Object.keys(fields)) {
      characters = next(fields[name], name, depth, characters + name.length + 3);
    }
  }
  Object.freeze(value);
  return characters;
}

function next(value: unknown, key: string, depth: number, before: number): number {
  if (before > MOST_CHARACTERS) throw tooLong();
  return sizeOf(value, key, depth + 1, before + 1);
}

function tooLong(): SarrafError {
  return new SarrafError(
    'INVALID_STRATEGY',
    `expected a state of at most ${MOST_CHARACTERS} characters of JSON`,
  );
}

function notJson(value: unknown, key: string): SarrafError {
  const place = key === '' ? 'the state itself' : JSON.stringify(key);
  return new SarrafError(
    'INVALID_STRATEGY',
    `expected a state of plain JSON, was ${kindOf(value)} at ${place}`,
  );
}

function kindOf(value: unknown): string {
  if (typeof value === 'number') return String(value);
  if (typeof value !== 'object' || value === null) return typeof value;
  return value.constructor?.name ?? 'object';
}
