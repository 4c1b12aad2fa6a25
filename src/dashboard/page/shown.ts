import { signal } from '@preact/signals';
import {
  formatLength,
  formatCount,
  formatDecimal,
  formatShare,
  type DecimalStyle,
} from '../../language/format-number.ts';
import { formatBothUnits, formatExact, formatMoney, unitName } from '../../language/format-money.ts';
import { formatTime, type TimeStyle } from '../../language/format-time.ts';
import { isolateLeftToRight } from '../../language/isolate.ts';
import { SECOND_MS } from '../../domain/time-text.ts';
import { language, locale } from './preferences.ts';
import { t } from './translate.ts';

/** Clock of the browser, updated every second, for ages and countdowns. It stops while the page is hidden. */
export const nowMs = signal(Date.now());

const tick = (): void => {
  if (!document.hidden) nowMs.value = Date.now();
};
setInterval(tick, SECOND_MS);
document.addEventListener('visibilitychange', tick);

export const unitNow = (currency: string): string => unitName(currency, locale.value);

/** Formats of numbers and times: in the page's language, and in the chosen unit of money. */

/** Milliseconds by which the bot's clock is ahead of the browser's. */
export const botAheadMs = signal(0);

export const NONE = '–';

export const showMoney = (amount: string | null, currency: string, style?: DecimalStyle): string =>
  amount === null ? NONE : formatMoney(amount, currency, locale.value, style);

/** Formats a price or an amount without rounding. */
export const showExact = (amount: string | null, currency: string): string =>
  amount === null ? NONE : formatExact(amount, currency, locale.value);

export const showBothUnits = (amount: string, currency: string, isEstimate = false): string =>
  formatBothUnits(amount, currency, language.value, { isEstimate });

export const showNumber = (text: string | null, style?: DecimalStyle): string =>
  text === null ? NONE : formatDecimal(language.value, text, style);

export const showCount = (count: number): string => formatCount(language.value, count);

export const showShare = (share: string | number | null, style?: DecimalStyle): string =>
  share === null ? NONE : formatShare(language.value, Number(share), style);

export const showTime = (atMs: number | null, style?: TimeStyle): string =>
  formatTime(atMs, locale.value, style);

export const showLength = (ms: number): string => formatLength(language.value, ms);

/** Returns the time since an event on the bot's clock, which updates by itself. */
export function showAge(atMs: number | null): string {
  if (atMs === null) return t('never');
  const age = nowMs.value + botAheadMs.value - atMs;
  return t('ago', { length: showLength(Math.max(0, age)) });
}

/** Returns the time until an event, on the bot's clock. */
export const showLeft = (atMs: number): string =>
  showLength(Math.max(0, atMs - nowMs.value - botAheadMs.value));

/** Formats a symbol, a name or an id, which runs left to right in any text. */
export const showName = (name: string): string => (language.value === 'fa' ? isolateLeftToRight(name) : name);

/** Capitalises a heading, since terms begin in lower case. Persian has no capitals. */
export const capitalised = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** Returns the sign of a decimal text: above zero, zero or below. */
export function signOf(text: string | null): -1 | 0 | 1 {
  if (text === null || !/[1-9]/.test(text)) return 0;
  return text.startsWith('-') ? -1 : 1;
}
