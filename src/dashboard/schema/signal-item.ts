import { z } from 'zod';
import { countField, nameField, pageOfItems, pageQuery, timeField } from './fields.ts';

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
