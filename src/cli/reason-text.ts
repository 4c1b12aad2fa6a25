import { withReadableNumbers } from '../language/readable-numbers.ts';
import { readSentence } from '../language/read-sentence.ts';

/** A reason as people read it. `--json` has the exact one; words of somebody else stay as they are. */
export function reasonText(reason: string | null): string {
  if (reason === null || readSentence(reason) === null) return reason ?? '';
  return withReadableNumbers(reason);
}
