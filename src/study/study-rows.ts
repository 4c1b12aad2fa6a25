import { z } from 'zod';
import { dataUnusable } from '../domain/errors.ts';
import { type TrialMetrics, FAILURE_KINDS, type FailureKind, type Objective } from './objectives.ts';
import { trialRecords, type TrialOutcome } from '../search/trial-record.ts';
import type { Point } from '../search/space-declaration.ts';
import type { Params } from '../search/params-of-point.ts';
import type { DailyReturns } from '../backtest/statistics.ts';
import { dominates } from '../search/nsga-proposer.ts';

/** Ended trial as a study stores it. */
export interface StoredTrial {
  readonly number: number;
  readonly point: Point;
  /** Params of the strategy: the fixed ones, overridden by the point's. */
  readonly params: Params;
  readonly outcome: TrialOutcome;
  /** Kind of failure; null if the trial has values. */
  readonly failure: FailureKind | null;
  /** Metrics of the trial; null if it did not run to its end. */
  readonly metrics: TrialMetrics | null;
  readonly daily: DailyReturns | null;
}

const ROW = z.strictObject({
  number: z.int().nonnegative(),
  point: z.string(),
  params: z.string(),
  outcome: z.string(),
  failure: z.enum(FAILURE_KINDS).nullable(),
  metrics: z.string().nullable(),
  first_day: z.int().nullable(),
  /** Daily returns as 64-bit floats, little-endian. */
  returns: z.instanceof(Buffer).nullable(),
});

/** Row of the table of trials. Equal trials give equal rows, byte for byte. */
export type TrialRow = Readonly<z.output<typeof ROW>>;

const FLOAT_BYTES = Float64Array.BYTES_PER_ELEMENT;

export function rowOf(trial: StoredTrial): TrialRow {
  const { number, point, params, outcome, failure, metrics, daily } = trial;
  return {
    number,
    point: JSON.stringify(point),
    params: JSON.stringify(params),
    outcome: JSON.stringify(outcome),
    failure,
    metrics: metrics === null ? null : JSON.stringify(metrics),
    first_day: daily === null ? null : daily.firstDay,
    returns: daily === null ? null : bytesOf(daily.returns),
  };
}

const PARAMS = z.record(z.string(), z.unknown());
const METRICS = z.record(z.string(), z.number().nullable());

/** Reads a trial from its row. Throws `DATA_UNUSABLE` for a damaged one. */
export function trialOfRow(found: unknown): StoredTrial {
  const number = z.looseObject({ number: z.int() }).safeParse(found).data?.number ?? 'of no number';
  try {
    const row = ROW.parse(found);
    const [record] = trialRecords.parse([{ point: JSON.parse(row.point), outcome: JSON.parse(row.outcome) }]);
    if (record === undefined || record.outcome === null) throw new Error('expected an outcome');
    const metrics = row.metrics === null ? null : METRICS.parse(JSON.parse(row.metrics));
    return {
      number: row.number,
      point: record.point,
      params: PARAMS.parse(JSON.parse(row.params)),
      outcome: record.outcome,
      failure: row.failure,
      metrics,
      daily:
        row.returns === null || row.first_day === null
          ? null
          : { firstDay: row.first_day, returns: floatsOf(row.returns) },
    };
  } catch (error) {
    const reason = error instanceof Error ? (error.message.split('\n', 1)[0] ?? '') : String(error);
    throw dataUnusable(
      `expected a trial in row ${number} of the study, found one that can not be read (${reason}): restore a copy, or run the study under another name`,
      { cause: error },
    );
  }
}

function bytesOf(values: Float64Array): Buffer {
  const bytes = Buffer.alloc(values.length * FLOAT_BYTES);
  for (const [index, value] of values.entries()) bytes.writeDoubleLE(value, index * FLOAT_BYTES);
  return bytes;
}

function floatsOf(bytes: Buffer): Float64Array {
  if (bytes.length % FLOAT_BYTES !== 0) throw new Error(`expected floats, found ${bytes.length} bytes`);
  const values = new Float64Array(bytes.length / FLOAT_BYTES);
  for (const index of values.keys()) values[index] = bytes.readDoubleLE(index * FLOAT_BYTES);
  return values;
}

interface Judged {
  readonly number: number;
  readonly outcome: TrialOutcome;
}

interface Compared<Trial> {
  readonly trial: Trial;
  readonly losses: readonly number[];
  readonly violation: number;
}

/**
 * Returns the trials that no other is better than, by number: the best ones, or the Pareto front of several
 * objectives. A trial that holds all constraints is better than one that breaks some.
 */
export function bestTrials<Trial extends Judged>(
  trials: Iterable<Trial>,
  objectives: readonly Objective[],
): readonly Trial[] {
  let front: Compared<Trial>[] = [];
  for (const trial of trials) {
    const { outcome } = trial;
    if (outcome.kind === 'failed') continue;
    const losses = outcome.values.map((value, index) =>
      objectives[index]?.direction === 'maximize' ? -value : value,
    );
    const compared = { trial, losses, violation: outcome.violation };
    if (front.some((other) => dominates(other, compared))) continue;
    front = [...front.filter((other) => !dominates(compared, other)), compared];
  }
  return front.map(({ trial }) => trial).toSorted((left, right) => left.number - right.number);
}

/** Returns the one best trial: of the best, the earliest with the best first objective. */
export function bestTrial<Trial extends Judged>(
  trials: Iterable<Trial>,
  objectives: readonly Objective[],
): Trial | null {
  const [first] = objectives;
  const lossOf = ({ outcome }: Trial): number => {
    const value = outcome.kind === 'complete' ? (outcome.values[0] ?? Infinity) : Infinity;
    return first?.direction === 'maximize' ? -value : value;
  };
  return bestTrials(trials, objectives).reduce<Trial | null>(
    (best, trial) => (best === null || lossOf(trial) < lossOf(best) ? trial : best),
    null,
  );
}
