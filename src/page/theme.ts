import { computed, effect, signal } from '@preact/signals';

/** Light or dark: as the device has it until the reader chooses, and then as was chosen. */

type Theme = 'auto' | 'light' | 'dark';

const PREFIX = 'sarraf.';

/** A browser may refuse to keep anything, as may a page from a file; a page works without. */
export function readPreference(name: string): string | null {
  try {
    return localStorage.getItem(PREFIX + name);
  } catch {
    return null;
  }
}

export function storePreference(name: string, value: string): void {
  try {
    localStorage.setItem(PREFIX + name, value);
  } catch {
    // It is chosen for this visit only.
  }
}

/** The preference of a name, where it is one of those that a page knows. */
export function preferenceOf<Value extends string>(name: string, allowed: readonly Value[]): Value | null {
  const stored = readPreference(name);
  return allowed.find((each) => each === stored) ?? null;
}

const theme = signal<Theme>(preferenceOf<Theme>('theme', ['auto', 'light', 'dark']) ?? 'auto');

export function chooseTheme(wanted: Theme): void {
  theme.value = wanted;
  storePreference('theme', wanted);
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

/** A colour, or another value, of the style sheet, which a canvas can not read by itself. */
export function colour(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}
