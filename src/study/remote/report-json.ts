import { z } from 'zod';
import { FAILURE_KINDS, type TrialReport } from '../trials/trial-report.ts';

/** A trial's report, and how long it took. */
export interface TimedReport {
  readonly report: TrialReport;
  readonly tookMs: number;
}

/** Numbers that JSON has no word for. */
const ODD_NUMBERS = ['NaN', 'Infinity', '-Infinity', '-0'] as const;

const figure = z.union([z.number(), z.null(), z.enum(ODD_NUMBERS)]);

const WRITTEN = z.strictObject({
  tookMs: z.number().nonnegative(),
  report: z.discriminatedUnion('kind', [
    z.strictObject({
      kind: z.literal('ran'),
      metrics: z.record(z.string(), figure),
      firstDay: z.int(),
      returns: z.base64(),
    }),
    z.strictObject({ kind: z.literal('failed'), failure: z.enum(FAILURE_KINDS), reason: z.string() }),
  ]),
});

/** A report as text that is read again to the last bit, with its figures in their order. */
export function writeReport({ report, tookMs }: TimedReport): string {
  const rounded = Math.max(0, Math.round(tookMs));
  if (report.kind === 'failed') return JSON.stringify({ tookMs: rounded, report });
  const { metrics, daily } = report;
  const { buffer, byteOffset, byteLength } = daily.returns;
  const written = {
    kind: 'ran',
    metrics: Object.fromEntries(Object.entries(metrics).map(([name, value]) => [name, writeFigure(value)])),
    firstDay: daily.firstDay,
    returns: Buffer.from(buffer, byteOffset, byteLength).toString('base64'),
  };
  return JSON.stringify({ tookMs: rounded, report: written });
}

/** Reads what `writeReport` wrote; null for anything else. */
export function readReport(text: string): TimedReport | null {
  const read = WRITTEN.safeParse(parsed(text));
  if (!read.success) return null;
  const { tookMs, report } = read.data;
  if (report.kind === 'failed') return { tookMs, report };
  const { metrics, firstDay, returns } = report;
  const bytes = Buffer.from(returns, 'base64');
  if (bytes.length % Float64Array.BYTES_PER_ELEMENT !== 0) return null;
  const figures = Object.entries(metrics).map(([name, value]) => [name, readFigure(value)] as const);
  // A copy: a small Buffer is a part of a shared one, at any place of it.
  const values = new Float64Array(Uint8Array.from(bytes).buffer);
  return {
    tookMs,
    report: { kind: 'ran', metrics: Object.fromEntries(figures), daily: { firstDay, returns: values } },
  };
}

function writeFigure(value: number | null): z.output<typeof figure> {
  if (value === null) return null;
  const odd = ODD_NUMBERS.find((name) => Object.is(Number(name), value));
  return odd ?? value;
}

function readFigure(value: z.output<typeof figure>): number | null {
  return typeof value === 'string' ? Number(value) : value;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
