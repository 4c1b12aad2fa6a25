import { signal } from '@preact/signals';
import type { Language } from '../../language/locale.ts';
import { translateInto, type Translate, type TranslationOf } from '../../language/translate.ts';
import { loadPart } from './page-parts.ts';
import { chooseLanguage, language } from './preferences.ts';
import type { ENGLISH_TEXTS } from './texts/english.ts';

type PageTexts = typeof ENGLISH_TEXTS;

/** Null until the texts of a language are loaded: the page loads only those that are read. */
const translator = signal<Translate<PageTexts> | null>(null);

/** Text shown if no language at all can be loaded. */
const NO_TEXTS =
  'The page could not be loaded. Please load it again. صفحه بارگذاری نشد. دوباره بارگذاری کنید.';

async function textsOf(wanted: Language): Promise<TranslationOf<PageTexts>> {
  if (wanted === 'en') return (await import('./texts/english.ts')).ENGLISH_TEXTS;
  const { PERSIAN_TEXTS } = await import('./texts/persian.ts');
  await import('./persian-font.ts');
  return PERSIAN_TEXTS;
}

/** Shows the page in a language; where that can not be loaded, the page goes on in the one that it has. */
export async function loadTexts(wanted: Language): Promise<void> {
  const texts = await loadPart(() => textsOf(wanted));
  // Another one may have been chosen meanwhile.
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

/** The text of a key in the language of the page. */
export const t: Translate<PageTexts> = (key, ...values) => translator.value?.(key, ...values) ?? '';
