import { decimalText } from '../../domain/decimal-text.ts';
import type { QuoteCurrency } from '../../domain/market-symbol.ts';
import { groupedText, moneyText as exactMoneyText } from '../../domain/money-text.ts';

/** What stands for a figure without a value. */
const NOTHING = 'n/a';

/** How the quote currency is called before people. */
export function currencyText(quote: QuoteCurrency): string {
  return quote === 'rls' ? 'rial' : 'USDT';
}

/** Money for people, also of a float that only statistics have. @see exactMoneyText */
export function moneyText(money: string | number, quote: QuoteCurrency): string {
  return exactMoneyText(typeof money === 'number' ? decimalText(money.toFixed(2)) : money, quote);
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

/** A length of time by its two largest units: `3 d 4 h`. */
export function durationText(lengthMs: number | null): string {
  if (lengthMs === null) return NOTHING;
  if (lengthMs < 0) return `-${durationText(-lengthMs)}`;
  const seconds = Math.round(lengthMs / 1_000);
  if (seconds === 0) return lengthMs > 0 ? '< 1 s' : '0 s';
  const units: readonly (readonly [string, number])[] = [
    ['d', 86_400],
    ['h', 3_600],
    ['min', 60],
    ['s', 1],
  ];
  const first = units.findIndex(([, size]) => seconds >= size);
  let left = seconds;
  const parts = units.slice(first, first + 2).map(([unit, size]) => {
    const whole = Math.floor(left / size);
    left -= whole * size;
    return whole === 0 ? '' : `${whole} ${unit}`;
  });
  return parts.filter((part) => part !== '').join(' ');
}

/** A time in UTC: the day, and the minute where it is not midnight. */
export function timeText(timeMs: number): string {
  const text = new Date(timeMs).toISOString();
  return text.slice(11, 16) === '00:00' ? text.slice(0, 10) : `${text.slice(0, 10)} ${text.slice(11, 16)}`;
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

/** Text that a page shows as it is, in an element or a quoted attribute. */
export function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}
