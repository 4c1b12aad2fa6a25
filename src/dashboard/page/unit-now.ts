import { unitName } from '../../language/format-money.ts';
import { locale } from './preferences.ts';

/** Returns the current name of a currency's unit. */
export const unitNow = (currency: string): string => unitName(currency, locale.value);
