import { signal } from '@preact/signals';
import { feedSentence } from '../../language/feed-sentences.ts';
import type { SentenceItem } from '../schema/fields.ts';
import { locale } from './preferences.ts';

/** The sentences of the bot in Persian; in English it said them itself. */
type Persian = typeof import('../../language/persian-sentences.ts');
const spoken = signal<Persian | 'awaited' | 'out of reach'>('awaited');
let isAskedFor = false;

/** Loads them when one is to be shown first, since many views have none. */
async function loadSentences(): Promise<void> {
  isAskedFor = true;
  const { dataset } = document.documentElement;
  dataset['sentences'] = 'loading';
  try {
    spoken.value = await import('../../language/persian-sentences.ts');
  } catch {
    // The server is gone, or a newer one has other files: until the page is loaded again, it shows what the
    // bot wrote.
    spoken.value = 'out of reach';
  }
  dataset['sentences'] = 'ended';
}

/**
 * A sentence of the bot in the language of the page; null where it stays as the bot wrote it. It is empty for
 * the moment in which the sentences are loaded, so that no English one flickers.
 */
export function inWords(sentence: SentenceItem | undefined): string | null {
  if (locale.value.language === 'en' || sentence === null || sentence === undefined) return null;
  if (!isAskedFor) void loadSentences();
  const known = spoken.value;
  if (known === 'awaited') return '';
  return known === 'out of reach' ? null : known.inPersian(sentence, locale.value);
}

/** A word that is a name in files, such as the kind of an intent, in the language of the page. */
export function wordFor(area: 'kind' | 'exit' | 'check', name: string): string | null {
  return inWords({ code: `${area}-${name}`, facts: {} });
}

/** Returns the name of polled data, such as `book BTCIRT`, in the language of the page. */
export function feedInWords(feed: string): string | null {
  return inWords(feedSentence(feed));
}
