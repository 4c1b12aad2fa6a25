import { isolateByFirstLetter } from './isolate.ts';
import type { Locale } from './locale.ts';
import { PERSIAN_SENTENCES } from './persian-sentences.ts';
import { saySentence } from './say-sentence.ts';
import { readSentence } from './read-sentence.ts';

/**
 * Translates an English text of the bot, the exchange or a person into the reader's language. Only sentences
 * of the bot are translated to Persian: words of somebody else stay, as an island.
 */
export function saidIn(text: string, locale: Locale): string {
  if (locale.language === 'en') return text;
  const facts = readSentence(text);
  const said = facts === null ? null : saySentence(facts, PERSIAN_SENTENCES, locale);
  return said ?? isolateByFirstLetter(text);
}
