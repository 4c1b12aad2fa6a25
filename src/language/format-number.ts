import { isolateLeftToRight, isolateRightToLeft } from './isolate.ts';
import { intlTag, type Language } from './locale.ts';

/** Maximum number of cached formats; a few are in use for each language. The cache is emptied when full. */
const MOST_FORMATS = 64;
const formats = new Map<string, Intl.NumberFormat>();

/** Returns a cached format, since making one costs a hundred times more than using it. */
export function numberFormat(language: Language, options: Intl.NumberFormatOptions): Intl.NumberFormat {
  const key = `${language} ${JSON.stringify(options)}`;
  let format = formats.get(key);
  if (format === undefined) {
    if (formats.size >= MOST_FORMATS) formats.clear();
    format = new Intl.NumberFormat(intlTag(language), options);
    formats.set(key, format);
  }
  return format;
}

/** Isolates a number in right-to-left text, so that its sign stays at its left. */
export const asIsland = (language: Language, text: string): string =>
  language === 'fa' ? isolateLeftToRight(text) : text;

/** Number of decimals, and whether values above zero also have a sign. */
export interface DecimalStyle {
  readonly decimals?: number;
  readonly leastDecimals?: number;
  readonly isSigned?: boolean;
}

/** Maximum number of decimals that `Intl` shows: more than money has. */
const ALL_DECIMALS = 20;

/**
 * Writes a decimal text with separators and the digits of the language. `Intl` reads the text itself, so no
 * digit is lost: `12345.678901` is `12,345.678901` or `۱۲٬۳۴۵٫۶۷۸۹۰۱`. It is rounded half to even to
 * `decimals`.
 */
export function formatDecimal(
  language: Language,
  text: string,
  { decimals = ALL_DECIMALS, leastDecimals = 0, isSigned = false }: DecimalStyle = {},
): string {
  const format = numberFormat(language, {
    minimumFractionDigits: Math.min(leastDecimals, decimals),
    maximumFractionDigits: decimals,
    roundingMode: 'halfEven',
    signDisplay: isSigned ? 'exceptZero' : 'negative',
  });
  return asIsland(language, format.format(text as Intl.StringNumericLiteral));
}

/** Writes a number of things: `1,234` or `۱٬۲۳۴`. */
export const formatCount = (language: Language, count: number): string =>
  asIsland(language, numberFormat(language, { maximumFractionDigits: 0 }).format(count));

/** Writes a fraction of one, a float of statistics, in percent: `0.1234` is `12.34%` or `۱۲٫۳۴٪`. */
export function formatShare(
  language: Language,
  share: number,
  { decimals = 2, leastDecimals = 0, isSigned = false }: DecimalStyle = {},
): string {
  const format = numberFormat(language, {
    style: 'percent',
    minimumFractionDigits: leastDecimals,
    maximumFractionDigits: decimals,
    signDisplay: isSigned ? 'exceptZero' : 'negative',
  });
  return asIsland(language, format.format(share));
}

const UNITS = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
] as const;

/** Writes a length of time in its two largest units: `3d 4h`, `۳ روز و ۴ ساعت`. Below 1 s it is 0. */
export function formatLength(language: Language, lengthMs: number): string {
  if (!Number.isFinite(lengthMs)) return '–';
  let left = Math.max(0, Math.round(lengthMs / 1_000));
  const first = Math.max(
    0,
    UNITS.findIndex(([, size]) => left >= size),
  );
  const from = left === 0 ? UNITS.length - 1 : first;
  const parts = UNITS.slice(from, from + 2).flatMap(([unit, size], index) => {
    const whole = Math.floor(left / size);
    left -= whole * size;
    if (whole === 0 && index > 0) return [];
    const unitDisplay = language === 'fa' ? 'long' : 'narrow';
    return [numberFormat(language, { style: 'unit', unit, unitDisplay }).format(whole)];
  });
  return parts.join(language === 'fa' ? ' و ' : ' ');
}

/**
 * Writes a number in short form: `1.2M` or `۱٫۲ میلیون`. The Persian form has a word, so it runs from right
 * to left, also on an axis that runs from left to right.
 */
export function formatCompact(language: Language, value: number, digits: number): string {
  const text = numberFormat(language, { notation: 'compact', maximumSignificantDigits: digits }).format(
    value,
  );
  return language === 'fa' ? isolateRightToLeft(text) : text;
}

/** Usual decimals of the rial and of tether; a coin may have eight. */
const DECIMALS: Readonly<Record<string, number>> = { RLS: 0, USDT: 2 };
const MOST_DECIMALS = 8;
/** Least significant digits: a price just above a limit must look so, and a small coin not like 0. */
const SIGNIFICANT = 8;

/** Writes a number of a chart, with eight significant digits, and at least all before the decimals. */
export const formatPlain = (language: Language, value: number, decimals = 0): string =>
  numberFormat(language, {
    maximumFractionDigits: decimals,
    maximumSignificantDigits: SIGNIFICANT,
    roundingPriority: 'morePrecision',
  }).format(value);

/** Matches money, `1.2 BTC`, or a number with one point. A whole number alone may be an id. */
const NUMBER = /(?<![\w.:,-])(-?\d+(?:\.\d+)?) ([A-Z][A-Z0-9]{1,19})\b|(?<![\w.:,-])-?\d+\.\d+(?!\w|[.:]\d)/g;

/** Rounds a decimal text to the decimals that people read: sums are stored with ten. */
export function readableDecimal(text: string, currency = ''): string {
  return numberFormat('en', {
    maximumFractionDigits: DECIMALS[currency.toUpperCase()] ?? MOST_DECIMALS,
    maximumSignificantDigits: SIGNIFICANT,
    roundingPriority: 'morePrecision',
    useGrouping: false,
  }).format(text as Intl.StringNumericLiteral);
}

/** Rewrites the numbers in an English sentence of the bot for people: `12,345,678 RLS`. */
export function withReadableNumbers(text: string): string {
  return text.replaceAll(NUMBER, (whole: string, amount: string | undefined, currency = '') => {
    const shown = formatDecimal('en', readableDecimal(amount ?? whole, currency));
    return amount === undefined ? shown : `${shown} ${currency}`;
  });
}

/** Most digits that are added to labels which look alike: more than any axis needs. */
const MOST_DIGITS_MORE = 12;

/**
 * Writes the labels of an axis, with so many digits more that labels beside each other differ, and all with
 * as many decimals.
 */
export function distinctTexts(
  values: readonly number[],
  format: (value: number, digitsMore: number) => string,
): string[] {
  for (let more = 0; ; more += 1) {
    const texts = values.map((value) => format(value, more));
    if (more === MOST_DIGITS_MORE || texts.every((text, at) => at === 0 || text !== texts[at - 1]))
      return withEqualDecimals(texts);
  }
}

const decimalsOf = (text: string): number => /[.٫](\p{Nd}+)/u.exec(text)?.[1]?.length ?? 0;

/** Adds zeros to decimals that others have more of. Labels of several units, as 500K and 1.5M, stay. */
function withEqualDecimals(texts: string[]): string[] {
  const units = new Set(texts.map((text) => text.replaceAll(/[\p{Nd}.,٫٬−-]/gu, '')));
  if (units.size > 1) return texts;
  const most = Math.max(...texts.map(decimalsOf));
  return texts.map((text) =>
    text.replace(/\p{Nd}(?=\P{Nd}*$)/u, (last) => {
      const [mark, zero] = /[0-9]/.test(last) ? ['.', '0'] : ['٫', '۰'];
      const decimals = decimalsOf(text);
      return last + (decimals === 0 && most > 0 ? mark : '') + zero.repeat(most - decimals);
    }),
  );
}
