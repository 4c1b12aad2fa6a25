import { z } from 'zod';
import { heldSchema } from '../stress/held-schema.ts';
import type { BenchReport, BenchReports } from '../trials/bench-task.ts';
import { FAILURE_KINDS } from '../trial-report.ts';

/** A report, and how long it took. */
interface TimedReport<Report extends BenchReport = BenchReport> {
  readonly report: Report;
  readonly tookMs: number;
}

/** Numbers that JSON has no word for. */
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

/** Doubles by their bytes. */
const doubles = z.codec(
  z.base64().refine((text) => Buffer.byteLength(text, 'base64') % Float64Array.BYTES_PER_ELEMENT === 0),
  z.instanceof(Float64Array),
  {
    // A copy: a small Buffer is a part of a shared one, at any place of it.
    decode: (text) => new Float64Array(Uint8Array.from(Buffer.from(text, 'base64')).buffer),
    encode: ({ buffer, byteOffset, byteLength }) =>
      Buffer.from(buffer, byteOffset, byteLength).toString('base64'),
  },
);

const daily = z.strictObject({ firstDay: z.int(), returns: doubles });

const failed = z.strictObject({
  kind: z.literal('failed'),
  failure: z.enum(FAILURE_KINDS),
  reason: z.string(),
});

const timed = <Ran extends z.core.$ZodTypeDiscriminable>(ran: Ran) =>
  z.strictObject({
    tookMs: z.number().nonnegative(),
    report: z.discriminatedUnion('kind', [ran, failed]),
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

/** A report as text that is read again to the last bit, with its figures in their order. */
export function writeReport<Kind extends keyof BenchReports>(
  kind: Kind,
  { report, tookMs }: TimedReport<BenchReports[Kind]>,
): string {
  const schema: z.ZodType = WRITTEN[kind];
  return JSON.stringify(z.encode(schema, { report, tookMs: Math.max(0, Math.round(tookMs)) }));
}

/** Reads what `writeReport` wrote of the same kind; null for anything else. */
export function readReport<Kind extends keyof BenchReports>(
  kind: Kind,
  text: string,
): TimedReport<BenchReports[Kind]> | null {
  const schema: z.ZodType = WRITTEN[kind];
  const read = schema.safeParse(parsed(text));
  return read.success ? (read.data as TimedReport<BenchReports[Kind]>) : null;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
