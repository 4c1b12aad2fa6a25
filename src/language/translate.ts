import { formatCount } from './format-number.ts';
import { isolateByFirstLetter } from './isolate.ts';
import { inSingular, type Language } from './locale.ts';

/** A text in singular and plural form; `count` chooses the form, by the rules of the language. */
export interface PluralText {
  readonly one: string;
  readonly other: string;
}

/** Texts with places for values: `{count} orders of {market}`. A text with a plural has `{count}`. */
export type Texts = Readonly<Record<string, string | PluralText>>;

/** The same texts in another language; a missing or an additional text does not compile. */
export type TranslationOf<T extends Texts> = { readonly [Key in keyof T]: string | PluralText };

type PlacesIn<T extends string> = T extends `${string}{${infer Place}}${infer Rest}`
  ? Place | PlacesIn<Rest>
  : never;

/** The names of the places of a text. */
export type PlacesOf<T extends string | PluralText> = T extends PluralText
  ? PlacesIn<T['one']> | PlacesIn<T['other']> | 'count'
  : T extends string
    ? PlacesIn<T>
    : never;

type ValueOf<Place> = Place extends 'count' ? number : string | number;

/** Arguments with a value for each place of a text; no arguments if it has none. */
type ValuesOf<T extends string | PluralText> = [PlacesOf<T>] extends [never]
  ? readonly []
  : readonly [{ readonly [Place in PlacesOf<T>]: ValueOf<Place> }];

/** Writes the text of a key with its values. */
export type Translate<T extends Texts> = <Key extends keyof T & string>(
  key: Key,
  ...values: ValuesOf<T[Key]>
) => string;

/** Place of a value, and the words up to the next one. */
const PLACE = /\{(\w+)\}([^{]*)/g;

/**
 * Returns a function that writes texts in a language, with its digits. In Persian each value is isolated, so
 * that an id or an English name does not move the words around it.
 */
export function translateInto<T extends Texts>(language: Language, texts: TranslationOf<T>): Translate<T> {
  const rules = new Intl.PluralRules(language);
  return (key, ...[values]) => {
    const given: Readonly<Record<string, string | number>> = values ?? {};
    const text = texts[key];
    const form =
      typeof text === 'string'
        ? text
        : rules.select(Number(given['count'])) === 'one'
          ? text.one
          : text.other;
    return form.replaceAll(PLACE, (place, name: string, words: string) => {
      const value = given[name];
      if (value === undefined) return place;
      const shown = typeof value === 'number' ? formatCount(language, value) : value;
      if (language === 'en') return shown + (shown === '1' ? inSingular(words) : words);
      return (typeof value === 'number' ? shown : isolateByFirstLetter(value)) + words;
    });
  };
}
