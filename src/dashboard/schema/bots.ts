import { z } from 'zod';
import { countField, sentenceField, timeField } from './fields.ts';
import { botItem, equityItem } from './overview.ts';

const knownBotItem = z.object({
  name: z.string().describe('Instance, and the end of its folder.'),
  isThis: z.boolean(),
  bot: botItem.nullable().describe('Null where its folder can not be read.'),
  equity: z.array(equityItem),
  openOrders: countField,
  strategies: z.array(z.string()),
  dashboard: z.string().nullable().describe('The address of its own page, where it has one.'),
  problem: z.string().nullable().describe('Why it can not be read.'),
  problemFacts: sentenceField,
});

export const botsReply = z.object({
  asOfMs: timeField,
  bots: z.array(knownBotItem).describe('All of this machine that this user can read, at most 64.'),
  totals: z.array(equityItem).describe('By currency, of bots with real money alone.'),
});

export type KnownBotItem = z.output<typeof knownBotItem>;
export type BotsReply = z.output<typeof botsReply>;
