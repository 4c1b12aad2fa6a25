import { formatCompact } from '../../../language/format-compact.ts';
import { numberFormat } from '../../../language/format-number.ts';
import type { Locale } from '../../../language/locale.ts';

const TOMAN_RIAL = 10;
/** Figures of an axis are read at a glance, so they have few digits. */
const DIGITS = 8;
const SHORT_DIGITS = 4;

/** A float of a chart's axis in the unit that is shown. A canvas needs no island for a number alone. */
export function chartNumber(value: number, currency: string, { language, rialUnit }: Locale): string {
  const isToman = currency === 'rls' && rialUnit === 'toman';
  return numberFormat(language, { maximumSignificantDigits: DIGITS }).format(
    isToman ? value / TOMAN_RIAL : value,
  );
}

/** The same in short, such as `1.2M`, for the narrow axis of a line. */
export function shortChartNumber(value: number, currency: string, { language, rialUnit }: Locale): string {
  const isToman = currency === 'rls' && rialUnit === 'toman';
  return formatCompact(language, isToman ? value / TOMAN_RIAL : value, SHORT_DIGITS);
}

/** How many things one mark stands for: `×12`. */
export function timesNumber(count: number, { language }: Locale): string {
  return `×${numberFormat(language, {}).format(count)}`;
}
