import { z } from 'zod';
import { countField, fieldSentences, nameField, pageOfItems, pageQuery, timeField } from './fields.ts';

export const LOG_LEVELS = ['info', 'warning', 'error'] as const;

export const logItem = z.object({
  seq: countField.describe('Row of the journal.'),
  atMs: timeField,
  level: z.enum(LOG_LEVELS),
  kind: z.string().describe('Such as `log`, which is of a strategy, `control` or `reconciliation`.'),
  subject: z.string(),
  text: z.string(),
  data: z.unknown(),
  said: fieldSentences,
});

export const logQuery = pageQuery.extend({
  level: z.enum(LOG_LEVELS).default('info').describe('The lowest level that is listed.'),
  strategy: nameField.optional(),
});
export const logReply = pageOfItems(logItem);

export type LogItem = z.output<typeof logItem>;
