import { distinctTexts, formatCompact, formatPlain, numberFormat } from '../../../language/format-number.ts';
import type { Locale } from '../../../language/locale.ts';

const TOMAN_RIAL = 10;
/** Significant digits of numbers on a narrow axis. */
const SHORT_DIGITS = 4;

/** Formats money on an axis in the chosen unit. On a canvas, a number alone needs no direction marks. */
export function chartNumber(value: number, currency: string, locale: Locale): string {
  const isToman = currency === 'rls' && locale.rialUnit === 'toman';
  return formatPlain(locale.language, isToman ? value / TOMAN_RIAL : value, isToman ? 1 : 0);
}

/** Formats the money of an axis in short, such as `1.2M`, so that neighbours differ. */
export function shortChartNumbers(values: readonly number[], currency: string, locale: Locale): string[] {
  return distinctTexts(values, (value, more) => shortNumber(value, currency, locale, SHORT_DIGITS + more));
}

/** Width of a chart, in pixels, below which its axis would take a third of it with full prices. */
const NARROW_PX = 480;

/** Returns the format of prices on the axis of a chart: in short where the chart is narrow. */
export function priceFormatOf(
  widthPx: number,
  currency: string,
  locale: Locale,
): (value: number, digitsMore?: number) => string {
  if (widthPx >= NARROW_PX) return (value) => chartNumber(value, currency, locale);
  return (value, digitsMore = 0) => shortNumber(value, currency, locale, SHORT_DIGITS + digitsMore);
}

function shortNumber(
  value: number,
  currency: string,
  { language, rialUnit }: Locale,
  digits: number,
): string {
  const isToman = currency === 'rls' && rialUnit === 'toman';
  return formatCompact(language, isToman ? value / TOMAN_RIAL : value, digits);
}

/** Formats the number of things that one mark stands for: `×12`. */
export function timesNumber(count: number, { language }: Locale): string {
  return `×${numberFormat(language, {}).format(count)}`;
}
