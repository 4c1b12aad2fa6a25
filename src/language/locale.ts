/** The languages that people read; files, logs and the API are English, rial and UTC whatever is chosen. */
export const LANGUAGES = ['en', 'fa'] as const;

export type Language = (typeof LANGUAGES)[number];

/** In which calendar days are shown. Both show Tehran's clock. */
export type CalendarSystem = 'gregorian' | 'jalali';

/**
 * Unit in which rial are shown. A toman is ten rial. Only texts for people change, and the unit is always
 * written.
 */
export type RialUnit = 'rial' | 'toman';

/** Format of numbers, money and times for one person. */
export interface Locale {
  readonly language: Language;
  readonly calendar: CalendarSystem;
  readonly rialUnit: RialUnit;
}

/** Returns the defaults that readers of a language expect. */
export function localeOf(language: Language, rialUnit: RialUnit = 'rial'): Locale {
  return { language, calendar: language === 'fa' ? 'jalali' : 'gregorian', rialUnit };
}

/** The tag by which `Intl` finds digits and plural rules: Persian digits in Persian. */
export function intlTag(language: Language): string {
  return language === 'fa' ? 'fa-IR-u-nu-arabext' : 'en-US-u-nu-latn';
}
