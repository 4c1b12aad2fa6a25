import { z } from 'zod';
import { isSignalId, SIGNAL_ID_RULE } from '../../domain/signal-id.ts';
import { timeField } from './fields.ts';

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
export type SignalToldReply = z.output<typeof signalReply>;
