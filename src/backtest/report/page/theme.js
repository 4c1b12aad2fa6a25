import { say } from './words.js';

/** Light or dark: as the device has it until the reader chooses, and then as was chosen. */

const THEME_KEY = 'sarraf-report-theme';

/**
 * Sets the theme and wires the switch. `changed` is called after every change.
 * @param {HTMLButtonElement} button
 * @param {() => void} changed
 */
export function startTheme(button, changed) {
  const device = matchMedia('(prefers-color-scheme: dark)');
  /** @type {string | null} */
  let chosen = storedTheme();
  const show = () => {
    const isDark = chosen === null ? device.matches : chosen === 'dark';
    document.documentElement.dataset['theme'] = isDark ? 'dark' : 'light';
    button.textContent = say(isDark ? 'light' : 'dark');
    button.setAttribute('aria-label', say(isDark ? 'toLight' : 'toDark'));
    changed();
  };
  button.addEventListener('click', () => {
    chosen = document.documentElement.dataset['theme'] === 'dark' ? 'light' : 'dark';
    storeTheme(chosen);
    show();
  });
  device.addEventListener('change', show);
  show();
}

/** A page from a file may have no storage. */
function storedTheme() {
  try {
    return localStorage.getItem(THEME_KEY);
  } catch {
    return null;
  }
}

/** @param {string} theme */
function storeTheme(theme) {
  try {
    localStorage.setItem(THEME_KEY, theme);
  } catch {
    // It is chosen for this visit only.
  }
}

/**
 * A colour of the style sheet.
 * @param {string} name
 */
export function colour(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}
