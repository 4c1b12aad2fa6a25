import { withoutYear } from '../backtest/finish-run.ts';
import { SarrafError, present } from '../domain/errors.ts';
import { createRandom, type RandomSource } from '../domain/random.ts';
import type { RunRange, Objective, TrialMetrics } from './objectives.ts';
import { tradeOrderRisk, type TradeOrderRisk } from '../statistics/trade-order-risk.ts';
import { finding, said } from './english-study.ts';
import { notTested, tested, type Tested } from './validation/luck-statistics.ts';
import {
  type PaidCost,
  type Missing,
  type StoredStress,
  AGAIN,
  ALL_COSTS,
  costName,
  drawName,
  stressSeed,
} from './stress/stress-runs.ts';
import type { RanReport, StressReport } from './stress/stress-task.ts';
import { inDigits } from '../language/fact.ts';
import { quantilesOf, type Quantiles } from '../statistics/estimate.ts';

/** Result with one cost doubled. */
interface DoubledCost extends PaidCost {
  readonly result: Tested<TrialMetrics>;
}

/** Findings on a study's best trial under other conditions, as plain JSON. */
export interface StressFindings {
  readonly trial: number;
  /** Number of histories of redrawn bars, and of random entries. */
  readonly draws: number;
  readonly costs: {
    /** Result with all costs doubled. */
    readonly all: Tested<TrialMetrics>;
    /** Results with a single cost doubled; empty if there is only one cost. */
    readonly each: readonly DoubledCost[];
    readonly paid: readonly PaidCost[];
  };
  /** Results of the trades in other orders: `reorder` for the drawdown, `resample` for the end, too. */
  readonly tradeOrder: {
    readonly reorder: Tested<TradeOrderRisk>;
    readonly resample: Tested<TradeOrderRisk>;
  };
  /** Results of the same params on redrawn bars. */
  readonly redrawn: Tested<RedrawnFindings>;
  /** Results of random entries with the same exposure. */
  readonly entries: Tested<EntryFindings>;
}

/** Computes the findings from ended runs; equal runs give equal ones on every machine. `id`: the study's. */
export function stressFindings(
  { trial, basis, reports }: StoredStress,
  { id, objective, seen }: { readonly id: string; readonly objective: Objective; readonly seen: RunRange },
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
    redrawn: typeof meanBlock === 'number' ? redrawnFindings(drawn('bars'), meanBlock) : missingOf(meanBlock),
    entries:
      typeof positions === 'number'
        ? entryFindings(again, drawn('entries'), objective)
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

const shownReport = (report: StressReport, seen: RunRange): StressReport =>
  report.kind === 'ran' ? { ...report, metrics: withoutYear(report.metrics, seen) } : report;

const metricsOf = (report: StressReport): Tested<TrialMetrics> =>
  report.kind === 'ran' ? { kind: 'tested', value: report.metrics } : notTested(said(report.reason));

const RUNS = 1_000;
const LEAST_RUNS = 100;
/** Maximum number of trades that are drawn in all, which takes about a second. */
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

/** Minimum number of random entries: fewer cannot show what happens by chance in 1 of 20. */
const LEAST_CONTROLS = 19;

/** Rank of the best trial among random entries with the same exposure. */
export interface EntryFindings {
  /** Number of random entries that ended with a value, and of those that did not. */
  readonly controls: number;
  readonly failed: number;
  /** First objective, by which they are compared. */
  readonly metric: string;
  /** Value of the best trial. */
  readonly found: number;
  /** Values of the random entries. */
  readonly values: Quantiles;
  readonly totalReturn: Quantiles;
  /** Share of random entries that are as good as the trial, 0 to 1. */
  readonly asGood: number;
  /** P value: `(1 + random entries as good) / (1 + random entries)`. */
  readonly pValue: number;
}

function entryFindings(
  again: RanReport,
  reports: readonly StressReport[],
  objective: Objective,
): Tested<EntryFindings> {
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

/** Returns how many values are as good as `found`. */
export function asGoodAs(
  found: number,
  values: readonly number[],
  direction: Objective['direction'],
): number {
  return values.filter((value) => (direction === 'maximize' ? value >= found : value <= found)).length;
}

/** Results of the best trial's params on redrawn bars. */
export interface RedrawnFindings {
  /** Number of histories that ran to their end, and of those that did not. */
  readonly histories: number;
  readonly failed: number;
  /** Mean length of a block, in bars. */
  readonly meanBlock: number;
  /** Share of histories in which the trial loses, 0 to 1. */
  readonly lossShare: number;
  /** Share of histories in which the trial earns more than holding the market does, 0 to 1. */
  readonly beatsHolding: number;
  readonly totalReturn: Quantiles;
  readonly maxDrawdown: Quantiles;
  /** Returns of holding the market. */
  readonly holding: Quantiles;
}

function redrawnFindings(reports: readonly StressReport[], meanBlock: number): Tested<RedrawnFindings> {
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
