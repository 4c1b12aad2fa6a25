import { formatUnit } from '../../language/format-money.ts';
import { locale } from './preferences.ts';
import { NONE } from './shown.ts';

/** A price or an amount in full without its unit, where a heading has that. */
export const showPrice = (price: string | null, currency: string): string =>
  price === null ? NONE : formatUnit(price, currency, locale.value);
