import { readEnglish } from '../../src/language/read-english.ts';
import { sentenceFacts, type SentenceFacts } from '../../src/language/sentence.ts';

/** Code and figures of what the bot says in English; null for words of somebody else. */
export const factsOfEnglish = (text: string | null): SentenceFacts | null =>
  text === null ? null : sentenceFacts(readEnglish(text));
