import { z } from 'zod';
import { tryDecimalText, type DecimalText } from '../domain/decimal-text.ts';

/**
 * Fields of requests. What a caller may write is wide (numbers as text or as numbers, flags as words), what is sent is one form. Messages
 * begin with "expected", so that the encoder can say for which field.
 */

type JsonSchema = Readonly<Record<string, unknown>>;

/** Text or a number; how each is held to what the transformation after it takes is for the OpenAPI page. */
const textOrNumber = (expected: string, says: { readonly text?: JsonSchema; readonly number?: JsonSchema } = {}) =>
  z.union([z.string().meta(says.text ?? {}), z.number().meta(says.number ?? {})], { error: `expected ${expected}` });

/** A decimal above zero, with an exponent or without. */
const POSITIVE_TEXT = {
  pattern: '^\\+?(?=[\\d.]*[1-9])(?:\\d+(?:\\.\\d+)?|(?:\\d+\\.?\\d*|\\.\\d+)[eE][+-]?\\d{1,2})$',
  maxLength: 40,
};
const POSITIVE = { text: POSITIVE_TEXT, number: { exclusiveMinimum: 0 } };

function decimalField(expected: string, accepts: (text: DecimalText) => boolean) {
  return textOrNumber(expected, POSITIVE).transform((value, context): DecimalText => {
    const text = tryDecimalText(value);
    if (text !== null && accepts(text)) return text;
    context.addIssue({ code: 'custom', message: `expected ${expected}`, input: value });
    return z.NEVER;
  });
}

/** A decimal above zero: every price and amount of a request. Sent as canonical text. */
export const positiveDecimal = () =>
  decimalField('a positive decimal', (text) => !text.startsWith('-') && text !== '0');

/** A whole number from `least` to `most`, both included. Sent as a number. */
export function integer(options: { readonly least?: number; readonly most?: number } = {}) {
  const least = options.least ?? Number.MIN_SAFE_INTEGER;
  const most = options.most ?? Number.MAX_SAFE_INTEGER;
  const range =
    options.most === undefined
      ? options.least === undefined
        ? 'an integer'
        : `an integer from ${least}`
      : `an integer from ${least} to ${most}`;
  const says = {
    text: { pattern: least >= 1 ? '^0*[1-9]\\d{0,14}$' : least >= 0 ? '^\\d{1,15}$' : '^-?\\d{1,15}$' },
    number: { type: 'integer', minimum: least, maximum: most },
  };
  return textOrNumber(range, says).transform((value, context): number => {
    const number = typeof value === 'number' ? value : /^-?\d{1,16}$/.test(value.trim()) ? Number(value) : Number.NaN;
    if (Number.isSafeInteger(number) && number >= least && number <= most) return number;
    context.addIssue({ code: 'custom', message: `expected ${range}`, input: value });
    return z.NEVER;
  });
}

/** A positive number that is not money, such as a count of hours. */
export const positiveNumber = () =>
  textOrNumber('a positive number', POSITIVE).transform((value, context): number => {
    const number = typeof value === 'string' && value.trim() === '' ? Number.NaN : Number(value);
    if (Number.isFinite(number) && number > 0) return number;
    context.addIssue({ code: 'custom', message: 'expected a positive number', input: value });
    return z.NEVER;
  });

const FLAG_WORDS: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['yes', true],
  ['1', true],
  ['false', false],
  ['no', false],
  ['0', false],
]);

const FLAG_TEXT = { enum: [...FLAG_WORDS.keys()] };

/** A boolean, also written `yes`, `no`, `true`, `false`, `1` or `0`. Sent as a boolean. */
export const flag = () =>
  z
    .union([z.boolean(), z.string().meta(FLAG_TEXT), z.number().meta({ enum: [0, 1] })], {
      error: 'expected a boolean',
    })
    .transform((value, context): boolean => {
      const read = typeof value === 'boolean' ? value : FLAG_WORDS.get(String(value).toLowerCase());
      if (read !== undefined) return read;
      context.addIssue({ code: 'custom', message: 'expected a boolean', input: value });
      return z.NEVER;
    });

/** A currency symbol, sent in lower case. */
export const currency = () =>
  z
    .string({ error: 'expected a currency symbol such as "btc"' })
    .toLowerCase()
    .regex(/^[a-z0-9_]{1,20}$/, 'expected a currency symbol such as "btc"');

/** One or more currency symbols, separated by commas. */
export const currencyList = () =>
  z
    .string({ error: 'expected currency symbols such as "btc,eth"' })
    .toLowerCase()
    .regex(/^[a-z0-9_]{1,20}(?:,[a-z0-9_]{1,20})*$/, 'expected currency symbols such as "btc,eth"');

/** A market as public paths spell it, sent in upper case. */
export const marketSymbol = () =>
  z
    .string({ error: 'expected a market symbol such as "BTCIRT"' })
    .toUpperCase()
    .regex(/^[A-Z0-9_]{2,40}$/, 'expected a market symbol such as "BTCIRT"');

/** A client order id: at most 32 letters, digits and hyphens. */
export const clientOrderId = () =>
  z
    .string({ error: 'expected at most 32 letters, digits and hyphens' })
    .regex(/^[A-Za-z0-9-]{1,32}$/, 'expected at most 32 letters, digits and hyphens');

/** A day in the form of the lists' time filters. */
export const day = () =>
  z.string({ error: 'expected a day as YYYY-MM-DD' }).regex(/^\d{4}-\d{2}-\d{2}$/, 'expected a day as YYYY-MM-DD');

/** Text that must not be empty, with a bound on its length. */
export const text = (most = 255) =>
  z.string({ error: 'expected text' }).min(1, 'expected text').max(most, `expected at most ${most} characters`);

/** Text that nobody may see: no message, dry run or log shows it. */
export const secretText = (most?: number) => text(most).meta({ format: 'password' });

/** Whether a field was declared as `secretText`. */
export function isSecretText(field: z.ZodType): boolean {
  return field.meta()?.['format'] === 'password';
}

/** A wallet by its id, sent as text. */
export const walletId = () => z.union([z.string(), z.number()], { error: "expected a wallet's id" }).transform(String);

/** What a rule between fields of a request adds to an issue: the code the exchange itself would answer with. */
export interface RuleIssue {
  readonly field: string;
  readonly message: string;
  readonly exchangeCode: string;
}

/** Turns broken rules between fields into issues; the exchange's code is in the issue's `params.exchangeCode`. */
export function addRuleIssues(context: z.core.$RefinementCtx, issues: readonly RuleIssue[]): void {
  for (const { field, message, exchangeCode } of issues) {
    context.addIssue({ code: 'custom', path: [field], message, params: { exchangeCode } });
  }
}
