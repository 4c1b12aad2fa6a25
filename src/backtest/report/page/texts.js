import { asNumber, asWordedNumber, isPersian, numberTag, say, tehranMinute, unitAfter } from './words.js';

/** How numbers and times are written on the page. */

/**
 * @param {number} value
 * @param {string} quote
 */
export function moneyOf(value, quote) {
  const digits = quote === 'rls' ? 0 : 2;
  const text = value.toLocaleString(numberTag(), {
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
  // What is less than a cent is no loss that anybody could read.
  const isNothing = Number(value.toFixed(digits)) === 0 && value < 0;
  return `${asNumber(isNothing ? (0).toLocaleString(numberTag(), { minimumFractionDigits: digits }) : text)}${unitAfter(quote)}`;
}

/**
 * A price with as many digits as its market has.
 * @param {number | string} value
 * @param {number} decimals
 */
export function priceOf(value, decimals) {
  return asNumber(
    Number(value).toLocaleString(numberTag(), {
      minimumFractionDigits: decimals,
      maximumFractionDigits: decimals,
    }),
  );
}

/**
 * What was traded, in three digits.
 * @param {number} volume
 */
export function shortVolume(volume) {
  const text = volume.toLocaleString(numberTag(), { notation: 'compact', maximumSignificantDigits: 3 });
  return asWordedNumber(text);
}

/**
 * A number of any size, in six digits.
 * @param {number} value
 */
export function numberText(value) {
  return asNumber(value.toLocaleString(numberTag(), { maximumSignificantDigits: 6 }));
}

/** @param {string} amount */
export function amountOf(amount) {
  return asNumber(Number(amount).toLocaleString(numberTag(), { maximumFractionDigits: 10 }));
}

/** @param {number | null} fraction */
export function percentOf(fraction) {
  return fraction === null ? say('nothing') : percentText(fraction * 100, 2);
}

/**
 * A number of percent.
 * @param {number} percent
 * @param {number} decimals
 */
export function percentText(percent, decimals) {
  if (!isPersian()) return `${percent.toFixed(decimals)} %`;
  const digits = { minimumFractionDigits: decimals, maximumFractionDigits: decimals };
  return asNumber((percent / 100).toLocaleString(numberTag(), { style: 'percent', ...digits }));
}

/**
 * A number of percent that is written already.
 * @param {string} number
 */
export function percentTick(number) {
  return isPersian() ? asNumber(`${number}٪`) : `${number} %`;
}

/** @param {number} timeMs */
export function timeOfDay(timeMs) {
  if (isPersian()) return tehranMinute(timeMs);
  return new Date(timeMs).toISOString().slice(0, 16).replace('T', ' ');
}

/** @param {number} lengthMs */
export function lengthOf(lengthMs) {
  if (lengthMs < 0) return say('open');
  const minutes = Math.round(lengthMs / 60_000);
  if (minutes < 60)
    return minutes === 0
      ? say('unit.s', { count: Math.round(lengthMs / 1000) })
      : say('unit.min', { count: minutes });
  const hours = Math.floor(minutes / 60);
  const [whole, part] = hours < 24 ? [hours, minutes % 60] : [Math.floor(hours / 24), hours % 24];
  const larger = say(hours < 24 ? 'unit.h' : 'unit.d', { count: whole });
  if (part === 0) return larger;
  return say('unitPair', { larger, smaller: say(hours < 24 ? 'unit.min' : 'unit.h', { count: part }) });
}
