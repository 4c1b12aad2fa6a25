import { formatDecimal, type DecimalStyle } from './format-number.ts';
import { isolateLeftToRight } from './isolate.ts';
import { localeOf, type Language, type Locale, type RialUnit } from './locale.ts';

/** Code of the rial at the exchange; amounts in files and in the API are in rial. */
const RIAL = 'rls';

/** Usual decimals of a currency; coins show up to eight. */
const DECIMALS: Readonly<Record<string, number>> = { rls: 0, usdt: 2 };
const COIN_DECIMALS = 8;

const UNIT_NAMES: Readonly<Record<Language, Readonly<Record<string, string>>>> = {
  en: { rial: 'rial', toman: 'toman' },
  fa: { rial: 'ریال', toman: 'تومان', usdt: 'تتر' },
};

/** Returns a decimal text divided by ten: only its point moves. */
function tenthOf(text: string): string {
  const [, sign = '', whole = '0', part = ''] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(text) ?? [];
  const digits = whole.padStart(2, '0');
  return `${sign}${digits.slice(0, -1)}.${digits.slice(-1)}${part}`;
}

/** Returns the name of a currency as written after a number: `toman`, `ریال`, `BTC`. */
export function unitName(currency: string, { language, rialUnit }: Locale): string {
  const unit = currency === RIAL ? rialUnit : currency;
  const name = UNIT_NAMES[language][unit];
  if (name !== undefined) return name;
  return language === 'fa' ? isolateLeftToRight(unit.toUpperCase()) : unit.toUpperCase();
}

/** Writes an amount in the unit that is shown, without the unit's name. */
export function formatUnit(
  amount: string,
  currency: string,
  locale: Locale,
  style: DecimalStyle = {},
): string {
  const isToman = currency === RIAL && locale.rialUnit === 'toman';
  return formatDecimal(locale.language, isToman ? tenthOf(amount) : amount, style);
}

/**
 * Writes money for people with its unit, from a decimal text in the currency's own unit: `12,345 rial`,
 * `۱٬۲۳۴٫۵ تومان`. It is rounded to the usual decimals of the currency; a toman has one more, for the rial.
 */
export function formatMoney(
  amount: string,
  currency: string,
  locale: Locale,
  style: DecimalStyle = {},
): string {
  const usual = DECIMALS[currency] ?? COIN_DECIMALS;
  const isToman = currency === RIAL && locale.rialUnit === 'toman';
  const number = formatUnit(amount, currency, locale, { decimals: isToman ? usual + 1 : usual, ...style });
  return withUnit(number, currency, locale);
}

/** Adds the unit to a number, unless the currency is unknown, as for a market that is not read yet. */
const withUnit = (number: string, currency: string, locale: Locale): string =>
  currency === '' ? number : `${number} ${unitName(currency, locale)}`;

/** Writes a price or an amount with all its digits and its unit. */
export const formatExact = (amount: string, currency: string, locale: Locale): string =>
  withUnit(formatUnit(amount, currency, locale), currency, locale);

/**
 * Writes money for a confirmation: rial in both units, whatever is chosen for display; other currencies have
 * only one. It is exact, or rounded to usual decimals if it is an estimate.
 */
export function formatBothUnits(
  amount: string,
  currency: string,
  language: Language,
  { isEstimate = false }: { readonly isEstimate?: boolean } = {},
): string {
  const format = isEstimate ? formatMoney : formatExact;
  const inUnit = (unit: RialUnit): string => format(amount, currency, localeOf(language, unit));
  return currency === RIAL ? `${inUnit('rial')} (${inUnit('toman')})` : inUnit('rial');
}
