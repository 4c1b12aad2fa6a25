import { z } from 'zod';
import { WORD_CODECS } from '../../records/field.ts';

/** Money, an amount or a price as decimal text, never with an exponent. */
export const decimalTextField = z
  .string()
  .regex(/^-?\d{1,60}(?:\.\d{1,40})?$/)
  .describe('A decimal as text, such as "0.0125".');

export const timeField = z.int().nonnegative().describe('Milliseconds since 1970, UTC.');

/** Time in a query. An empty text is none: it is not 0. */
export const queriedTime = z.preprocess(
  (text) => (text === '' ? Number.NaN : text),
  z.coerce.number().int().nonnegative(),
);

export const lengthField = z.number().nonnegative().describe('Milliseconds.');

/** Content of the English text beside it as data, for display in another language. */
export const sentenceField = z
  .object({
    code: z.string(),
    facts: z.record(z.string(), z.unknown()).describe('English texts, or again a code with its facts.'),
  })
  .nullable()
  .describe('Code and facts of the text beside it; null where it is of a person or the exchange.');

export const reasonFields = { reason: z.string(), reasonFacts: sentenceField };

/** Contents of English texts among a journal line's fields, by field name. */
export const fieldSentences = z.record(z.string(), sentenceField);

export type SentenceItem = z.output<typeof sentenceField>;

export const countField = z.int().nonnegative();

export const sideField = WORD_CODECS.side;

export const ITEM_CODECS = {
  ...WORD_CODECS,
  exit: z.string(),
  money: decimalTextField,
  amount: decimalTextField,
  time: timeField,
  count: countField,
  cursor: countField,
};

export const MOST_ROWS_OF_PAGE = 500;

/** Returns the schema of one page of a list, newest first. */
export function pageOfItems<Item extends z.ZodType>(item: Item) {
  return z.object({
    items: z.array(item).max(MOST_ROWS_OF_PAGE),
    next: z.string().nullable().describe('The `before` of the next page; null at the end of the list.'),
  });
}

export const pageQuery = z.object({
  before: z
    .string()
    .regex(/^\d{1,16}(?:\.\d{1,16})?$/)
    .optional()
    .describe('Where the page begins: `next` of the page before it.'),
  limit: z.coerce.number().int().min(1).max(MOST_ROWS_OF_PAGE).default(50),
});

/** Name of a strategy, a market or an order in a query. */
export const nameField = z.string().min(1).max(100);

/** Error codes of the API, each with its HTTP status. */
export const API_ERROR_STATUS = {
  'not-found': 404,
  'invalid-request': 400,
  'no-token': 401,
  'wrong-token': 401,
  'too-many-tries': 429,
  'not-allowed': 403,
  'wrong-origin': 403,
  'wrong-host': 421,
  'wrong-method': 405,
  'too-large': 413,
  'too-many-streams': 503,
  'key-taken': 409,
  'no-bot': 409,
  'signal-refused': 422,
  'signal-dropped': 409,
  'too-many-signals': 429,
  'queue-full': 429,
  'no-mirror': 503,
  'data-unusable': 503,
  'too-slow': 503,
  busy: 503,
  internal: 500,
} as const;

export type ApiErrorCode = keyof typeof API_ERROR_STATUS;

/** Reason a request was not carried out. */
export const errorReply = z.object({
  error: z.object({
    code: z
      .enum(Object.keys(API_ERROR_STATUS) as ApiErrorCode[])
      .describe('For programs. `no-mirror`: the bot is starting, or never ran.'),
    message: z.string().describe('For people: what was expected, what was found, what to do.'),
    messageFacts: sentenceField,
    field: z.string().optional().describe('What of the request was wrong, such as `amount`.'),
  }),
});

export type ErrorReply = z.output<typeof errorReply>;
