import { computed, effect, signal } from '@preact/signals';
import { localeOf, type Language, type Locale, type RialUnit } from '../../language/locale.ts';

/** A person's choices for this page. They stay in the browser. */

type Theme = 'auto' | 'light' | 'dark';

const PREFIX = 'sarraf.';

/** A browser may refuse to keep anything; the page works without. */
export function readPreference(name: string): string | null {
  try {
    return localStorage.getItem(PREFIX + name);
  } catch {
    return null;
  }
}

export function keepPreference(name: string, value: string): void {
  try {
    localStorage.setItem(PREFIX + name, value);
  } catch {
    // The next visit begins with the language of the bot's settings.
  }
}

function oneOf<Value extends string>(value: string | null, allowed: readonly Value[]): Value | null {
  return allowed.find((each) => each === value) ?? null;
}

const keptLanguage = oneOf<Language>(readPreference('language'), ['en', 'fa']);

/** Null until the person or the settings of the bot have said one. */
const chosenLanguage = signal<Language | null>(keptLanguage);
export const language = computed<Language>(
  () => chosenLanguage.value ?? (navigator.language.startsWith('fa') ? 'fa' : 'en'),
);
export const rialUnit = signal<RialUnit>(oneOf(readPreference('unit'), ['rial', 'toman']) ?? 'rial');
const theme = signal<Theme>(oneOf(readPreference('theme'), ['auto', 'light', 'dark']) ?? 'auto');
export const locale = computed<Locale>(() => localeOf(language.value, rialUnit.value));

export function chooseLanguage(wanted: Language): void {
  chosenLanguage.value = wanted;
  keepPreference('language', wanted);
}

/** The language of the bot's settings, for a person who has not chosen one. */
export function suggestLanguage(wanted: Language): void {
  chosenLanguage.value ??= wanted;
}

export function chooseRialUnit(unit: RialUnit): void {
  rialUnit.value = unit;
  keepPreference('unit', unit);
}

export function chooseTheme(wanted: Theme): void {
  theme.value = wanted;
  keepPreference('theme', wanted);
}

const darkScreen = matchMedia('(prefers-color-scheme: dark)');
const isScreenDark = signal(darkScreen.matches);
darkScreen.addEventListener('change', () => {
  isScreenDark.value = darkScreen.matches;
});

/** True if the page is dark now, which charts must know. */
export const isDark = computed(() => (theme.value === 'auto' ? isScreenDark.value : theme.value === 'dark'));

effect(() => {
  document.documentElement.dataset['theme'] = isDark.value ? 'dark' : 'light';
});
