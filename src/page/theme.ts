import { computed, effect, signal } from '@preact/signals';

/** Theme: that of the device, until the reader chooses one. */

type Theme = 'auto' | 'light' | 'dark';

const PREFIX = 'sarraf.';

/** Reads a preference; null if none is stored or the browser refuses storage, as for a local file. */
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
    // The preference holds for this visit only.
  }
}

/** Returns a stored preference if its value is allowed; else null. */
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

/** True if the page is dark now; charts need to know it. */
export const isDark = computed(() => (theme.value === 'auto' ? isScreenDark.value : theme.value === 'dark'));

effect(() => {
  document.documentElement.dataset['theme'] = isDark.value ? 'dark' : 'light';
});

/** Reads a colour or another value of the style sheet, for a canvas, which cannot use style sheets. */
export function colour(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}

/** Returns the colours and the font of a chart, as the theme has them now. */
export const chartColours = () => ({
  text: colour('muted'),
  line: colour('line'),
  surface: colour('surface'),
  accent: colour('accent'),
  up: colour('good'),
  down: colour('bad'),
  series: ['accent', 'series-2', 'series-3', 'series-4', 'series-5'].map(colour),
  font: colour('font'),
});
