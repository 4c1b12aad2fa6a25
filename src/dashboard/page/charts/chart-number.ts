import { numberFormat } from '../../../language/format-number.ts';
import type { Locale } from '../../../language/locale.ts';

const TOMAN_RIAL = 10;
/** Figures of an axis are read at a glance, so they have few digits. */
const DIGITS = 8;

/** A float of a chart's axis in the unit that is shown. A canvas needs no islands of direction. */
export function chartNumber(value: number, currency: string, { language, rialUnit }: Locale): string {
  const isToman = currency === 'rls' && rialUnit === 'toman';
  return numberFormat(language, { maximumSignificantDigits: DIGITS }).format(
    isToman ? value / TOMAN_RIAL : value,
  );
}

/** The same in short, such as `1.2M`, for the narrow axis of a line. */
export function shortChartNumber(value: number, currency: string, { language, rialUnit }: Locale): string {
  const isToman = currency === 'rls' && rialUnit === 'toman';
  const format = numberFormat(language, { notation: 'compact', maximumSignificantDigits: 4 });
  return format.format(isToman ? value / TOMAN_RIAL : value);
}
