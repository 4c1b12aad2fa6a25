import { z } from 'zod';
import { tryDecimalText, type DecimalText } from '../../domain/decimal-text.ts';

/**
 * A parameter that is a decimal number: `"0.5"` or `0.5`. Strategies get its canonical text, which loses no
 * digit.
 */
export function decimal(): z.ZodType<DecimalText, string | number> {
  return z.union([z.string(), z.number()]).transform((input, context) => {
    const text = tryDecimalText(input);
    if (text !== null) return text;
    context.addIssue({
      code: 'custom',
      message: `expected a decimal number such as "0.5", was ${JSON.stringify(input)}`,
    });
    return z.NEVER;
  });
}
