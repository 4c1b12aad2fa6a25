import { isTooShortFor } from '../../backtest/finish-run.ts';
import type { RunRange, TrialMetrics } from '../objectives.ts';
import { inDigits } from '../../language/fact.ts';
import type { StressFindings, EntryFindings } from '../stress-findings.ts';
import { finding, type StudyFinding } from '../english-study.ts';
import { type LuckStatistics, valueOf, type Tested } from './luck-statistics.ts';
import type { Plateau } from './plateau.ts';

/**
 * Role of luck in the best trial:
 *
 * - `likely luck`: no test that could be made finds more than luck.
 * - `perhaps luck`: tests disagree, or random entries do as well.
 * - `unlikely luck`: every test finds more than luck, with all trials on this data counted.
 * - `not tested`: too little to judge.
 */
type LuckKind = 'likely luck' | 'perhaps luck' | 'unlikely luck' | 'not tested';

/** Conclusions from the results of a study. */
export interface StudyVerdict {
  readonly luck: { readonly kind: LuckKind; readonly reasons: readonly StudyFinding[] };
  readonly stable: { readonly kind: 'plateau' | 'peak' | 'not tested'; readonly reason: StudyFinding };
  /** Conclusion from the runs under other conditions. */
  readonly stress: StressVerdict;
  /** Points that were not tested, each with its reason. */
  readonly notTested: readonly StudyFinding[];
}

export interface VerdictBasis {
  readonly statistics: LuckStatistics;
  readonly plateau: Tested<Plateau>;
  /** Name of the first objective. */
  readonly metric: string;
  readonly metrics: TrialMetrics;
  readonly holdout: 'none' | 'closed' | 'opened';
  /** True if a walk-forward has been run to its end. */
  readonly isWalked: boolean;
  /** Range that the trials saw. */
  readonly seen: RunRange;
  /** Results of the best trial under other conditions; null if they were not run. */
  readonly stress: StressFindings | null;
}

/** Significance level of the tests: the usual chance of being wrong. */
const SIGNIFICANCE = 0.05;
/** Minimum number of closed trades: fewer are only a few decisions, however many days they lasted. */
const LEAST_TRADES = 10;
const DAYS_OF_YEAR = 365;

/** Test of luck. `isBeyond`: true if it finds more than luck. */
interface LuckTest {
  readonly isBeyond: boolean;
  readonly reason: StudyFinding;
}

export function verdictOf(basis: VerdictBasis): StudyVerdict {
  return {
    luck: luckOf(basis),
    stable: stabilityOf(basis),
    stress: stressVerdict(basis.stress),
    notTested: notTestedOf(basis),
  };
}

function luckOf({ statistics, metrics, stress }: VerdictBasis): StudyVerdict['luck'] {
  const deflated = deflatedTest(statistics);
  const ability = abilityTest(statistics);
  const overfitting = overfittingTest(statistics);
  const made = [deflated, ability, overfitting].filter((test) => test !== null);
  const trades = metrics['trades'] ?? 0;
  const missing = [
    ...(deflated === null ? missingReason(statistics.deflatedSharpeOfData) : []),
    ...(ability === null ? missingReason(statistics.superiorPredictiveAbility) : []),
    ...(overfitting === null ? missingReason(statistics.overfittingProbability) : []),
    ...(trades < LEAST_TRADES
      ? [finding('luck.fewTrades', { least: inDigits(LEAST_TRADES), found: inDigits(trades) })]
      : []),
  ];
  const doubts = entriesDoubt(stress);
  // The same missing input of several tests is reported once.
  const reasons = [
    ...made.map(({ reason }) => reason),
    ...new Map(missing.map((one) => [JSON.stringify(one), one])).values(),
    ...doubts,
    ...holdingReason(metrics),
  ];
  const kind = kindOf(made, missing.length === 0);
  return { kind: kind === 'unlikely luck' && doubts.length > 0 ? 'perhaps luck' : kind, reasons };
}

function kindOf(made: readonly LuckTest[], isWhole: boolean): LuckKind {
  const beyond = made.filter(({ isBeyond }) => isBeyond).length;
  if (made.length > 0 && beyond === 0) return 'likely luck';
  if (beyond < made.length) return 'perhaps luck';
  return isWhole ? 'unlikely luck' : 'not tested';
}

/** Returns a doubt if random entries do as well. Beating them proves nothing: that test counts no trials. */
function entriesDoubt(stress: StressFindings | null): readonly StudyFinding[] {
  const found = stress === null ? null : valueOf(stress.entries);
  if (found === null || isBetterThanRandom(found)) return [];
  return [finding('luck.entries')];
}

const missingReason = (of: Tested<unknown>): readonly StudyFinding[] =>
  of.kind === 'not tested' ? [finding('sentence', { text: of.message })] : [];

function deflatedTest({ deflatedSharpeOfData, probabilisticSharpe }: LuckStatistics): LuckTest | null {
  const [deflation, moments] = [valueOf(deflatedSharpeOfData), valueOf(probabilisticSharpe)];
  if (deflation === null || moments === null) return null;
  const { trials, expectedMaximum, probability } = deflation;
  return {
    isBeyond: probability >= 1 - SIGNIFICANCE,
    reason: finding('luck.deflated', {
      trials,
      expected: { value: yearly(expectedMaximum) },
      found: { value: yearly(moments.sharpe) },
      probability: { share: probability },
    }),
  };
}

function abilityTest({ superiorPredictiveAbility }: LuckStatistics): LuckTest | null {
  const found = valueOf(superiorPredictiveAbility);
  if (found === null) return null;
  return {
    isBeyond: found.pValue <= SIGNIFICANCE,
    reason: finding('luck.ability', { share: { share: found.pValue } }),
  };
}

/** Tests for overfitting. It is enough that the choice does not lose: trials that are alike have no best. */
function overfittingTest({ overfittingProbability }: LuckStatistics): LuckTest | null {
  const found = valueOf(overfittingProbability);
  if (found === null) return null;
  const { probability, lossProbability } = found;
  return {
    isBeyond: probability <= SIGNIFICANCE || lossProbability <= SIGNIFICANCE,
    reason: finding('luck.overfitting', {
      average: { share: probability },
      loss: { share: lossProbability },
    }),
  };
}

/** Compares with holding the market. The other tests compare with cash, which a rising market beats alone. */
function holdingReason(metrics: TrialMetrics): readonly StudyFinding[] {
  const [earned, held] = [metrics['totalReturn'] ?? null, metrics['buyAndHoldReturn'] ?? null];
  if (earned === null || held === null || held <= 0) return [];
  const compared = earned > held ? 'luck.heldLess' : 'luck.heldMore';
  return [finding(compared, { held: { share: held }, earned: { share: earned } })];
}

function stabilityOf({ plateau, metric, seen }: VerdictBasis): StudyVerdict['stable'] {
  if (plateau.kind === 'not tested') return { kind: 'not tested', reason: plateau.message };
  const { neighbours, medianOfNeighbours, worstTenth, best, kept, isPlateau } = plateau.value;
  const near = finding('count.nearest', { count: neighbours });
  const reason =
    medianOfNeighbours === null
      ? finding('stable.failed', { near })
      : isTooShortFor(metric, seen)
        ? finding('stable.kept', { metric: { metric }, near, kept: { share: kept } })
        : finding('stable.values', {
            metric: { metric },
            best: { value: best },
            near,
            median: { value: medianOfNeighbours },
            worst: { value: worstTenth },
          });
  return { kind: isPlateau ? 'plateau' : 'peak', reason };
}

function notTestedOf({ holdout, isWalked, stress, metrics }: VerdictBasis): readonly StudyFinding[] {
  // A run on candles makes no requests.
  const isOnBooks = (metrics['requests'] ?? null) !== null;
  return [
    ...(holdout === 'none' ? [finding('untested.noHoldout')] : []),
    ...(holdout === 'closed'
      ? [finding('untested.closedHoldout', { command: 'sarraf study open-holdout' })]
      : []),
    ...(isWalked ? [] : [finding('untested.walk', { command: 'sarraf study walk-forward' })]),
    ...(isOnBooks ? [] : [finding('untested.books')]),
    ...untestedStress(stress),
  ];
}

const yearly = (daily: number): number => daily * Math.sqrt(DAYS_OF_YEAR);

/** Conclusion on a best trial under other conditions. */
interface StressVerdict {
  /**
   * - `breaks`: the result is lost under at least one condition.
   * - `holds`: all conditions were tested, and the result is lost under none.
   * - `not tested`: some were not tested, and the result is lost under none of the others.
   */
  readonly kind: 'breaks' | 'holds' | 'not tested';
  readonly reasons: readonly StudyFinding[];
}

/** Maximum share of resampled trade sequences that lose: the usual chance of being wrong. */
const MOST_LOSSES = 0.05;

/** Test of one condition. */
interface StressTest {
  readonly condition: Condition;
  /** True if the result holds; null if it was not tested: the reason then says why. */
  readonly isHeld: boolean | null;
  readonly reason: StudyFinding;
}

export function stressVerdict(findings: StressFindings | null): StressVerdict {
  if (findings === null) return { kind: 'not tested', reasons: [] };
  const tests = testsOf(findings);
  const reasons = tests.flatMap(({ isHeld, reason }) => (isHeld === null ? [] : [reason]));
  if (tests.some(({ isHeld }) => isHeld === false)) return { kind: 'breaks', reasons };
  return { kind: tests.every(({ isHeld }) => isHeld === true) ? 'holds' : 'not tested', reasons };
}

/** Returns the untested conditions, with the reason for each. */
export function untestedStress(findings: StressFindings | null): readonly StudyFinding[] {
  if (findings === null)
    return CONDITIONS.map((condition) =>
      finding('untested.stress', { condition: finding(condition), command: 'sarraf study stress' }),
    );
  return testsOf(findings).flatMap(({ condition, isHeld, reason }) =>
    isHeld === null ? [finding('untested.condition', { condition: finding(condition), why: reason })] : [],
  );
}

const CONDITIONS = ['condition.costs', 'condition.trades', 'condition.candles', 'condition.entries'] as const;

type Condition = (typeof CONDITIONS)[number];

const testsOf = (findings: StressFindings): readonly StressTest[] => [
  costsTest(findings),
  tradesTest(findings),
  redrawnTest(findings),
  entriesTest(findings),
];

function costsTest({ costs }: StressFindings): StressTest {
  const earned = valueOf(costs.all)?.['totalReturn'] ?? null;
  if (earned === null) return missing('condition.costs', costs.all);
  const isHeld = earned > 0;
  return {
    condition: 'condition.costs',
    isHeld,
    reason: finding(isHeld ? 'stress.earns' : 'stress.loses', { earned: { share: earned } }),
  };
}

function tradesTest({ tradeOrder: { reorder, resample } }: StressFindings): StressTest {
  const [order, draw] = [valueOf(reorder), valueOf(resample)];
  if (order === null) return missing('condition.trades', reorder);
  if (draw === null) return missing('condition.trades', resample);
  return {
    condition: 'condition.trades',
    isHeld: draw.lossShare <= MOST_LOSSES,
    reason: finding('stress.trades', {
      loss: { share: draw.lossShare },
      drawdown: { share: order.drawdown.p95 },
    }),
  };
}

/** Share of redrawn histories from which on losing ones break the result. */
const MOST_LOST_HISTORIES = 0.5;

function redrawnTest({ redrawn }: StressFindings): StressTest {
  const condition = 'condition.candles';
  const found = valueOf(redrawn);
  if (found === null) return missing(condition, redrawn);
  const { histories, lossShare, beatsHolding } = found;
  return {
    condition,
    isHeld: lossShare < MOST_LOST_HISTORIES,
    reason: finding('stress.candles', {
      histories: finding('count.redrawn', { count: histories }),
      loss: { share: lossShare },
      more: { share: beatsHolding },
    }),
  };
}

function entriesTest({ entries }: StressFindings): StressTest {
  const condition = 'condition.entries';
  const found = valueOf(entries);
  if (found === null) return missing(condition, entries);
  const isHeld = isBetterThanRandom(found);
  return {
    condition,
    isHeld,
    reason: finding(isHeld ? 'stress.better' : 'stress.noBetter', {
      share: { share: found.asGood },
      controls: finding('count.controls', { count: found.controls }),
    }),
  };
}

/** True if random entries do as well so rarely that chance is unlikely, if the trial was the only one. */
const isBetterThanRandom = ({ pValue }: EntryFindings): boolean => pValue <= SIGNIFICANCE;

function missing(condition: Condition, of: Tested<unknown>): StressTest {
  const reason = of.kind === 'not tested' ? of.message : finding('lack.figure');
  return { condition, isHeld: null, reason };
}
