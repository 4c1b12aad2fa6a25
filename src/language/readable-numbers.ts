import { formatDecimal, numberFormat } from './format-number.ts';

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
