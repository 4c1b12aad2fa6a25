import { DAY_MS, SECOND_MS } from '../domain/durations.ts';
import { dayOfGregorian } from '../domain/calendar-day.ts';
import { formatLength } from './format-length.ts';
import { formatExact } from './format-money.ts';
import { formatDecimal, formatShare, numberFormat } from './format-number.ts';
import { formatTime } from './format-time.ts';
import { isolateByFirstLetter, isolateLeftToRight } from './isolate.ts';
import type { Locale } from './locale.ts';
import { readableDecimal } from './readable-numbers.ts';
import { partsOf, type PlaceKind } from './sentences/sentence-places.ts';
import type { SentenceCode } from './sentences/english-sentences.ts';

/** The sentences of a language by their codes, and the few words that its places need. */
export interface SpokenSentences {
  readonly sentences: { readonly [Code in SentenceCode]: string };
  readonly words: {
    readonly allMarkets: string;
    readonly anyPrice: string;
    readonly scope: (where: string, strategy: string) => string;
    readonly until: (time: string) => string;
    readonly untilResumed: string;
    readonly never: string;
    readonly comma: string;
  };
}

/**
 * Says a sentence of the bot in another language than English. Numbers, money and times are written as the
 * reader wants them; words of somebody else stay as they are, each an island of direction. Null where its
 * code is not known here.
 */
export function saySentence(
  { code, facts }: CodeAndFacts,
  spoken: SpokenSentences,
  locale: Locale,
): string | null {
  if (!isKnown(code, spoken)) return null;
  let text = '';
  for (const part of partsOf(spoken.sentences[code])) {
    const said =
      typeof part === 'string'
        ? withIslands(part)
        : factText(facts[part.name], part.kind, { spoken, locale });
    if (said === null) return null;
    text += said;
  }
  return text;
}

/** Codes and names of settings in the words of a text from right to left. */
const LATIN = /[A-Za-z](?:[\w. -]*\w)?/g;

const withIslands = (words: string): string => words.replaceAll(LATIN, (latin) => isolateLeftToRight(latin));

/** A sentence as a program sent it, which may be of a newer version than what reads it. */
interface CodeAndFacts {
  readonly code: string;
  readonly facts: Readonly<Record<string, unknown>>;
}

const isKnown = (code: string, { sentences }: SpokenSentences): code is SentenceCode =>
  Object.hasOwn(sentences, code);

function factText(fact: unknown, kind: PlaceKind, { spoken, locale }: Speaking): string | null {
  if (typeof fact === 'string') return placeText(fact, kind, { spoken, locale });
  return isSentence(fact) ? saySentence(fact, spoken, locale) : null;
}

function isSentence(fact: unknown): fact is CodeAndFacts {
  return typeof fact === 'object' && fact !== null && 'code' in fact && 'facts' in fact;
}

interface Speaking {
  readonly spoken: SpokenSentences;
  readonly locale: Locale;
}

function placeText(text: string, kind: PlaceKind, { spoken, locale }: Speaking): string {
  const { words } = spoken;
  const { language } = locale;
  switch (kind) {
    case 'price':
      return text === 'any price' ? words.anyPrice : placeText(text, 'money', { spoken, locale });
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
      return lengthIn(lengthMsOf(text), locale, words.never);
    case 'time':
      return formatTime(timeIn(text), locale);
    case 'until': {
      const atMs = timeIn(text);
      return atMs === null ? words.untilResumed : words.until(formatTime(atMs, locale));
    }
    case 'scope': {
      const [where = '', strategy] = text.split(' for ');
      const place = where === 'all markets' ? words.allMarkets : isolateLeftToRight(where);
      return strategy === undefined ? place : words.scope(place, isolateLeftToRight(strategy));
    }
    case 'name':
    case 'symbol':
      return isolateLeftToRight(text);
    case 'side':
      return spoken.sentences[text === 'buy' ? 'buy' : 'sell'];
    case 'names':
      return text
        .split(', ')
        .map((name) => isolateLeftToRight(name))
        .join(words.comma);
    case 'text':
    case 'said':
    case 'sentence':
      return isolateByFirstLetter(text);
  }
}

const ISO = /(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)/;

/** The time that a text names in UTC, to the second; null where it names none. */
function timeIn(text: string): number | null {
  const found = ISO.exec(text);
  if (found === null) return null;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = found.slice(1).map(Number);
  return dayOfGregorian({ year, month, day }) * DAY_MS + ((hour * 60 + minute) * 60 + second) * SECOND_MS;
}

/** Below this a length is written with the parts of its seconds, since limits may be as short. */
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

/** `4.2 s` in milliseconds; what is never is no number. */
function lengthMsOf(text: string): number {
  const [count = '', unit = ''] = text.split(' ');
  return Math.round(Number(count) * (UNITS_MS[unit] ?? Number.NaN));
}
