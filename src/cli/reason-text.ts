import { withReadableNumbers } from '../language/readable-numbers.ts';
import { english, sentenceFacts, type Sentence } from '../language/sentence.ts';

/** A reason as people read it. `--json` has the exact one; words of somebody else stay as they are. */
export function reasonText(reason: Sentence | null): string {
  const text = english(reason) ?? '';
  return sentenceFacts(reason) === null ? text : withReadableNumbers(text);
}
