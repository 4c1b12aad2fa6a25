import { unitName } from '../../language/format-money.ts';
import { locale } from './preferences.ts';

export const unitNow = (currency: string): string => unitName(currency, locale.value);
