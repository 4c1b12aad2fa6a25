/** Maximum number of characters in the id of a signal. */
const LONGEST_SIGNAL_ID = 64;

/**
 * Rule for the characters and length of an id, as text for people. Tickers of futures have a `!`, such as
 * `ES1!`, and those of shares an `&`.
 */
export const SIGNAL_ID_RULE = `1 to ${LONGEST_SIGNAL_ID} letters, digits and the characters ". : _ - ! &"`;

const ID = new RegExp(`^[\\w.:!&-]{1,${LONGEST_SIGNAL_ID}}$`);

/** True if a value is a valid signal id. */
export function isSignalId(id: unknown): id is string {
  return typeof id === 'string' && ID.test(id);
}
