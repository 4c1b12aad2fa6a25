import { formatCompact, numberFormat } from '../../../language/format-number.ts';
import type { Locale } from '../../../language/locale.ts';

const TOMAN_RIAL = 10;
/** Figures of an axis are read at a glance, so they have few digits. */
const DIGITS = 8;
const SHORT_DIGITS = 4;

/** A float of an axis that is no money, such as an indicator's. */
export function plainNumber(value: number, { language }: Locale): string {
  return numberFormat(language, { maximumSignificantDigits: DIGITS }).format(value);
}

/** A float of a chart's axis in the unit that is shown. A canvas needs no island for a number alone. */
export function chartNumber(value: number, currency: string, locale: Locale): string {
  const isToman = currency === 'rls' && locale.rialUnit === 'toman';
  return plainNumber(isToman ? value / TOMAN_RIAL : value, locale);
}

/** The same in short, such as `1.2M`, for the narrow axis of a line. */
export function shortChartNumber(value: number, currency: string, { language, rialUnit }: Locale): string {
  const isToman = currency === 'rls' && rialUnit === 'toman';
  return formatCompact(language, isToman ? value / TOMAN_RIAL : value, SHORT_DIGITS);
}

/** Returns the count that one mark stands for: `×12`. */
export function timesNumber(count: number, { language }: Locale): string {
  return `×${numberFormat(language, {}).format(count)}`;
}
