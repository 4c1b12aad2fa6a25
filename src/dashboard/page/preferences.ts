import { computed, signal } from '@preact/signals';
import { localeOf, type Language, type Locale, type RialUnit } from '../../language/locale.ts';
import { storePreference, preferenceOf, readPreference } from '../../page/theme.ts';

/** Preferences of the reader besides the theme, stored in the browser. */

/** Chosen language; null until the reader chooses one or the bot's settings suggest one. */
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

/** Sets the language of the bot's settings if the reader has not chosen one. */
export function suggestLanguage(wanted: Language): void {
  chosenLanguage.value ??= wanted;
}

export function chooseRialUnit(unit: RialUnit): void {
  rialUnit.value = unit;
  storePreference('unit', unit);
}

/** True if the charts of markets show when the conditions of rules were true. */
export const showsConditions = signal(readPreference('conditions') === 'true');

/** Indicators that the reader has added to the charts of markets, such as `ema:20,rsi:14`. */
export const indicators = signal(readPreference('indicators') ?? '');

export function chooseIndicators(wanted: readonly string[]): void {
  indicators.value = wanted.join();
  storePreference('indicators', indicators.value);
}
