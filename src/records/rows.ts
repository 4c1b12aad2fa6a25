import { z } from 'zod';
import { field, optional, type RecordOf } from './field.ts';

/** Fields of an intent with its outcome: one row, which is written again when it changes. */
export const INTENT = {
  id: field('name'),
  strategy: field('name'),
  atMs: field('time'),
  kind: field('name'),
  market: optional('name'),
  /** The intent as JSON. */
  json: field('json'),
  status: field('intentStatus'),
  /** Reason it was refused, with its numbers, or how it ended. */
  reason: optional('reason'),
  /** State of the approval of an entry; null if its strategy needs none, and for anything but an entry. */
  approval: optional('approval'),
  expiresAtMs: optional('time', 'The end of the time in which it can be approved.'),
  bound: optional('money', 'The highest price at which it may be approved.'),
  best: optional('money', 'The best price to buy at when it was made.'),
  value: optional('money', 'The value of its purchases, where it is known in advance.'),
  decidedBy: optional('text', 'Who approved or declined it.'),
};

/** Fields of an intent about its approval. */
export const APPROVAL_FIELDS = [
  'approval',
  'expiresAtMs',
  'bound',
  'best',
  'value',
  'decidedBy',
] as const satisfies readonly (keyof typeof INTENT)[];

export interface IntentRecord extends RecordOf<typeof INTENT> {}

/** Fields of an algorithm that works for an intent, such as a replacement, a target or a TWAP. */
export const ALGORITHM = {
  intentId: field('name'),
  strategy: field('name'),
  market: field('name'),
  json: field('json'),
};

export interface AlgorithmRecord extends RecordOf<typeof ALGORITHM> {}

/** Fields of a strategy's state, which a restart gives back to the strategy. */
export const STRATEGY = {
  name: field('name'),
  status: field('strategyStatus'),
  reason: optional('reason'),
  /** State as JSON; units of 1e-10 as decimal texts. */
  json: field('json'),
  atMs: field('time'),
};

export interface StrategyRecord extends RecordOf<typeof STRATEGY> {}

/** Fields of a wallet as it was last read. */
export const BALANCE = {
  currency: field('name'),
  /** Null in a row that an early version wrote. */
  walletId: optional('walletId'),
  total: field('amount'),
  /** Part that is held for orders and withdrawals. */
  held: field('amount'),
  seenAtMs: field('time'),
};

export interface BalanceRecord extends RecordOf<typeof BALANCE> {}

/** Fields of a person's note on a trade. It belongs to the purchase, so all sales of it share the note. */
export const NOTE = {
  entry: field('name', 'The order that bought, or the command that moved the coins.'),
  text: field('text'),
  tags: field('json', 'An array of texts.'),
  by: optional('text'),
  atMs: field('time'),
};

export interface NoteRecord extends RecordOf<typeof NOTE> {}

/** Schema of a text of a person: any letters, but nothing that breaks a line or turns the direction. */
const personText = z
  .string()
  .trim()
  .normalize()
  // oxlint-disable-next-line no-control-regex -- control characters are what it refuses
  .regex(/^[^\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]*$/, 'expected one line of text')
  .refine((text) => text.isWellFormed(), 'expected one line of text');

/** Fields of a note on a trade; neither a text nor tags remove it. */
export const noteFields = z.object({
  entry: z.string().max(100).describe('The order that bought, or the command that moved the coins.'),
  text: personText.max(500).default(''),
  tags: z
    .array(
      personText
        .min(1)
        .max(40)
        .regex(/^[^,،]*$/, 'expected a tag without a comma'),
    )
    .max(10)
    .default([]),
});
