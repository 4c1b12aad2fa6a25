import { z } from 'zod';
import type { Stretch } from '../data/stretch.ts';
import type { Params } from '../space/params-of-point.ts';

/** A trial as a worker is asked for it. */
export interface AskedTrial {
  readonly params: Params;
  /** Null: the range of the study. */
  readonly stretch: Stretch | null;
}

/** What a job has. */
export interface Batch {
  readonly trials: readonly AskedTrial[];
}

const BATCH = z.strictObject({
  trials: z
    .array(
      z.strictObject({
        params: z.record(z.string(), z.unknown()),
        stretch: z.strictObject({ fromMs: z.number(), toMs: z.number() }).nullable(),
      }),
    )
    .min(1),
});

/** Reads what a job has. Throws where it is no batch. */
export function readBatch(data: unknown): Batch {
  return BATCH.parse(data);
}
