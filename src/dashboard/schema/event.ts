import { z } from 'zod';
import { countField, timeField } from './fields.ts';

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
