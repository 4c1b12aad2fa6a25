import { isFinding } from './study-fact.ts';
import { studyVoice } from './study-voice.ts';

/**
 * Returns the output of commands with `--json`: findings as sentences in English, whatever the reader's
 * language.
 */
export function studyJson(result: unknown): string {
  const { tell } = studyVoice('en');
  return JSON.stringify(result, (_key, value: unknown) => (isFinding(value) ? tell(value) : value));
}
