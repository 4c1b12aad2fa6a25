import { isolateByFirstLetter } from './isolate.ts';
import type { Locale } from './locale.ts';
import { inPersian } from './persian-sentences.ts';
import { readSentence } from './read-sentence.ts';

/**
 * Translates an English text of the bot, the exchange or a person into the reader's language. Only sentences
 * of the bot are translated to Persian: words of somebody else stay, as an island.
 */
export function saidIn(text: string, locale: Locale): string {
  if (locale.language === 'en') return text;
  const facts = readSentence(text);
  return (facts === null ? null : inPersian(facts, locale)) ?? isolateByFirstLetter(text);
}
