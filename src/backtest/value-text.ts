import { decimalText } from '../domain/decimal-text.ts';
import type { Currency } from '../domain/market-symbol.ts';
import { groupedText, moneyText as exactMoneyText } from '../domain/money.ts';
import { decimalsOf } from '../exchange/market-names.ts';
import type { Fact, FactFigure } from '../language/fact.ts';
import type { Sentence } from '../language/sentence.ts';

/** Text shown for a figure without a value. */
const NOTHING = 'n/a';

/** Returns the name of the quote currency as shown to people. */
export function currencyText(quote: Currency): string {
  return quote === 'rls' ? 'rial' : 'USDT';
}

/** Writes money for people; it may be a float from statistics. @see exactMoneyText */
export function shownMoney(money: string | number, quote: Currency): string {
  return exactMoneyText(typeof money === 'number' ? decimalText(money.toFixed(2)) : money, decimalsOf(quote));
}

/** Writes a fraction as a percentage with two decimals, or fewer if it is large. */
export function percentText(fraction: number | null): string {
  if (fraction === null) return NOTHING;
  const percent = fraction * 100;
  if (Math.abs(percent) >= 1e6) return `${percent.toExponential(1)} %`;
  const digits = Math.abs(percent) >= 1_000 ? 0 : 2;
  return `${groupedText(withoutMinusZero(percent.toFixed(digits)), digits)} %`;
}

/** Writes a statistic with two decimals. */
export function numberText(value: number | null): string {
  if (value === null) return NOTHING;
  if (Math.abs(value) >= 1e6) return value.toExponential(2);
  return groupedText(withoutMinusZero(value.toFixed(2)), 2);
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

/** Returns a text with a capital first letter; Persian has none. */
export const capitalized = (text: string): string => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;

/** Escapes text for an element or a quoted attribute of a page. */
export function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}

/** Functions that write figures in a language. */
export interface FactVoice {
  /** Converts a number in English form, such as `12,345.6`, to the digits of the language. */
  readonly digits: (english: string) => string;
  /** Writes a statistic; null has no value. */
  readonly number: (value: number | null) => string;
  readonly percent: (fraction: number | null) => string;
  /** Writes a currency within a sentence; English uses its code. */
  readonly asset: (currency: string) => string;
  readonly minute: (atMs: number) => string;
  readonly length: (lengthMs: number) => string;
  /** Writes a length of time; in English with one unit only. */
  readonly about: (lengthMs: number) => string;
  /** Joins texts into a list. */
  readonly list: (texts: readonly string[]) => string;
  /** Writes the reason of a refusal or a lock; text from others is unchanged. */
  readonly words: (text: Sentence) => string;
}

/** Functions that express a fact in a language: its texts, names and numbers. */
export interface FactFormatter extends FactVoice {
  /** Returns the text of a key with its values, which were checked when the fact was made. */
  readonly anyText: (key: string, values: Readonly<Record<string, string | number>>) => string;
  readonly metric: (name: string) => string;
}

/** Writes a fact as a sentence. A fact with the key `sentence` begins with a capital. */
export function factText({ fact, figures }: Fact, formatter: FactFormatter): string {
  const values = Object.entries(figures).map(
    ([place, figure]) => [place, textOf(figure, formatter)] as const,
  );
  const text = formatter.anyText(fact, Object.fromEntries(values));
  return fact === 'sentence' ? capitalized(text) : text;
}

function textOf(figure: FactFigure, formatter: FactFormatter): string | number {
  if (typeof figure === 'number') return figure;
  // Older files have some figures as words, such as `0.1 %`.
  if (typeof figure === 'string') return /[a-z]/i.test(figure) ? figure : formatter.digits(figure);
  if (isList(figure)) return formatter.list(figure.map((one) => String(textOf(one, formatter))));
  if ('fact' in figure) return factText(figure, formatter);
  if ('digits' in figure) return formatter.digits(figure.digits);
  if ('value' in figure) return formatter.number(figure.value);
  if ('share' in figure) return formatter.percent(figure.share);
  if ('atMs' in figure) return formatter.minute(figure.atMs);
  if ('currency' in figure) return formatter.asset(figure.currency);
  if ('lengthMs' in figure) return formatter.length(figure.lengthMs);
  if ('aboutMs' in figure) return formatter.about(figure.aboutMs);
  return 'said' in figure ? formatter.words(figure.said) : formatter.metric(figure.metric);
}

const isList = (figure: FactFigure): figure is readonly FactFigure[] => Array.isArray(figure);
