/** How numbers and times are written on the page. */

/**
 * @param {number} value
 * @param {string} quote
 */
export function moneyOf(value, quote) {
  const digits = quote === 'rls' ? 0 : 2;
  const text = value.toLocaleString('en-US', {
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
  // What is less than a cent is no loss that anybody could read.
  return /^-[0.]+$/.test(text) ? text.slice(1) : text;
}

/**
 * A price with as many digits as its market has.
 * @param {number | string} value
 * @param {number} decimals
 */
export function priceOf(value, decimals) {
  return Number(value).toLocaleString('en-US', {
    minimumFractionDigits: decimals,
    maximumFractionDigits: decimals,
  });
}

/**
 * What was traded, in three digits.
 * @param {number} volume
 */
export function shortVolume(volume) {
  return volume.toLocaleString('en-US', { notation: 'compact', maximumSignificantDigits: 3 });
}

/**
 * A number of any size, in six digits.
 * @param {number} value
 */
export function numberText(value) {
  return value.toLocaleString('en-US', { maximumSignificantDigits: 6 });
}

/** @param {string} amount */
export function amountOf(amount) {
  return Number(amount).toLocaleString('en-US', { maximumFractionDigits: 10 });
}

/** @param {number | null} fraction */
export function percentOf(fraction) {
  return fraction === null ? 'n/a' : `${(fraction * 100).toFixed(2)} %`;
}

/** @param {number} timeMs */
export function timeOfDay(timeMs) {
  return new Date(timeMs).toISOString().slice(0, 16).replace('T', ' ');
}

/** @param {number} lengthMs */
export function lengthOf(lengthMs) {
  if (lengthMs < 0) return 'open';
  const minutes = Math.round(lengthMs / 60_000);
  if (minutes < 60) return minutes === 0 ? `${Math.round(lengthMs / 1000)} s` : `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 24) return minutes % 60 === 0 ? `${hours} h` : `${hours} h ${minutes % 60} min`;
  return hours % 24 === 0 ? `${hours / 24} d` : `${Math.floor(hours / 24)} d ${hours % 24} h`;
}
