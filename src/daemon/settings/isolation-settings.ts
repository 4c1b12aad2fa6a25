import { z } from 'zod';
import { duration } from './duration-field.ts';

const MINUTE_MS = 60_000;

/** What a strategy in a thread of its own may take. */
export const isolationSettings = z
  .strictObject({
    handlerWithin: duration({ leastMs: 10, mostMs: MINUTE_MS })
      .prefault('1s')
      .describe(
        'How long one call of a handler may take. The whole bot waits that long, and then the thread is ended.',
      ),
    loadWithin: duration({ leastMs: 1_000, mostMs: 10 * MINUTE_MS })
      .prefault('30s')
      .describe('How long a file may take to be loaded and set up.'),
    memoryMb: z
      .int()
      .min(16)
      .max(16_384)
      .prefault(256)
      .describe('Heap of one strategy in MB. Buffers outside of the heap are not counted.'),
    restartsAnHour: z
      .int()
      .min(0)
      .max(60)
      .prefault(5)
      .describe(
        'How often a thread that ended starts again within an hour, where onError is pause. Beyond it the strategy is stopped.',
      ),
  })
  .transform(({ handlerWithin, loadWithin, ...rest }) => ({ ...rest, handlerMs: handlerWithin, loadMs: loadWithin }))
  .prefault({});
