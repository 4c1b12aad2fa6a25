/** Output: as JSON.parse gives it, except that some numbers are text. */
type ExactJson = unknown;

/**
 * A number outside a string that a float may change, or that was not written as a plain integer. May also
 * match inside strings.
 */
const RISKY_NUMBER = /(?:^|[:,[])\s*-?(?:\d+[.eE]|\d{16})/;

/** The third argument of a reviver, which the language library does not declare yet. */
interface ReviverContext {
  readonly source?: string;
}

/**
 * The one name that means an object's prototype wherever it is assigned. Also matches inside strings, and
 * every escaped underscore.
 */
const PROTOTYPE_NAME = /__proto__|\\u005f/i;

function exactNumber(key: string, value: unknown, context?: ReviverContext): unknown {
  // A reviver that answers undefined removes the field.
  if (key === '__proto__') return undefined;
  if (typeof value !== 'number' || context?.source === undefined) return value;
  return Number.isSafeInteger(value) && String(value) === context.source ? value : context.source;
}

/**
 * Parses JSON without losing a digit: a bare number that is not a plain safe integer comes as its source
 * text, to be read as a decimal. Fields named `__proto__` are left out, at every depth: only an attack sends
 * one.
 * @throws SyntaxError as JSON.parse does.
 */
export function parseJson(text: string): ExactJson {
  // The reviver visits every value; most replies hold their decimals as strings and can do without.
  return RISKY_NUMBER.test(text) || PROTOTYPE_NAME.test(text)
    ? JSON.parse(text, exactNumber)
    : JSON.parse(text);
}
