import { withoutYear } from '../backtest/finish-run.ts';
import { SarrafError } from '../domain/errors.ts';
import { createRandom, type RandomSource } from '../domain/random.ts';
import { present } from '../domain/invariant.ts';
import type { Stretch } from './stretch.ts';
import type { Objective, TrialMetrics } from './objectives.ts';
import { tradeOrderRisk, type TradeOrderRisk } from '../statistics/trade-order-risk.ts';
import { finding, said } from './study-fact.ts';
import { notTested, tested, type Tested } from './validation/tested.ts';
import type { PaidCost } from './stress/doubled-costs.ts';
import { entryFindings, type EntryFindings } from './stress/entry-findings.ts';
import { redrawnFindings, type RedrawnFindings } from './stress/redrawn-findings.ts';
import type { Missing, StoredStress } from './stress/stored-stress.ts';
import { AGAIN, ALL_COSTS, costName, drawName } from './stress/stress-runs.ts';
import { stressSeed } from './stress/stress-seed.ts';
import type { RanReport, StressReport } from './stress/stress-task.ts';

/** One cost doubled, and what is left. */
interface DoubledCost extends PaidCost {
  readonly result: Tested<TrialMetrics>;
}

/** Findings on a study's best trial under other conditions: JSON. */
export interface StressFindings {
  readonly trial: number;
  /** Of redrawn bars and of random entries, each. */
  readonly draws: number;
  readonly costs: {
    /** Every cost doubled. */
    readonly all: Tested<TrialMetrics>;
    /** Each by itself, where there are several. */
    readonly each: readonly DoubledCost[];
    readonly paid: readonly PaidCost[];
  };
  /** The closed trades in other orders: `reorder` for the drawdown, `resample` for the end, too. */
  readonly tradeOrder: {
    readonly reorder: Tested<TradeOrderRisk>;
    readonly resample: Tested<TradeOrderRisk>;
  };
  /** The same params on blocks of bars that were drawn anew. */
  readonly redrawn: Tested<RedrawnFindings>;
  /** Random entries with the same exposure. */
  readonly entries: Tested<EntryFindings>;
}

/**
 * Returns the findings of ended runs. The same runs give the same findings on every machine. `id`: of the
 * study.
 */
export function stressFindings(
  { trial, basis, reports }: StoredStress,
  { id, objective, seen }: { readonly id: string; readonly objective: Objective; readonly seen: Stretch },
): StressFindings {
  const { draws, meanBlock, positions } = basis;
  const reportOf = (name: string): StressReport => present(reports.get(name), () => `the run ${name}`);
  const again = reportOf(AGAIN);
  if (again.kind === 'failed')
    throw new SarrafError('INVARIANT', `expected the trial, found ${again.reason}`);
  const drawn = (what: 'bars' | 'entries'): readonly StressReport[] =>
    Array.from({ length: draws }, (_, index) => reportOf(drawName(what, index + 1)));
  return {
    trial,
    draws,
    costs: costsOf(basis.paid, (name) => shownReport(reportOf(name), seen)),
    tradeOrder: tradeOrderOf(again, (draw) => createRandom(stressSeed({ id, trial, run: draw }))),
    redrawn:
      typeof meanBlock === 'number' ? redrawnFindings(drawn('bars'), { meanBlock }) : missingOf(meanBlock),
    entries:
      typeof positions === 'number'
        ? entryFindings(again, { reports: drawn('entries'), objective })
        : missingOf(positions),
  };
}

const missingOf = ({ missing }: Missing): Tested<never> => notTested(missing);

function costsOf(
  paid: readonly PaidCost[],
  reportOf: (name: string) => StressReport,
): StressFindings['costs'] {
  if (paid.length === 0)
    return {
      all: notTested(finding('lack.costs')),
      each: [],
      paid,
    };
  return {
    all: metricsOf(reportOf(ALL_COSTS)),
    each:
      paid.length === 1
        ? []
        : paid.map((one) => ({ ...one, result: metricsOf(reportOf(costName(one.cost))) })),
    paid,
  };
}

const shownReport = (report: StressReport, seen: Stretch): StressReport =>
  report.kind === 'ran' ? { ...report, metrics: withoutYear(report.metrics, seen) } : report;

function metricsOf(report: StressReport): Tested<TrialMetrics> {
  return report.kind === 'ran' ? { kind: 'tested', value: report.metrics } : notTested(said(report.reason));
}

const RUNS = 1_000;
const LEAST_RUNS = 100;
/** Trades that are put in order in all: a second of work. */
const MOST_DRAWN = 50_000_000;

function tradeOrderOf(
  { trades }: RanReport,
  randomOf: (draw: 'reorder' | 'resample') => RandomSource,
): StressFindings['tradeOrder'] {
  const changes = Float64Array.from(present(trades, 'the trades of the trial').changes);
  const runs = Math.max(LEAST_RUNS, Math.min(RUNS, Math.floor(MOST_DRAWN / Math.max(1, changes.length))));
  const risk = (draw: 'reorder' | 'resample'): Tested<TradeOrderRisk> =>
    tested(() => tradeOrderRisk(changes, { random: randomOf(draw), runs, draw }));
  return { reorder: risk('reorder'), resample: risk('resample') };
}
