import { z } from 'zod';
import { fractionDigits, SURE_DIGITS, tryDecimalText, type DecimalText } from '../domain/decimal-text.ts';
import { UNIT_DECIMALS } from '../domain/money.ts';

function decimalField(expected: string, accepts: (text: DecimalText) => boolean) {
  return z
    .union([z.string(), z.number()], { error: `expected ${expected}` })
    .transform((value, context): DecimalText => {
      const text = tryDecimalText(value);
      // A longer number that is written bare may be another by now.
      const isSure = typeof value === 'string' || String(value).replace(/\D/g, '').length <= SURE_DIGITS;
      const isExact = text === null || fractionDigits(text) <= UNIT_DECIMALS;
      if (text !== null && isSure && isExact && accepts(text)) return text;
      const bound = isExact ? '' : ` with at most ${UNIT_DECIMALS} decimals`;
      const quotes = isSure ? '' : ` in quotes, as it has more than ${SURE_DIGITS} digits`;
      context.addIssue({
        code: 'custom',
        message: `expected ${expected}${bound}${quotes}, was ${JSON.stringify(value)}`,
      });
      return z.NEVER;
    });
}

/** Schema of a decimal above zero, quoted or bare. */
export const positiveDecimal = () =>
  decimalField('a positive decimal such as "0.000001"', (text) => !text.startsWith('-') && text !== '0');

/** Schema of a decimal that is not negative. */
export const decimalAmount = () =>
  decimalField('a decimal such as "2500.5"', (text) => !text.startsWith('-'));

/** Schema of a currency symbol in lower case. */
export const currencySymbol = () =>
  z.string().regex(/^[a-z0-9_]{1,20}$/, 'expected a currency symbol in lower case, such as btc');

export const durationMs = () => z.int().min(0).max(10_000_000_000_000);

/** Schema of a share in millionths. */
export const millionths = () => z.int().min(0).max(1_000_000);

export const plainText = () => z.string().min(1);
