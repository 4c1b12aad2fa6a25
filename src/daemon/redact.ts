import { Redactor } from '../exchange/redactor.ts';
import { Secret } from '../configuration/secret-file.ts';

/** Names of secret values in headers and in logged objects, also with a service's name before them. */
const HIDDEN =
  '(?:authorization|proxy-authorization|cookie|set-cookie|x-totp|(?:[a-z0-9]+-)?(?:key|signature)|api-?secret|(?:api|private|secret)_?key|token|access_?token|' +
  'password|passphrase|secret|totp_?(?:secret)?|one_?time_?password|credentials?)';
const HIDDEN_NAME = new RegExp(`^${HIDDEN}$`, 'i');

/**
 * Matches hidden members in a line of JSON. Fields of a child logger need it: they are written without a call
 * of `redact`.
 */
const HIDDEN_MEMBER = new RegExp(`("${HIDDEN}"):"(?:[^"\\\\]|\\\\.)*"`, 'gi');

const SHOWN = '[secret]';

/** Depth below which parts of a logged object are left out: nothing that is logged on purpose is as deep. */
const DEEPEST = 8;

/**
 * Returns a value without its members that have a hidden name; decimals become texts, as JSON has no larger
 * integers.
 */
export function redact(value: unknown, depth = 0): unknown {
  if (typeof value === 'bigint') return value.toString();
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof Secret) return SHOWN;
  if (depth >= DEEPEST) return '[too deep]';
  if (Array.isArray(value)) return value.map((one) => redact(one, depth + 1));
  if (value instanceof Map) return redact(Object.fromEntries(value), depth);
  // Dates, errors and other classes have their own way to be written.
  if (!isPlain(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [
      name,
      HIDDEN_NAME.test(name) && one !== null ? SHOWN : redact(one, depth + 1),
    ]),
  );
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/**
 * Returns a function that removes from a line of JSON the members with a hidden name, and known secrets in
 * any place, such as in the message of an error.
 */
export function createScrubber(secrets: readonly Secret[]): (line: string) => string {
  const redactor = new Redactor(secrets.map((secret) => secret.reveal()));
  return (line) => redactor.redact(line.replaceAll(HIDDEN_MEMBER, `$1:"${SHOWN}"`));
}
