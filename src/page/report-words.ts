import { DAY_MS, durationText, secondText } from '../domain/time-text.ts';
import { formatLength, asIsland, numberFormat } from '../language/format-number.ts';
import { unitName } from '../language/format-money.ts';
import { formatMonth, formatTime, type TimeStyle } from '../language/format-time.ts';
import { isolateByFirstLetter, isolateRightToLeft } from '../language/isolate.ts';
import { localeOf, type Language } from '../language/locale.ts';
import { translateInto } from '../language/translate.ts';
import { ENGLISH_PAGE, PERSIAN_PAGE } from './report-texts.ts';

/**
 * Formats of texts, numbers and times in the charts of a report. English uses UTC, with units in titles;
 * Persian uses Tehran time, Jalali days, and a unit at each number.
 */

export const pageLanguage: Language = document.documentElement.lang === 'fa' ? 'fa' : 'en';
export const isPersian = pageLanguage === 'fa';
const locale = localeOf(pageLanguage);

export const pageText = translateInto<typeof ENGLISH_PAGE>(
  pageLanguage,
  isPersian ? PERSIAN_PAGE : ENGLISH_PAGE,
);

/** Isolates a number within text: in Persian its sign would otherwise move to the right. */
export const asNumber = (text: string): string => asIsland(pageLanguage, text);

/** Isolates right-to-left words, or a number with a word, on an axis or picture, which are left-to-right. */
export const pictureText = (text: string): string => (isPersian ? isolateRightToLeft(text) : text);

/** Isolates a name or a sentence that is English in either language of the page. */
export const foreignText = (text: string): string =>
  isPersian && text !== '' ? isolateByFirstLetter(text) : text;

/** Returns the currency to write after a number; empty in English, where titles name it. */
export const unitAfter = (currency: string): string =>
  isPersian && currency !== '' ? ` ${unitName(currency, locale)}` : '';

/** Formats a number on an axis in the digits of the language. */
export const digitsOf = (value: number, options: Intl.NumberFormatOptions): string =>
  numberFormat(pageLanguage, options).format(value);

/** Formats a number within text in the digits of the language. */
export const shownNumber = (value: number, options: Intl.NumberFormatOptions): string =>
  asNumber(digitsOf(value, options));

/** Formats a number with a fixed number of decimals; a loss that rounds to 0 is shown without a sign. */
export const fixedText = (value: number, decimals: number): string =>
  shownNumber(value, {
    minimumFractionDigits: decimals,
    maximumFractionDigits: decimals,
    signDisplay: 'negative',
  });

export const moneyWithUnit = (value: number, quote: string): string =>
  `${fixedText(value, quote === 'rls' ? 0 : 2)}${unitAfter(quote)}`;

/** Formats a number of any size with six significant digits. */
export const valueText = (value: number): string => shownNumber(value, { maximumSignificantDigits: 6 });

/** Formats a number of percent. */
export function shownPercent(percent: number, decimals: number): string {
  if (!isPersian) return `${percent.toFixed(decimals)} %`;
  const digits = { minimumFractionDigits: decimals, maximumFractionDigits: decimals };
  return shownNumber(percent / 100, { style: 'percent', ...digits });
}

export const shareText = (fraction: number | null): string =>
  fraction === null ? pageText('nothing') : shownPercent(fraction * 100, 2);

export const shownTime = (timeMs: number, style: TimeStyle = 'minute'): string =>
  isPersian
    ? formatTime(timeMs, locale, style)
    : secondText(timeMs).slice(...(style === 'day' ? [0, 10] : [0, 16]));

/** Writes the month that begins at a time. */
export const shownMonth = (fromMs: number): string => formatMonth(fromMs + DAY_MS / 2, locale);

/** Formats a duration by its two largest units; a negative one means that its end is unknown. */
export function shownLength(lengthMs: number): string {
  if (lengthMs < 0) return pageText('open');
  return isPersian ? formatLength(pageLanguage, lengthMs) : durationText(lengthMs);
}
