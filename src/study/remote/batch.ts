import { parsedJson } from '../../domain/stored-json.ts';
import { z } from 'zod';
import { present } from '../../domain/errors.ts';
import { type MarketPositions, heldSchema, COSTS, type StressTask } from '../stress/stress-task.ts';
import type { BenchTask, BenchReport, BenchReports } from '../trial-runner.ts';
import { failedReport } from '../objectives.ts';
import type { Redis } from 'ioredis';

const params = () => z.record(z.string(), z.unknown());
const range = () => z.strictObject({ fromMs: z.number(), toMs: z.number() });
const leg = () => z.strictObject({ fromMs: z.number(), params: params() });

const STRESS = z.discriminatedUnion('what', [
  z.strictObject({ what: z.literal('again'), params: params() }),
  z.strictObject({ what: z.literal('costs'), params: params(), doubled: z.array(z.enum(COSTS)) }),
  z.strictObject({ what: z.literal('bars'), params: params(), meanBlock: z.number(), seed: z.number() }),
  z.strictObject({ what: z.literal('entries'), seed: z.number() }),
]);

/** Schema of a job's content. */
const BATCH = z.strictObject({
  /** Positions for all random entries, thousands of them, which are the same for every draw. */
  held: heldSchema.nullable(),
  tasks: z
    .array(
      z.discriminatedUnion('kind', [
        z.strictObject({ kind: z.literal('trial'), params: params(), stretch: range().nullable() }),
        z.strictObject({
          kind: z.literal('account'),
          legs: z.tuple([leg()], leg()),
          toMs: z.number(),
          stretches: z.array(range()),
        }),
        z.strictObject({ kind: z.literal('stress'), task: STRESS }),
      ]),
    )
    .min(1),
});

/** Job as it is sent. */
export type Batch = z.output<typeof BATCH>;

/** Converts tasks to a job that `readBatch` reads. They must belong to one study and share `held`. */
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

/** Reads the tasks of a job. Throws if it is not a batch. */
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

/** Report of a task, with its duration. */
interface TimedReport<Report extends BenchReport = BenchReport> {
  readonly report: Report;
  readonly tookMs: number;
}

/** Numbers that JSON cannot write. */
const ODD_NUMBERS = ['NaN', 'Infinity', '-Infinity', '-0'] as const;

const figure = z.codec(
  z.union([z.number(), z.enum(ODD_NUMBERS)]),
  z.custom<number>((value) => typeof value === 'number'),
  {
    decode: Number,
    encode: (value) => ODD_NUMBERS.find((name) => Object.is(Number(name), value)) ?? value,
  },
);

const metrics = z.record(z.string(), figure.nullable());

/** Codec of doubles as base64 of their bytes. */
const doubles = z.codec(
  z.base64().refine((text) => Buffer.byteLength(text, 'base64') % Float64Array.BYTES_PER_ELEMENT === 0),
  z.instanceof(Float64Array),
  {
    // It copies: a small Buffer is a part of a shared one, at any offset.
    decode: (text) => new Float64Array(Uint8Array.from(Buffer.from(text, 'base64')).buffer),
    encode: ({ buffer, byteOffset, byteLength }) =>
      Buffer.from(buffer, byteOffset, byteLength).toString('base64'),
  },
);

const daily = z.strictObject({ firstDay: z.int(), returns: doubles });

const timed = <Ran extends z.core.$ZodTypeDiscriminable>(ran: Ran) =>
  z.strictObject({
    tookMs: z.number().nonnegative(),
    report: z.discriminatedUnion('kind', [ran, failedReport]),
  });

const WRITTEN = {
  trial: timed(z.strictObject({ kind: z.literal('ran'), metrics, daily })),
  account: timed(
    z.strictObject({
      kind: z.literal('ran'),
      initialEquity: z.string(),
      finalEquity: z.string(),
      metrics,
      stretches: z.array(z.strictObject({ metrics, beganExposed: z.boolean() })),
      daily,
      failures: z.array(z.string()),
    }),
  ),
  stress: timed(
    z.strictObject({
      kind: z.literal('ran'),
      metrics,
      trades: z.strictObject({ changes: z.array(figure), held: heldSchema.nullable() }).nullable(),
    }),
  ),
} satisfies { readonly [Kind in keyof BenchReports]: z.ZodType<TimedReport<BenchReports[Kind]>> };

/** Writes a report as text that keeps every bit of its numbers and the order of its metrics. */
export function writeReport<Kind extends keyof BenchReports>(
  kind: Kind,
  { report, tookMs }: TimedReport<BenchReports[Kind]>,
): string {
  const schema: z.ZodType = WRITTEN[kind];
  return JSON.stringify(z.encode(schema, { report, tookMs: Math.max(0, Math.round(tookMs)) }));
}

/** Reads a report of a kind that `writeReport` wrote; null for anything else. */
export function readReport<Kind extends keyof BenchReports>(
  kind: Kind,
  text: string,
): TimedReport<BenchReports[Kind]> | null {
  const schema: z.ZodType = WRITTEN[kind];
  const read = schema.safeParse(parsedJson(text));
  return read.success ? (read.data as TimedReport<BenchReports[Kind]>) : null;
}

/** Prefix of all keys of sarraf in Redis. */
export const PREFIX = 'sarraf-study';

/** Redis key of the studies that wait for workers. */
export const OFFERS = `${PREFIX}-offers`;

/** Returns the key of the workers' notes about the studies of one source. */
export const notesOf = (source: string): string => `${PREFIX}-notes:${source}`;

/** Time for which a result is stored, in seconds, for other studies that request the same trial. */
const RETAINED_S = 86_400;
/** Time in seconds for which a machine-dependent result is stored: until its coordinator has read it. */
const RETAINED_SHORTLY_S = 60;
/** Maximum number of stored results; the oldest are dropped. One of some years takes about 20 kB. */
const MOST_RESULTS = 10_000;
/** Maximum number of keys that are read with one command. */
const AT_ONCE = 500;

const PLACE = `${PREFIX}-result:`;
const INDEX = `${PREFIX}-results`;

/** Lua script that stores a result and drops the oldest ones beyond the bound, in one atomic step. */
const STORE_RESULT = `
local time = redis.call('TIME')
redis.call('SET', KEYS[1], ARGV[1], 'EX', ARGV[2])
redis.call('ZADD', KEYS[2], time[1] * 1000000 + time[2], KEYS[1])
redis.call('EXPIRE', KEYS[2], ARGV[3])
local over = redis.call('ZCARD', KEYS[2]) - tonumber(ARGV[4])
if over > 0 then
  local dropped = redis.call('ZPOPMIN', KEYS[2], over)
  for index = 1, #dropped, 2 do redis.call('DEL', dropped[index]) end
end
return over`;

/** Results of trials in Redis, by trial key. */
export class StoredResults {
  private readonly client: Redis;
  private readonly most: number;

  constructor(client: Redis, most: number = MOST_RESULTS) {
    this.client = client;
    this.most = most;
  }

  async store(trial: string, text: string, of: { readonly isOfMachine: boolean }): Promise<void> {
    const retainedS = of.isOfMachine ? RETAINED_SHORTLY_S : RETAINED_S;
    await this.client.eval(STORE_RESULT, 2, PLACE + trial, INDEX, text, retainedS, RETAINED_S, this.most);
  }

  /** Returns the stored results of some trials, by trial key. */
  async read(trials: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const found = new Map<string, string>();
    for (let from = 0; from < trials.length; from += AT_ONCE) {
      const some = trials.slice(from, from + AT_ONCE);
      const texts = await this.client.mget(some.map((trial) => PLACE + trial));
      for (const [index, trial] of some.entries()) {
        const text = texts[index];
        if (typeof text === 'string') found.set(trial, text);
      }
    }
    return found;
  }

  /** Returns the keys of those trials that have a stored result. */
  async known(trials: readonly string[]): Promise<ReadonlySet<string>> {
    const asked = this.client.pipeline();
    for (const trial of trials) asked.exists(PLACE + trial);
    const answers = (await asked.exec()) ?? [];
    return new Set(trials.filter((_, index) => answers[index]?.[1] === 1));
  }

  async drop(trial: string): Promise<void> {
    await this.client.del(PLACE + trial);
  }
}
