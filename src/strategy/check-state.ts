import { SarrafError } from '../domain/errors.ts';

/** How long a state may be as JSON; more is a mistake of the strategy's. */
const MOST_CHARACTERS = 1_000_000;

/**
 * The state as JSON gives it back, so that what can not be stored is found now and not at a restart.
 * @throws SarrafError `INVALID_STRATEGY` when anything in it would come back as something else: a Decimal, a Date, a Map, undefined, NaN.
 */
export function checkedState(state: unknown): unknown {
  const text: string | undefined = JSON.stringify(state, function (this: unknown, key: string, converted: unknown) {
    // Before its own `toJSON`: a Decimal would pass as a text and come back without its methods.
    const value =
      typeof this === 'object' && this !== null ? (this as Readonly<Record<string, unknown>>)[key] : converted;
    if (isJson(value)) return value;
    const place = key === '' ? 'the state itself' : JSON.stringify(key);
    throw new SarrafError('INVALID_STRATEGY', `expected a state of plain JSON, was ${kindOf(value)} at ${place}`);
  });
  if (text === undefined || text.length > MOST_CHARACTERS) {
    throw new SarrafError('INVALID_STRATEGY', `expected a state of at most ${MOST_CHARACTERS} characters of JSON`);
  }
  return JSON.parse(text);
}

function isJson(value: unknown): boolean {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return true;
  if (typeof value === 'number') return Number.isFinite(value);
  if (typeof value !== 'object') return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return Array.isArray(value) || prototype === Object.prototype || prototype === null;
}

function kindOf(value: unknown): string {
  if (typeof value === 'number') return String(value);
  if (typeof value !== 'object' || value === null) return typeof value;
  return value.constructor?.name ?? 'object';
}
