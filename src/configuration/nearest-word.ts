/** Returns the number of letters to insert, remove or change to turn one word into the other. */
function distance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let index = 1; index <= from.length; index += 1) {
    const next = [index];
    for (let at = 1; at <= to.length; at += 1) {
      const change = (row[at - 1] ?? 0) + (from[index - 1] === to[at - 1] ? 0 : 1);
      next.push(Math.min(change, (row[at] ?? 0) + 1, (next[at - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[to.length] ?? 0;
}

/** Words are compared up to this length: a longer one is no slip of the keyboard. */
const LONGEST_WORD = 60;

/** The word that was probably meant, or null when none is near enough. */
export function nearestWord(word: string, known: readonly string[]): string | null {
  if (word.length > LONGEST_WORD) return null;
  const lower = word.toLowerCase();
  let nearest: string | null = null;
  let least = Math.max(2, Math.floor(word.length / 3)) + 1;
  for (const candidate of known) {
    const found = distance(lower, candidate.toLowerCase());
    if (found < least) [nearest, least] = [candidate, found];
  }
  return nearest;
}
