import { z } from 'zod';
import { parseUnits } from '../../domain/money.ts';
import { currencySymbol, decimalAmount, positiveDecimal } from '../../simulator/settings/config-fields.ts';

/** A decimal of the quote currencies it is given for: `{ rls: '50000000', usdt: '500' }`. */
export const perQuote = () => z.strictObject({ rls: positiveDecimal().optional(), usdt: positiveDecimal().optional() });

const units = () => decimalAmount().transform((text) => parseUnits(text));

/** A limit on a value by quote currency, read to units. A currency left out takes the limit from where this one is laid over, null has none. */
export const valueLimit = () =>
  z.strictObject({ rls: units().nullable().optional(), usdt: units().nullable().optional() }).nullable().optional();

/** A limit on an amount by base currency, read to units. */
export const amountLimit = () => z.record(currencySymbol(), units().nullable()).nullable().optional();

/** What an account owns at the beginning, by currency. */
export const balances = () => z.record(currencySymbol(), decimalAmount());
