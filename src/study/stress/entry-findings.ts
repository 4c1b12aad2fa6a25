import { inDigits } from '../../language/fact.ts';
import type { Objective } from '../objectives.ts';
import { quantilesOf, type Quantiles } from '../../statistics/sample-moments.ts';
import { finding } from '../study-fact.ts';
import { notTested, type Tested } from '../validation/tested.ts';
import type { RanReport, StressReport } from './stress-task.ts';

/** Fewer can not show what chance does in one of twenty. */
const LEAST_CONTROLS = 19;

/** Rank of the best trial among random entries with the same exposure. */
export interface EntryFindings {
  /** Controls that ran to their end with a value, and those that did not. */
  readonly controls: number;
  readonly failed: number;
  /** The first objective, by which they are compared. */
  readonly metric: string;
  /** Value of the trial. */
  readonly found: number;
  /** Values of the controls. */
  readonly values: Quantiles;
  readonly totalReturn: Quantiles;
  /** The share of controls that are as good as the trial, 0 to 1. */
  readonly asGood: number;
  /** `(1 + controls as good) / (1 + controls)`. */
  readonly pValue: number;
}

export function entryFindings(
  again: RanReport,
  of: { readonly reports: readonly StressReport[]; readonly objective: Objective },
): Tested<EntryFindings> {
  const { reports, objective } = of;
  const { metric, direction } = objective;
  const found = again.metrics[metric] ?? null;
  if (found === null) return notTested(finding('lack.valueOfMetric', { metric: { metric } }));
  const ran = reports.flatMap((report) => (report.kind === 'ran' ? [report.metrics] : []));
  const values = ran.flatMap((metrics) => metrics[metric] ?? []);
  if (values.length < LEAST_CONTROLS)
    return notTested(
      finding('lack.controls', { least: inDigits(LEAST_CONTROLS), found: inDigits(values.length) }),
    );
  const asGood = asGoodAs(found, values, direction);
  return {
    kind: 'tested',
    value: {
      controls: values.length,
      failed: reports.length - values.length,
      metric,
      found,
      values: quantilesOf(Float64Array.from(values)),
      totalReturn: quantilesOf(Float64Array.from(ran, ({ totalReturn }) => totalReturn ?? 0)),
      asGood: asGood / values.length,
      pValue: (1 + asGood) / (1 + values.length),
    },
  };
}

/** Returns the number of values as good as one. */
export function asGoodAs(
  found: number,
  values: readonly number[],
  direction: Objective['direction'],
): number {
  return values.filter((value) => (direction === 'maximize' ? value >= found : value <= found)).length;
}
