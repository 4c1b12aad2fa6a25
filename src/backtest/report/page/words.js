/** Texts of the page in its language, and the digits of numbers. */

/** @typedef {keyof typeof import('../../english-page.ts').ENGLISH_PAGE} TextKey */

/**
 * @typedef {Readonly<Record<string, string>>} Named
 * @typedef {{ readonly language: string, readonly texts: Named, readonly units: Named }} Words
 */

/** @type {Words | null} */
let known = null;

/** What the page carries of its language. */
function words() {
  known ??= JSON.parse(
    document.getElementById('words')?.textContent ?? '{"language":"en","texts":{},"units":{}}',
  );
  return /** @type {Words} */ (known);
}

export function isPersian() {
  return words().language === 'fa';
}

/** The tag by which `Intl` finds digits. */
export function numberTag() {
  return isPersian() ? 'fa-IR-u-nu-arabext' : 'en-US';
}

/**
 * The text of a key with its values.
 * @param {TextKey} key
 * @param {Readonly<Record<string, string | number>>} [values]
 */
export function say(key, values = {}) {
  return (words().texts[key] ?? key).replaceAll(/\{(\w+)\}/g, (place, name) => {
    const value = values[name];
    if (value === undefined) return place;
    if (typeof value === 'number') return wholeNumber(value);
    return isPersian() ? `\u2068${value}\u2069` : value;
  });
}

/** @param {number} value */
function wholeNumber(value) {
  return isPersian() ? asNumber(value.toLocaleString(numberTag())) : String(value);
}

/**
 * In text from right to left a number is an island, so that its sign stays at its left.
 * @param {string} text
 */
export function asNumber(text) {
  return isPersian() ? `\u2066${text}\u2069` : text;
}

/**
 * A number with a word, such as `۹٫۸ میلیارد`, also on an axis, which runs from left to right.
 * @param {string} text
 */
export function asWordedNumber(text) {
  return isPersian() ? `\u2067${text}\u2069` : text;
}

/**
 * A name or a sentence that is in English whatever the language of the page.
 * @param {string} text
 */
export function foreignText(text) {
  return isPersian() && text !== '' ? `\u2068${text}\u2069` : text;
}

/**
 * What a currency is called after a number; nothing in English, where the titles say it.
 * @param {string} currency
 */
export function unitAfter(currency) {
  if (!isPersian() || currency === '') return '';
  return ` ${words().units[currency] ?? foreignText(currency.toUpperCase())}`;
}

const MINUTE_MS = 60_000;
/** @type {Map<string, Intl.DateTimeFormat>} */
const tehranFormats = new Map();

/**
 * A time on Tehran's clock and in the Jalali calendar.
 * @param {number} timeMs
 * @param {Intl.DateTimeFormatOptions} options
 */
function tehranPart(timeMs, options) {
  const key = Object.keys(options).join();
  const format =
    tehranFormats.get(key) ??
    new Intl.DateTimeFormat('fa-IR-u-ca-persian-nu-arabext', {
      timeZone: 'Asia/Tehran',
      hourCycle: 'h23',
      ...options,
    });
  tehranFormats.set(key, format);
  return format.format(timeMs);
}

const DAY = /** @type {const} */ ({ year: 'numeric', month: '2-digit', day: '2-digit' });
const CLOCK = /** @type {const} */ ({ hour: '2-digit', minute: '2-digit' });

/**
 * `۱۴۰۲/۱۰/۱۱ ۱۴:۳۰`.
 * @param {number} timeMs
 */
export function tehranMinute(timeMs) {
  return asNumber(`${tehranPart(timeMs, DAY)} ${tehranPart(timeMs, CLOCK)}`);
}

/**
 * `۱۴۰۲/۱۰/۱۱`.
 * @param {number} timeMs
 */
export function tehranDay(timeMs) {
  return asNumber(tehranPart(timeMs, DAY));
}

/**
 * The label of a tick: the hour within a day, else the whole day, since ticks stand at days of UTC.
 * @param {number} timeMs
 * @param {boolean} isWithinDay
 */
export function tehranTick(timeMs, isWithinDay) {
  return tehranPart(Math.round(timeMs / MINUTE_MS) * MINUTE_MS, isWithinDay ? CLOCK : DAY);
}
