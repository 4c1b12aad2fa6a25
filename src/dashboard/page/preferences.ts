import { computed, signal } from '@preact/signals';
import { localeOf, type Language, type Locale, type RialUnit } from '../../language/locale.ts';
import { storePreference, preferenceOf } from '../../page/theme.ts';

/** A person's choices for this page, beside the theme. They stay in the browser. */

/** Null until the person or the settings of the bot have said one. */
const chosenLanguage = signal(preferenceOf<Language>('language', ['en', 'fa']));
export const language = computed<Language>(
  () => chosenLanguage.value ?? (navigator.language.startsWith('fa') ? 'fa' : 'en'),
);
export const rialUnit = signal(preferenceOf<RialUnit>('unit', ['rial', 'toman']) ?? 'rial');
export const locale = computed<Locale>(() => localeOf(language.value, rialUnit.value));

export function chooseLanguage(wanted: Language): void {
  chosenLanguage.value = wanted;
  storePreference('language', wanted);
}

/** The language of the bot's settings, for a person who has not chosen one. */
export function suggestLanguage(wanted: Language): void {
  chosenLanguage.value ??= wanted;
}

export function chooseRialUnit(unit: RialUnit): void {
  rialUnit.value = unit;
  storePreference('unit', unit);
}
