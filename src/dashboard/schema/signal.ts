import { z } from 'zod';
import { isSignalId, SIGNAL_ID_RULE } from '../../domain/signal-id.ts';
import { timeField, countField, nameField, pageOfItems, pageQuery } from './fields.ts';

/** Signal sent to a strategy from outside, and its outcome. */
export const signalItem = z.object({
  seq: countField.nullable().describe('Row of the journal; null while it waits.'),
  atMs: timeField.describe('When the bot took it; while it waits, when it came to this machine.'),
  strategy: z.string(),
  name: z.string(),
  id: z.string(),
  source: z.string().describe('Who sent it: `command`, or the name of a token.'),
  sentAtMs: timeField.nullable().describe('As its sender says.'),
  payload: z.unknown().describe('Null where it was too large.'),
  outcome: z.enum(['waiting', 'told', 'dropped', 'refused']),
  code: z.string().describe('Why, in a word: such as `paused`, `invalid`, `repeated` or `no-bot`.'),
  reason: z.string().nullable().describe('Why, in a sentence; null of what was told.'),
});

export const signalsQuery = pageQuery.extend({ strategy: nameField.optional() });
export const signalsReply = pageOfItems(signalItem).describe('Those that wait come first.');

export type SignalItem = z.output<typeof signalItem>;
export type SignalsReply = z.output<typeof signalsReply>;

const time = z.union([timeField, z.iso.datetime({ offset: true }).transform((text) => Date.parse(text))]);

export const signalBody = z.strictObject({
  payload: z.unknown().describe('JSON of the schema that the strategy declares.'),
  name: z.string().min(1).max(32).optional().describe('Of the signal, where the address has none.'),
  id: z
    .string()
    .refine(isSignalId, `expected ${SIGNAL_ID_RULE}`)
    .optional()
    .describe('Told once for each. Without it one is made of the signature, or of body and minute.'),
  sentAt: time.nullish().describe('ISO 8601 with a zone, or ms since 1970: an old signal is refused.'),
  token: z
    .string()
    .max(200)
    .optional()
    .describe('For senders that can set no header. Whoever reads the body has it.'),
});

/** Outcome of the signal. One that was not delivered is an error with the reason. */
export const signalReply = z.object({
  id: z.string(),
  outcome: z
    .enum(['told', 'waiting'])
    .describe('`waiting`: the bot has it, and tells it once it has started; the same again says more.'),
  code: z.string().describe('`repeated`: the id came before.'),
  message: z.string(),
});

export type SignalBody = z.output<typeof signalBody>;
export type SignalStatusReply = z.output<typeof signalReply>;
