import { distinctTexts, formatCompact, formatPlain, numberFormat } from '../../../language/format-number.ts';
import type { Locale } from '../../../language/locale.ts';

const TOMAN_RIAL = 10;
/** Significant digits of numbers on a narrow axis. */
const SHORT_DIGITS = 4;

/** Formats money on an axis in the chosen unit. On a canvas, a number alone needs no direction marks. */
export function chartNumber(value: number, currency: string, locale: Locale): string {
  const isToman = currency === 'rls' && locale.rialUnit === 'toman';
  return formatPlain(locale.language, isToman ? value / TOMAN_RIAL : value);
}

/** Formats the money of an axis in short, such as `1.2M`, so that neighbours differ. */
export function shortChartNumbers(
  values: readonly number[],
  currency: string,
  { language, rialUnit }: Locale,
): string[] {
  const isToman = currency === 'rls' && rialUnit === 'toman';
  return distinctTexts(values, (value, more) =>
    formatCompact(language, isToman ? value / TOMAN_RIAL : value, SHORT_DIGITS + more),
  );
}

/** Formats the number of things that one mark stands for: `×12`. */
export function timesNumber(count: number, { language }: Locale): string {
  return `×${numberFormat(language, {}).format(count)}`;
}
