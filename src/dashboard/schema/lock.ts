import { z } from 'zod';
import { sentenceField, timeField } from './fields.ts';

/** A time without new risk. */
export const lockItem = z.object({
  name: z.string(),
  rule: z.string().nullable().describe('The key of the rule that made it; null for one by hand.'),
  strategy: z.string().nullable().describe('Null stands for all.'),
  market: z.string().nullable().describe('Null stands for all.'),
  reason: z.string(),
  reasonFacts: sentenceField,
  by: z.string().nullable().describe('Who made it by hand, where that is known.'),
  beganAtMs: timeField,
  endsAtMs: timeField.nullable().describe('Null: until it is resumed.'),
  entries: z.enum(['cancel', 'keep']).describe('What becomes of resting orders that add risk.'),
  pauses: z.boolean().describe('Whether its strategy is told nothing while it holds.'),
});

export const locksReply = z.object({
  locks: z.array(lockItem),
  nextChangeAtMs: timeField.nullable().describe('The next change by the clock that the bot knows.'),
  waiting: z
    .array(
      z.object({
        kind: z.enum(['lock', 'unlock']),
        name: z.string().nullable(),
        strategy: z.string().nullable(),
        market: z.string().nullable(),
      }),
    )
    .describe('Commands that no bot has taken yet: the next start takes them.'),
});

export type LockItem = z.output<typeof lockItem>;
export type LocksReply = z.output<typeof locksReply>;
