import { z } from 'zod';
import { countField, fieldSentences, nameField, pageOfItems, pageQuery, timeField } from './fields.ts';
import { isSignalId, SIGNAL_ID_RULE } from '../../domain/figure-name.ts';

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

/** Outcome of a signal. One that was not delivered is an error with the reason. */
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

/** Event without a name (`message`): one line of the journal. Its id is `EPOCH.ROW`. */
const journalEvent = z.object({
  seq: countField,
  atMs: timeField,
  kind: z.string(),
  subject: z.string(),
  data: z.unknown(),
});

/** Event `state`: something changed that has no line in the journal. */
const stateEvent = z.object({
  atMs: timeField,
  changed: z.array(z.enum(['books', 'stats', 'balances', 'read-times', 'locks', 'figures', 'bot'])),
});

/** Event `reset`: rows may be missing before it, as after a restore; whatever is shown must be read again. */
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

export const eventsQuery = z.object({
  data: z
    .enum(['lines', 'none'])
    .default('lines')
    .describe('With none an event has no more than its id, and at most one is sent a second.'),
});

export type EventsQuery = z.output<typeof eventsQuery>;
