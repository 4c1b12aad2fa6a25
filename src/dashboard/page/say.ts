import { signal } from '@preact/signals';
import type { Language } from '../../language/locale.ts';
import { translateInto, type Translate } from '../../language/translate.ts';
import type { ENGLISH_TEXTS } from './texts/english.ts';

type PageTexts = typeof ENGLISH_TEXTS;

/** Null until the texts of a language are loaded: the page loads only those that are read. */
const translator = signal<Translate<PageTexts> | null>(null);

export async function loadTexts(language: Language): Promise<void> {
  const texts =
    language === 'fa'
      ? (await import('./texts/persian.ts')).PERSIAN_TEXTS
      : (await import('./texts/english.ts')).ENGLISH_TEXTS;
  if (language === 'fa') await import('./persian-font.ts');
  translator.value = translateInto<PageTexts>(language, texts);
  document.documentElement.lang = language;
  document.documentElement.dir = language === 'fa' ? 'rtl' : 'ltr';
}

export const hasTexts = (): boolean => translator.value !== null;

/** The text of a key in the language of the page. */
export const say: Translate<PageTexts> = (key, ...values) => translator.value?.(key, ...values) ?? '';
