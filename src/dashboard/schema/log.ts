import { z } from 'zod';
import { countField, fieldSentences, nameField, pageOfItems, pageQuery, timeField } from './fields.ts';

/** Of the event without a name (`message`): one line of the journal. Its id is `EPOCH.ROW`. */
const journalEvent = z.object({
  seq: countField,
  atMs: timeField,
  kind: z.string(),
  subject: z.string(),
  data: z.unknown(),
});

/** Of `event: state`: something changed that has no line in the journal. */
const stateEvent = z.object({
  atMs: timeField,
  changed: z.array(z.enum(['books', 'stats', 'balances', 'read-times', 'locks', 'figures', 'bot'])),
});

/**
 * Of `event: reset`: rows may be missing before this, as after a restore; whatever is shown is to be read
 * again.
 */
const resetEvent = z.object({
  reason: z.enum(['first', 'other-mirror', 'too-far-behind', 'no-mirror']),
});

export type JournalEvent = z.output<typeof journalEvent>;
export type StateEvent = z.output<typeof stateEvent>;
export type ResetEvent = z.output<typeof resetEvent>;

const reportItem = z.object({
  id: z.string().describe('Its page is at `reports/ID`.'),
  name: z.string(),
  kind: z.enum(['report', 'backtest', 'study']),
  atMs: timeField,
  bytes: countField,
});

export const reportsReply = z.object({
  reports: z.array(reportItem).describe('Newest first, at most 500.'),
});

export type ReportItem = z.output<typeof reportItem>;
export type ReportsReply = z.output<typeof reportsReply>;

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
