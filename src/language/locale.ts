/** Languages that people read; files, logs and the API always use English, rial and UTC. */
export const LANGUAGES = ['en', 'fa'] as const;

export type Language = (typeof LANGUAGES)[number];

/** Calendar in which days are shown. Both use Tehran's clock. */
export type CalendarSystem = 'gregorian' | 'jalali';

/** Unit in which rial are shown. A toman is ten rial. Only texts for people change, and all name the unit. */
export type RialUnit = 'rial' | 'toman';

/** Format of numbers, money and times for one person. */
export interface Locale {
  readonly language: Language;
  readonly calendar: CalendarSystem;
  readonly rialUnit: RialUnit;
}

/** Returns the default format for readers of a language. */
export function localeOf(language: Language, rialUnit: RialUnit = 'rial'): Locale {
  return { language, calendar: language === 'fa' ? 'jalali' : 'gregorian', rialUnit };
}

/** Returns the tag for `Intl` with the digits and plural rules of a language. */
export const intlTag = (language: Language): string =>
  language === 'fa' ? 'fa-IR-u-nu-arabext' : 'en-US-u-nu-latn';

/** English plural noun after a number, perhaps with a word before it and its verb; not `bps` or `s`. */
const COUNTED =
  /^( (?:(?:open|round|more) )?[a-z-]{2,}?[a-z])(ies|(?<=ss|ch|sh|x)es|(?<!s)s)\b(?: (are|were|wait|leave|that follow)\b)?/;
const VERBS_OF_ONE: Readonly<Record<string, string>> = { are: 'is', were: 'was' };

/** Returns English words in the singular, to follow the number 1: ` orders are` is ` order is`. */
export function inSingular(words: string): string {
  return words.replace(COUNTED, (_, noun: string, end: string, verb?: string) => {
    const verbOfOne = verb === undefined ? '' : ` ${VERBS_OF_ONE[verb] ?? `${verb}s`}`;
    return `${noun}${end === 'ies' ? 'y' : ''}${verbOfOne}`;
  });
}
