import { isTooShortFor } from '../../backtest/finish-run.ts';
import type { Stretch } from '../stretch.ts';
import { inDigits } from '../../language/fact.ts';
import type { StressFindings } from '../stress-findings.ts';
import type { TrialMetrics } from '../objectives.ts';
import { finding, type StudyFinding } from '../study-fact.ts';
import type { LuckStatistics } from './luck-statistics.ts';
import type { Plateau } from './plateau.ts';
import { isBetterThanRandom, stressVerdict, untestedStress, type StressVerdict } from './stress-verdict.ts';
import { valueOf, type Tested } from './tested.ts';

/**
 * Role of luck in the best trial:
 *
 * - `likely luck`: every test that could be made finds what luck finds.
 * - `perhaps luck`: tests disagree.
 * - `unlikely luck`: every test finds more than luck, the trials on this data counted.
 * - `not tested`: too little to judge.
 */
type LuckKind = 'likely luck' | 'perhaps luck' | 'unlikely luck' | 'not tested';

/** Conclusions from a study's figures. */
export interface StudyVerdict {
  readonly luck: { readonly kind: LuckKind; readonly reasons: readonly StudyFinding[] };
  readonly stable: { readonly kind: 'plateau' | 'peak' | 'not tested'; readonly reason: StudyFinding };
  /** Outcome under other conditions. */
  readonly stress: StressVerdict;
  /** Points that were not tested, each with the reason. */
  readonly notTested: readonly StudyFinding[];
}

export interface VerdictBasis {
  readonly statistics: LuckStatistics;
  readonly plateau: Tested<Plateau>;
  /** The first objective. */
  readonly metric: string;
  readonly metrics: TrialMetrics;
  readonly holdout: 'none' | 'closed' | 'opened';
  /** True if a walk-forward has been run to its end. */
  readonly isWalked: boolean;
  /** Range that the trials saw. */
  readonly seen: Stretch;
  /** The best trial under other conditions; null where that has not been run. */
  readonly stress: StressFindings | null;
}

/** The usual chance of being wrong. */
const SIGNIFICANCE = 0.05;
/** Fewer closed trades are a few decisions, however many days they lasted. */
const LEAST_TRADES = 10;
const DAYS_OF_YEAR = 365;

/** One test of luck: whether its figure is beyond it. */
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
  const reasons = [
    ...made.map(({ reason }) => reason),
    ...different(missing),
    ...doubts,
    ...holdingReason(metrics),
  ];
  const kind = kindOf(made, missing.length === 0);
  return { kind: kind === 'unlikely luck' && doubts.length > 0 ? 'perhaps luck' : kind, reasons };
}

/** Tests that lack the same are said once. */
const different = (findings: readonly StudyFinding[]): readonly StudyFinding[] => [
  ...new Map(findings.map((one) => [JSON.stringify(one), one])).values(),
];

function kindOf(made: readonly LuckTest[], isWhole: boolean): LuckKind {
  const beyond = made.filter(({ isBeyond }) => isBeyond).length;
  if (made.length > 0 && beyond === 0) return 'likely luck';
  if (beyond < made.length) return 'perhaps luck';
  return isWhole ? 'unlikely luck' : 'not tested';
}

/** They do not count trials: being better than they are proves nothing of the best of many. */
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

/** Trials that are all alike have no best one to choose: then it is enough that the choice does not lose. */
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

/** The tests compare with cash. A strategy that is in a rising market beats that without any skill. */
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
  // Nothing is asked for on candles.
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
