import { signal } from '@preact/signals';
import type { Language } from '../../language/locale.ts';
import { translateInto, type Translate, type TranslationOf } from '../../language/translate.ts';
import { loadPart } from './page-parts.ts';
import { chooseLanguage, language, locale } from './preferences.ts';
import type { ENGLISH_FURTHER_TEXTS } from './texts/english-further.ts';
import type { ENGLISH_LAB_TEXTS } from './texts/english-lab.ts';
import type { ENGLISH_TEXTS } from './texts/english.ts';
import { feedSentence } from '../../language/feed-sentences.ts';
import type { SentenceItem } from '../schema/fields.ts';

type PageTexts = typeof ENGLISH_TEXTS & typeof ENGLISH_FURTHER_TEXTS & typeof ENGLISH_LAB_TEXTS;

/** Texts of the shown language; null until they are loaded. The page loads no other language. */
const translator = signal<Translate<PageTexts> | null>(null);

/** Text shown if no language at all can be loaded. */
const NO_TEXTS =
  'The page could not be loaded. Please load it again. صفحه بارگذاری نشد. دوباره بارگذاری کنید.';

/** Texts that are loaded when they are first needed, by language. */
type LaterTexts = Readonly<Record<Language, () => Promise<object>>>;

/** Those of them that were needed so far. */
const needed = new Set<LaterTexts>();

/** Loads texts that the page has not needed so far; returns false if that fails. */
export async function loadLaterTexts(part: LaterTexts): Promise<boolean> {
  if ((await loadPart(part[language.value])) === null) return false;
  needed.add(part);
  await loadTexts(language.value);
  return true;
}

const FURTHER_TEXTS = {
  en: async () => (await import('./texts/english-further.ts')).ENGLISH_FURTHER_TEXTS,
  fa: async () => (await import('./texts/persian-further.ts')).PERSIAN_FURTHER_TEXTS,
};

/** Loads a part of the page that is not needed at first, with its texts; null if that fails. */
export async function loadFurtherPart<Part>(load: () => Promise<Part>): Promise<Part | null> {
  const [part, hasFurtherTexts] = await Promise.all([loadPart(load), loadLaterTexts(FURTHER_TEXTS)]);
  return hasFurtherTexts ? part : null;
}

async function textsOf(wanted: Language): Promise<TranslationOf<PageTexts>> {
  const later = Object.assign(
    {},
    ...(await Promise.all([...needed].map(async (part) => part[wanted]()))),
  ) as TranslationOf<PageTexts>;
  if (wanted === 'en') return { ...later, ...(await import('./texts/english.ts')).ENGLISH_TEXTS };
  const { PERSIAN_TEXTS } = await import('./texts/persian.ts');
  await import('./persian-font.ts');
  return { ...later, ...PERSIAN_TEXTS };
}

/** Shows the page in a language; if that cannot be loaded, the page keeps the one that it has. */
export async function loadTexts(wanted: Language): Promise<void> {
  const texts = await loadPart(() => textsOf(wanted));
  // Another language may have been chosen meanwhile.
  if (language.value !== wanted) return;
  const { documentElement } = document;
  if (texts === null) {
    if (hasTexts()) chooseLanguage(wanted === 'fa' ? 'en' : 'fa');
    else document.body.textContent = NO_TEXTS;
    return;
  }
  translator.value = translateInto<PageTexts>(wanted, texts);
  documentElement.lang = wanted;
  documentElement.dir = wanted === 'fa' ? 'rtl' : 'ltr';
}

export const hasTexts = (): boolean => translator.value !== null;

/** Returns the text of a key in the page's language. */
export const t: Translate<PageTexts> = (key, ...values) => translator.value?.(key, ...values) ?? '';

export type TextKey = keyof PageTexts;

/** Returns the text of any key that needs no values. */
export const textOf = (key: TextKey): string => t(key as 'column.state');

/** Persian sentences of the bot; it writes the English ones itself. */
type Persian = typeof import('../../language/persian-sentences.ts');
const spoken = signal<Persian | 'awaited' | 'out of reach'>('awaited');
let isAskedFor = false;

/** Loads the sentences when one is first shown, since many views have none. */
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
 * Returns a sentence of the bot in the page's language; null if it stays as the bot wrote it. It is empty
 * while the sentences load, so that no English text flashes.
 */
export function inWords(sentence: SentenceItem | undefined): string | null {
  if (locale.value.language === 'en' || sentence === null || sentence === undefined) return null;
  if (!isAskedFor) void loadSentences();
  const known = spoken.value;
  if (known === 'awaited') return '';
  return known === 'out of reach' ? null : known.inPersian(sentence, locale.value);
}

/** Returns the word for a name from the code, such as the kind of an intent, in the page's language. */
export function wordFor(area: 'kind' | 'exit' | 'check' | 'lock-name', name: string): string | null {
  return inWords({ code: `${area}-${name}`, facts: {} });
}

/** Returns the name of polled data, such as `book BTCIRT`, in the language of the page. */
export function feedInWords(feed: string): string | null {
  return inWords(feedSentence(feed));
}
