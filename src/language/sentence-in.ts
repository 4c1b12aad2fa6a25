import { isolateByFirstLetter } from './isolate.ts';
import type { Locale } from './locale.ts';
import { inPersian } from './persian-sentences.ts';
import { english, sentenceFacts, type Sentence, type SentenceFacts } from './sentence.ts';

/**
 * Writes a sentence in the reader's language. Only the bot's sentences are translated to Persian: other
 * people's words stay as they are, isolated. `cleaned` is applied to such words, for channels that need it.
 */
export function sentenceIn(
  sentence: Sentence,
  locale: Locale,
  cleaned = (text: string): string => text,
): string {
  if (locale.language === 'en') return cleaned(english(sentence));
  const facts = sentenceFacts(sentence);
  const persian = facts === null ? null : inPersian(withCleaned(facts, cleaned), locale);
  return persian ?? isolateByFirstLetter(cleaned(english(sentence)));
}

const withCleaned = ({ code, facts }: SentenceFacts, cleaned: (text: string) => string): SentenceFacts => ({
  code,
  facts: Object.fromEntries(
    Object.entries(facts).map(([name, fact]) => [
      name,
      typeof fact === 'string' ? cleaned(fact) : withCleaned(fact, cleaned),
    ]),
  ),
});
