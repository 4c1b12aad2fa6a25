/** The longest id of a signal. */
export const LONGEST_SIGNAL_ID = 64;

const ID = new RegExp(`^[\\w.:-]{1,${LONGEST_SIGNAL_ID}}$`);

/** Whether a text can be the id of a signal: a word that any file and address can hold. */
export function isSignalId(id: unknown): id is string {
  return typeof id === 'string' && ID.test(id);
}
