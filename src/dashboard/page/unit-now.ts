import { unitName } from '../../language/format-money.ts';
import { locale } from './preferences.ts';

/** What a currency's unit is called as it is shown now. */
export const unitNow = (currency: string): string => unitName(currency, locale.value);
