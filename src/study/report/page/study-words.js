import { isPersian, say } from '../../../backtest/report/page/words.js';

/** Texts of the page of a study. */

/** @typedef {keyof typeof import('../../texts/english-study-page.ts').ENGLISH_STUDY_PAGE} StudyTextKey */

/**
 * The text of a key with its values.
 * @param {StudyTextKey} key
 * @param {Readonly<Record<string, string | number>>} [values]
 */
export function tell(key, values) {
  return say(/** @type {any} */ (key), values);
}

/**
 * A text of a picture. Pictures run from left to right, and so would the words of a Persian sentence.
 * @param {string} text
 */
export function pictureText(text) {
  return isPersian() ? `\u2067${text}\u2069` : text;
}

/**
 * A text without marks of direction, which take no room.
 * @param {string} text
 */
export function plainText(text) {
  return text.replaceAll(/[\u2066-\u2069]/g, '');
}
