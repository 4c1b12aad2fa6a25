import { z } from 'zod';
import { countField, decimalTextField, ITEM_CODECS, sentenceField, timeField } from './fields.ts';
import { shapeOf } from '../../records/field.ts';
import { BALANCE } from '../../records/rows.ts';

/** State of the bot's books compared with the exchange. */
export const booksReply = z.object({
  state: z.enum(['waiting', 'agreed', 'suspected', 'blocked', 'broken']),
  comparedAtMs: timeField.nullable(),
  comparisons: countField,
  sinceMs: timeField.nullable().describe('When the difference was seen first.'),
  brokenAtMs: timeField.nullable(),
  isGone: z.boolean().describe('Whether a comparison after the break found no difference any more.'),
  why: z.string().nullable().describe('What was said of the break.'),
  whyFacts: sentenceField,
  blockedBy: z.string().nullable().describe('What keeps comparisons from saying anything.'),
  blockedByFacts: sentenceField,
  differences: z.array(
    z.object({
      currency: z.string(),
      expected: decimalTextField,
      found: decimalTextField,
      difference: decimalTextField,
    }),
  ),
  findings: z.array(
    z.object({
      subject: z.string(),
      field: z.string(),
      expected: z.string(),
      found: z.string(),
      sinceMs: timeField,
      isGrave: z.boolean(),
    }),
  ),
  transfers: z.array(
    z.object({
      strategy: z.string(),
      currency: z.string(),
      amount: decimalTextField,
      from: z.string(),
      to: z.string(),
      state: z.enum(['sending', 'unknown']),
      sinceMs: timeField,
    }),
  ),
  balances: z.array(
    z.object({
      ...shapeOf(BALANCE, ['currency', 'total', 'held'], ITEM_CODECS),
      expected: decimalTextField.nullable().describe('What the books have.'),
      seenAtMs: timeField,
    }),
  ),
});

export type BooksReply = z.output<typeof booksReply>;
