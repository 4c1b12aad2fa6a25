import { isolateLeftToRight, isolateRightToLeft } from './isolate.ts';
import { intlTag, type Language } from './locale.ts';

/** Settings that are in use at once: a few for each language. Then it begins anew. */
const MOST_FORMATS = 64;
const formats = new Map<string, Intl.NumberFormat>();

/** Making a format costs a hundred times more than using it. */
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

/** In text from right to left a number is an island, so that its sign stays at its left. */
export function asIsland(language: Language, text: string): string {
  return language === 'fa' ? isolateLeftToRight(text) : text;
}

/** Number of decimals shown, and if a sign is also written for values above zero. */
export interface DecimalStyle {
  readonly decimals?: number;
  readonly leastDecimals?: number;
  readonly isSigned?: boolean;
}

/** As many decimals as `Intl` shows: more than money has. */
const ALL_DECIMALS = 20;

/**
 * A decimal text with separators and the digits of the language. `Intl` reads the text itself, so no digit is
 * lost: `12345.678901` is `12,345.678901` or `۱۲٬۳۴۵٫۶۷۸۹۰۱`. Beyond `decimals` it is rounded half to even.
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

/** A number of things: `1,234` or `۱٬۲۳۴`. */
export function formatCount(language: Language, count: number): string {
  return asIsland(language, numberFormat(language, { maximumFractionDigits: 0 }).format(count));
}

/** A share of one, as a float of statistics: `0.1234` is `12.34%` or `۱۲٫۳۴٪`. */
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

/** A length of time by its two largest units: `3d 4h`, `۳ روز و ۴ ساعت`. Below a second it is 0 seconds. */
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
 * A number in short: `1.2M` or `۱٫۲ میلیون`. The Persian one has a word, so it runs from right to left, also
 * on an axis that runs from left to right.
 */
export function formatCompact(language: Language, value: number, digits: number): string {
  const text = numberFormat(language, { notation: 'compact', maximumSignificantDigits: digits }).format(
    value,
  );
  return language === 'fa' ? isolateRightToLeft(text) : text;
}

/** Decimals that are read of the rial and of a tether; of a coin there may be eight. */
const DECIMALS: Readonly<Record<string, number>> = { RLS: 0, USDT: 2 };
const MOST_DECIMALS = 8;
/** Two prices of which one is above a limit have to be told apart, and a small coin has to have a price. */
const SIGNIFICANT = 8;

/** Money, `1.2 BTC`, or a number with one point. A whole number alone may be an id. */
const NUMBER = /(?<![\w.:,-])(-?\d+(?:\.\d+)?) ([A-Z][A-Z0-9]{1,19})\b|(?<![\w.:,-])-?\d+\.\d+(?!\w|[.:]\d)/g;

/** A decimal text with the decimals that people read: sums are kept with ten. */
export function readableDecimal(text: string, currency = ''): string {
  return numberFormat('en', {
    maximumFractionDigits: DECIMALS[currency.toUpperCase()] ?? MOST_DECIMALS,
    maximumSignificantDigits: SIGNIFICANT,
    roundingPriority: 'morePrecision',
    useGrouping: false,
  }).format(text as Intl.StringNumericLiteral);
}

/** An English sentence of the bot with its numbers as people read them: `12,345,678 RLS`. */
export function withReadableNumbers(text: string): string {
  return text.replaceAll(NUMBER, (whole: string, amount: string | undefined, currency = '') => {
    const shown = formatDecimal('en', readableDecimal(amount ?? whole, currency));
    return amount === undefined ? shown : `${shown} ${currency}`;
  });
}
