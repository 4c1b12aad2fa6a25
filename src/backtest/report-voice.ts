import { DAY_MS, durationText, lengthText, minuteText, secondText } from '../domain/time-text.ts';
import type { Currency } from '../domain/market-symbol.ts';
import { groupedText } from '../domain/money.ts';
import type { Fact } from '../language/fact.ts';
import { formatLength, asIsland } from '../language/format-number.ts';
import { unitName } from '../language/format-money.ts';
import { formatTime, localDigits } from '../language/format-time.ts';
import { isolateByFirstLetter } from '../language/isolate.ts';
import { sentenceIn } from '../language/sentence-in.ts';
import { localeOf, type Language } from '../language/locale.ts';
import { translateInto, type Translate } from '../language/translate.ts';
import {
  factText,
  type FactFormatter,
  type FactVoice,
  currencyText,
  numberText,
  percentText,
  shownMoney,
} from './value-text.ts';
import { ENGLISH_REPORT } from './english-report.ts';
import { PERSIAN_REPORT } from './report/texts/persian-report.ts';
import { english } from '../language/sentence.ts';

/**
 * Formats texts, numbers and times of a report. English has UTC times, and the unit of money beside the
 * title; Persian has Tehran's time, Jalali dates, and the unit of money at each number.
 */
export interface ReportVoice extends FactVoice {
  readonly language: Language;
  readonly t: Translate<typeof ENGLISH_REPORT>;
  readonly count: (count: number) => string;
  /** Writes a price or an amount with all digits. */
  readonly exact: (decimal: string) => string;
  readonly money: (money: string | number, quote: Currency) => string;
  /** Adds the unit to a number; English has the unit elsewhere and adds none. */
  readonly inUnit: (number: string, currency: Currency) => string;
  readonly currency: (quote: Currency) => string;
  /** Returns the text after a title of money: `, USDT`; empty if each number has its unit. */
  readonly unitOfTitle: (quote: Currency) => string;
  readonly second: (atMs: number) => string;
  /** Writes a date, given as days since 1970-01-01. */
  readonly day: (day: number) => string;
  /** Writes a fact as a sentence. */
  readonly format: (fact: Fact) => string;
  /** Isolates a name or other foreign text, so that it does not reorder the words around it. */
  readonly foreign: (text: string) => string;
}

const DATE_LENGTH = 10;

const ENGLISH_PARTS: Omit<ReportVoice, 'format'> = {
  language: 'en',
  t: translateInto<typeof ENGLISH_REPORT>('en', ENGLISH_REPORT),
  digits: (english) => english,
  count: (count) => groupedText(String(count)),
  exact: groupedText,
  number: numberText,
  percent: percentText,
  money: shownMoney,
  inUnit: (number) => number,
  currency: currencyText,
  asset: (currency) => currency,
  unitOfTitle: (quote) => `, ${currencyText(quote)}`,
  minute: minuteText,
  second: secondText,
  day: (day) => new Date(day * DAY_MS).toISOString().slice(0, DATE_LENGTH),
  length: durationText,
  about: lengthText,
  list: (texts) => texts.join(', '),
  foreign: (text) => text,
  words: (text) => english(text),
};

const ENGLISH = withFormatter(ENGLISH_PARTS, (name) => name);

function withFormatter(voice: Omit<ReportVoice, 'format'>, metric: FactFormatter['metric']): ReportVoice {
  const anyText = voice.t as FactFormatter['anyText'];
  return { ...voice, format: (fact) => factText(fact, { ...voice, anyText, metric }) };
}

function persianDigits(english: string): string {
  const text = english.replaceAll(',', '٬').replaceAll('.', '٫').replaceAll(' %', '٪');
  return asIsland('fa', localDigits('fa', text));
}

function persianVoice(): ReportVoice {
  const locale = localeOf('fa');
  const digits = persianDigits;
  const t = translateInto<typeof ENGLISH_REPORT>('fa', PERSIAN_REPORT);
  const known = <Value>(value: Value | null, text: (value: Value) => string): string =>
    value === null ? t('nothing') : digits(text(value));
  const currency = (quote: Currency): string => unitName(quote, locale);
  const inUnit = (number: string, unit: Currency): string => `${number} ${currency(unit)}`;
  const voice: Omit<ReportVoice, 'format'> = {
    language: 'fa',
    t,
    digits,
    count: (count) => digits(groupedText(String(count))),
    exact: (decimal) => digits(groupedText(decimal)),
    number: (value) => known(value, numberText),
    percent: (fraction) => known(fraction, percentText),
    money: (money, quote) => inUnit(digits(shownMoney(money, quote)), quote),
    inUnit,
    currency,
    asset: (code) => unitName(code, locale),
    unitOfTitle: () => '',
    minute: (atMs) => formatTime(atMs, locale),
    second: (atMs) => formatTime(atMs, locale, 'second'),
    // Noon of a day in UTC is on the same day in Tehran.
    day: (day) => formatTime((day + 0.5) * DAY_MS, locale, 'day'),
    length: (lengthMs) => formatLength('fa', lengthMs),
    about: (lengthMs) => formatLength('fa', lengthMs),
    list: (texts) => texts.join('، '),
    foreign: isolateByFirstLetter,
    words: (text) => sentenceIn(text, locale),
  };
  return withFormatter(voice, isolateByFirstLetter);
}

let persian: ReportVoice | null = null;

export function reportVoice(language: Language): ReportVoice {
  if (language === 'en') return ENGLISH;
  persian ??= persianVoice();
  return persian;
}
