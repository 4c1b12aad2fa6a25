import { inDigits } from '../../language/fact.ts';
import { quantilesOf, type Quantiles } from '../../statistics/sample-moments.ts';
import { finding } from '../study-fact.ts';
import { notTested, type Tested } from '../validation/tested.ts';
import type { StressReport } from './stress-task.ts';

/** Results of the best trial's params on redrawn bars. */
export interface RedrawnFindings {
  /** Histories that were run to their end, and those that were not. */
  readonly histories: number;
  readonly failed: number;
  /** In bars. */
  readonly meanBlock: number;
  /** The share of histories in which it loses, 0 to 1. */
  readonly lossShare: number;
  /** The share of histories in which it earns more than holding the market does there, 0 to 1. */
  readonly beatsHolding: number;
  readonly totalReturn: Quantiles;
  readonly maxDrawdown: Quantiles;
  /** The return of holding. */
  readonly holding: Quantiles;
}

export function redrawnFindings(
  reports: readonly StressReport[],
  { meanBlock }: { readonly meanBlock: number },
): Tested<RedrawnFindings> {
  const ran = reports.flatMap((report) => (report.kind === 'ran' ? [report.metrics] : []));
  const failed = reports.find((report) => report.kind === 'failed');
  if (ran.length <= reports.length / 2)
    return notTested(
      finding('lack.histories', {
        found: inDigits(ran.length),
        all: inDigits(reports.length),
        reason: failed?.reason ?? '',
      }),
    );
  const column = (name: string): Float64Array => Float64Array.from(ran, (metrics) => metrics[name] ?? 0);
  const [earned, held] = [column('totalReturn'), column('buyAndHoldReturn')];
  const share = (isSo: (value: number, index: number) => boolean): number =>
    earned.filter(isSo).length / earned.length;
  return {
    kind: 'tested',
    value: {
      histories: ran.length,
      failed: reports.length - ran.length,
      meanBlock,
      lossShare: share((value) => value < 0),
      beatsHolding: share((value, index) => value > (held[index] ?? 0)),
      totalReturn: quantilesOf(earned),
      maxDrawdown: quantilesOf(column('maxDrawdown')),
      holding: quantilesOf(held),
    },
  };
}
