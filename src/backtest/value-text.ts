import { durationText } from '../domain/time-text.ts';
import { decimalText } from '../domain/decimal-text.ts';
import type { Currency } from '../domain/market-symbol.ts';
import { groupedText, moneyText as exactMoneyText } from '../domain/money-text.ts';
import { decimalsOf } from '../exchange/market-names.ts';

/** Text shown for a figure without a value. */
const NOTHING = 'n/a';

/** Returns the name of the quote currency as shown to people. */
export function currencyText(quote: Currency): string {
  return quote === 'rls' ? 'rial' : 'USDT';
}

/** Money for people, also of a float that only statistics have. @see exactMoneyText */
export function shownMoney(money: string | number, quote: Currency): string {
  return exactMoneyText(typeof money === 'number' ? decimalText(money.toFixed(2)) : money, decimalsOf(quote));
}

/** A fraction as a percentage with two digits, or fewer where it is large. */
export function percentText(fraction: number | null): string {
  if (fraction === null) return NOTHING;
  const percent = fraction * 100;
  if (Math.abs(percent) >= 1e6) return `${percent.toExponential(1)} %`;
  const digits = Math.abs(percent) >= 1_000 ? 0 : 2;
  return `${groupedText(withoutMinusZero(percent.toFixed(digits)), digits)} %`;
}

/** A statistic with two digits. */
export function numberText(value: number | null): string {
  if (value === null) return NOTHING;
  if (Math.abs(value) >= 1e6) return value.toExponential(2);
  return groupedText(withoutMinusZero(value.toFixed(2)), 2);
}

/** A length of time that may have no value. */
export function spanText(lengthMs: number | null): string {
  return lengthMs === null ? NOTHING : durationText(lengthMs);
}

function withoutMinusZero(text: string): string {
  return /^-0(?:\.0*)?$/.test(text) ? text.slice(1) : text;
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** A text with a capital at its beginning; Persian has none. */
export const capitalized = (text: string): string => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;

/** Text that a page shows as it is, in an element or a quoted attribute. */
export function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}
