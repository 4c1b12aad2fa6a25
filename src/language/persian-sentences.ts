import { DAY_MS, SECOND_MS, dayOfGregorian } from '../domain/time-text.ts';
import { FEED_IN_PERSIAN } from './feed-sentences.ts';
import { formatLength, formatDecimal, formatShare, numberFormat, readableDecimal } from './format-number.ts';
import { formatExact } from './format-money.ts';
import { formatTime } from './format-time.ts';
import { isolateByFirstLetter, isolateLeftToRight } from './isolate.ts';
import type { Locale } from './locale.ts';
import { API_IN_PERSIAN, BOT_IN_PERSIAN } from './sentences/bot-sentences.ts';
import { CONTROL_IN_PERSIAN, LOCK_IN_PERSIAN } from './sentences/control-sentences.ts';
import type { SentenceCode } from './sentences/english-sentences.ts';
import { INTENT_IN_PERSIAN } from './sentences/intent-sentences.ts';
import { KIND_IN_PERSIAN, WORD_IN_PERSIAN } from './sentences/kind-sentences.ts';
import { ORDER_IN_PERSIAN, REFUSAL_IN_PERSIAN } from './sentences/order-sentences.ts';
import { CHECK_IN_PERSIAN, RISK_IN_PERSIAN } from './sentences/risk-sentences.ts';
import { RULE_IN_PERSIAN } from './rule-sentences.ts';
import { partsOf, type PlaceKind } from './sentences/sentence-places.ts';
import { STRATEGY_IN_PERSIAN, TRADING_IN_PERSIAN } from './sentences/trading-sentences.ts';

/** The bot's sentences in Persian, with the same places as the English ones. */
export const PERSIAN_SENTENCES: Readonly<Record<SentenceCode, string>> = {
  ...WORD_IN_PERSIAN,
  ...KIND_IN_PERSIAN,
  ...CHECK_IN_PERSIAN,
  ...TRADING_IN_PERSIAN,
  ...ORDER_IN_PERSIAN,
  ...REFUSAL_IN_PERSIAN,
  ...RISK_IN_PERSIAN,
  ...INTENT_IN_PERSIAN,
  ...LOCK_IN_PERSIAN,
  ...CONTROL_IN_PERSIAN,
  ...STRATEGY_IN_PERSIAN,
  ...BOT_IN_PERSIAN,
  ...API_IN_PERSIAN,
  ...FEED_IN_PERSIAN,
  ...RULE_IN_PERSIAN,
};

/**
 * Writes a sentence of the bot in Persian. Numbers, money and times follow the reader's settings. Other
 * people's words stay as they are, each isolated. Null if the code is not known here.
 */
export function inPersian({ code, facts }: CodeAndFacts, locale: Locale): string | null {
  if (!isKnown(code)) return null;
  let text = '';
  for (const part of partsOf(PERSIAN_SENTENCES[code])) {
    const piece =
      typeof part === 'string' ? withIslands(part) : factText(facts[part.name], part.kind, locale);
    if (piece === null) return null;
    text += piece;
  }
  return text;
}

/** Matches codes and names of settings, which are isolated in a right-to-left text. */
const LATIN = /[A-Za-z](?:[\w. -]*\w)?/g;

const withIslands = (words: string): string => words.replaceAll(LATIN, (latin) => isolateLeftToRight(latin));

/** A sentence as a program sent it; that program may be newer than this one. */
interface CodeAndFacts {
  readonly code: string;
  readonly facts: Readonly<Record<string, unknown>>;
}

const isKnown = (code: string): code is SentenceCode => Object.hasOwn(PERSIAN_SENTENCES, code);

function factText(fact: unknown, kind: PlaceKind, locale: Locale): string | null {
  if (typeof fact === 'string') return placeText(fact, kind, locale);
  return isSentence(fact) ? inPersian(fact, locale) : null;
}

const isSentence = (fact: unknown): fact is CodeAndFacts =>
  typeof fact === 'object' && fact !== null && 'code' in fact && 'facts' in fact;

function placeText(text: string, kind: PlaceKind, locale: Locale): string {
  const { language } = locale;
  switch (kind) {
    case 'price':
      return text === 'any price' ? 'هر قیمت' : placeText(text, 'money', locale);
    case 'money': {
      const [amount = '', currency = ''] = text.split(' ');
      return formatExact(readableDecimal(amount, currency), currency.toLowerCase(), locale);
    }
    case 'decimal':
    case 'count':
      return formatDecimal(language, readableDecimal(text));
    case 'percent':
      return formatShare(language, Number.parseFloat(text) / 100, { decimals: 4 });
    case 'ms':
      return lengthIn(Number(text), locale);
    case 'length':
      return lengthIn(lengthMsOf(text), locale, 'هرگز');
    case 'time':
      return formatTime(timeIn(text), locale);
    case 'until': {
      const atMs = timeIn(text);
      return atMs === null ? 'تا از سرگیری' : `تا ${formatTime(atMs, locale)}`;
    }
    case 'scope': {
      const [where = '', strategy] = text.split(' for ');
      const place = where === 'all markets' ? 'همهٔ بازارها' : isolateLeftToRight(where);
      return strategy === undefined ? place : `${place} برای ${isolateLeftToRight(strategy)}`;
    }
    case 'lock':
      return inPersian({ code: `lock-name-${text}`, facts: {} }, locale) ?? isolateLeftToRight(text);
    case 'name':
    case 'symbol':
      return isolateLeftToRight(text);
    case 'side':
      return PERSIAN_SENTENCES[text === 'buy' ? 'buy' : 'sell'];
    case 'names':
      return text
        .split(', ')
        .map((name) => isolateLeftToRight(name))
        .join('، ');
    case 'said':
      return /^-?\d+(?:\.\d+)?$/.test(text) ? formatDecimal(language, text) : isolateByFirstLetter(text);
    case 'text':
    case 'sentence':
      return isolateByFirstLetter(text);
  }
}

const ISO = /(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)/;

/** Returns the UTC time in a text, to the second, in ms since 1970; null if there is none. */
function timeIn(text: string): number | null {
  const found = ISO.exec(text);
  if (found === null) return null;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = found.slice(1).map(Number);
  return dayOfGregorian({ year, month, day }) * DAY_MS + ((hour * 60 + minute) * 60 + second) * SECOND_MS;
}

/** Shorter lengths are written with fractions of a second, since limits may be as short. */
const IN_FULL_FROM_MS = 10_000;

function lengthIn(lengthMs: number, { language }: Locale, never = ''): string {
  if (!Number.isFinite(lengthMs)) return never;
  if (lengthMs >= IN_FULL_FROM_MS) return formatLength(language, lengthMs);
  const unit = { style: 'unit', unit: 'second', unitDisplay: 'long', maximumFractionDigits: 3 } as const;
  return numberFormat(language, unit).format(lengthMs / SECOND_MS);
}

const UNITS_MS: Readonly<Record<string, number>> = {
  s: SECOND_MS,
  seconds: SECOND_MS,
  min: 60_000,
  minutes: 60_000,
  h: 3_600_000,
  days: 86_400_000,
};

/** Returns a length such as `4.2 s` in ms; NaN for `never`. */
function lengthMsOf(text: string): number {
  const [count = '', unit = ''] = text.split(' ');
  return Math.round(Number(count) * (UNITS_MS[unit] ?? Number.NaN));
}
