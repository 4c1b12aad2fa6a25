import { durationText, secondText } from '../domain/time-text.ts';
import { formatLength, asIsland, numberFormat } from '../language/format-number.ts';
import { unitName } from '../language/format-money.ts';
import { formatTime, type TimeStyle } from '../language/format-time.ts';
import { isolateByFirstLetter, isolateRightToLeft } from '../language/isolate.ts';
import { localeOf, type Language } from '../language/locale.ts';
import { translateInto } from '../language/translate.ts';
import { ENGLISH_PAGE, PERSIAN_PAGE } from './report-texts.ts';

/**
 * Format of texts, numbers and times in the charts of a report. English has times in UTC, and units in the
 * titles; Persian has Tehran's clock, Jalali days, and the unit at each number.
 */

export const pageLanguage: Language = document.documentElement.lang === 'fa' ? 'fa' : 'en';
export const isPersian = pageLanguage === 'fa';
const locale = localeOf(pageLanguage);

export const pageText = translateInto<typeof ENGLISH_PAGE>(
  pageLanguage,
  isPersian ? PERSIAN_PAGE : ENGLISH_PAGE,
);

/** A number in text: in Persian an island, so that its sign stays at its left. */
export const asNumber = (text: string): string => asIsland(pageLanguage, text);

/** Words of the page, or a number with a word, on an axis or a picture, which run from left to right. */
export const pictureText = (text: string): string => (isPersian ? isolateRightToLeft(text) : text);

/** A name or a sentence that is in English whatever the language of the page. */
export const foreignText = (text: string): string =>
  isPersian && text !== '' ? isolateByFirstLetter(text) : text;

/** The name of a currency after a number; nothing in English, where the titles have it. */
export const unitAfter = (currency: string): string =>
  isPersian && currency !== '' ? ` ${unitName(currency, locale)}` : '';

/** A number in the digits of the language, alone on an axis. */
export const digitsOf = (value: number, options: Intl.NumberFormatOptions): string =>
  numberFormat(pageLanguage, options).format(value);

/** The same in text. */
export const shownNumber = (value: number, options: Intl.NumberFormatOptions): string =>
  asNumber(digitsOf(value, options));

/** A number with so many decimals: less than half of the last is no loss that anybody could read. */
export const fixedText = (value: number, decimals: number): string =>
  shownNumber(value, {
    minimumFractionDigits: decimals,
    maximumFractionDigits: decimals,
    signDisplay: 'negative',
  });

export const moneyWithUnit = (value: number, quote: string): string =>
  `${fixedText(value, quote === 'rls' ? 0 : 2)}${unitAfter(quote)}`;

/** A number of any size, in six digits. */
export const valueText = (value: number): string => shownNumber(value, { maximumSignificantDigits: 6 });

/** A number of percent. */
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

/** A length of time by its two largest units; below zero nobody knows its end. */
export function shownLength(lengthMs: number): string {
  if (lengthMs < 0) return pageText('open');
  return isPersian ? formatLength(pageLanguage, lengthMs) : durationText(lengthMs);
}
