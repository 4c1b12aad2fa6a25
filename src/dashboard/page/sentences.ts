import { signal } from '@preact/signals';
import type { Language } from '../../language/locale.ts';
import { saySentence, type SpokenSentences } from '../../language/say-sentence.ts';
import type { SentenceItem } from '../schema/fields.ts';
import { locale } from './preferences.ts';

/** The sentences of the bot in the language that is read; null for English, in which it said them itself. */
const spoken = signal<SpokenSentences | null>(null);

/** They come after the texts of the page, which is shown without waiting for them. */
export async function loadSentences(language: Language): Promise<void> {
  spoken.value =
    language === 'en' ? null : (await import('../../language/persian-sentences.ts')).PERSIAN_SENTENCES;
  document.documentElement.dataset['sentences'] = language;
}

/** A sentence of the bot in the language of the page; null where it stays as the bot wrote it. */
export function inWords(sentence: SentenceItem | undefined): string | null {
  if (spoken.value === null || sentence === null || sentence === undefined) return null;
  return saySentence(sentence, spoken.value, locale.value);
}

/** A word that is a name in files, such as the kind of an intent, in the language of the page. */
export function wordFor(area: 'kind' | 'exit' | 'check', name: string): string | null {
  return inWords({ code: `${area}-${name}`, facts: {} });
}

/** What is read again and again, such as `book BTCIRT`, in the language of the page. */
export function feedInWords(feed: string): string | null {
  const [kind = '', market, timeframe] = feed.split(' ');
  return inWords({
    code: `feed-${kind}`,
    facts: { ...(market === undefined ? {} : { market }), ...(timeframe === undefined ? {} : { timeframe }) },
  });
}
