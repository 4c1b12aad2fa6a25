import { z } from 'zod';
import { present } from '../../domain/invariant.ts';
import type { MarketPositions } from '../stress/held-positions.ts';
import { heldSchema } from '../stress/held-schema.ts';
import { COSTS, type StressTask } from '../stress/stress-task.ts';
import type { BenchTask } from '../trials/bench-task.ts';

const params = () => z.record(z.string(), z.unknown());
const stretch = () => z.strictObject({ fromMs: z.number(), toMs: z.number() });
const leg = () => z.strictObject({ fromMs: z.number(), params: params() });

const STRESS = z.discriminatedUnion('what', [
  z.strictObject({ what: z.literal('again'), params: params() }),
  z.strictObject({ what: z.literal('costs'), params: params(), doubled: z.array(z.enum(COSTS)) }),
  z.strictObject({ what: z.literal('bars'), params: params(), meanBlock: z.number(), seed: z.number() }),
  z.strictObject({ what: z.literal('entries'), seed: z.number() }),
]);

/** Content of a job. */
const BATCH = z.strictObject({
  /** The positions of all random entries: thousands, which are the same for every draw. */
  held: heldSchema.nullable(),
  tasks: z
    .array(
      z.discriminatedUnion('kind', [
        z.strictObject({ kind: z.literal('trial'), params: params(), stretch: stretch().nullable() }),
        z.strictObject({
          kind: z.literal('account'),
          legs: z.tuple([leg()], leg()),
          toMs: z.number(),
          stretches: z.array(stretch()),
        }),
        z.strictObject({ kind: z.literal('stress'), task: STRESS }),
      ]),
    )
    .min(1),
});

/** A job as it is sent. */
export type Batch = z.output<typeof BATCH>;

/** Tasks as a job, by `readBatch` to be read. They are of one study, whose trial held what it held. */
export function writeBatch(tasks: readonly BenchTask[]): z.input<typeof BATCH> {
  let held: readonly MarketPositions[] | null = null;
  const written = tasks.map((task) => {
    if (task.kind !== 'stress' || task.task.what !== 'entries') return task;
    const { held: own, ...rest } = task.task;
    held = own;
    return { kind: 'stress', task: rest } as const;
  });
  return { held, tasks: written } as z.input<typeof BATCH>;
}

/** Reads what a job has. Throws where it is no batch. */
export function readBatch(data: unknown): readonly BenchTask[] {
  const { held, tasks } = BATCH.parse(data);
  return tasks.map((task): BenchTask => {
    if (task.kind !== 'stress') return task;
    const stress: StressTask =
      task.task.what === 'entries'
        ? { ...task.task, held: present(held, 'positions of random entries') }
        : task.task;
    return { kind: 'stress', task: stress };
  });
}
