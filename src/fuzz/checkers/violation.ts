/** A promise that was broken: which check found it, and what it expected and found. */
export interface Violation {
  readonly check: string;
  readonly message: string;
}

/** Violations of one check that are reported; the rest are counted, for they mostly say the same. */
const MOST_REPORTED = 10;

/** The first violations of a check, and how many more there are. */
export function violationsOf(check: string, messages: readonly string[]): readonly Violation[] {
  const first = messages.slice(0, MOST_REPORTED).map((message) => ({ check, message }));
  const rest = messages.length - first.length;
  return rest === 0 ? first : [...first, { check, message: `${rest} more of these` }];
}
