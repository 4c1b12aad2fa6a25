import { numberText, percentText } from '../../backtest/report/value-text.ts';
import { countText, groupedText } from '../../domain/money-text.ts';
import type { StressFindings } from '../stress/stress-findings.ts';
import type { TrialMetrics } from '../goals/objectives.ts';
import type { LuckStatistics } from './luck-statistics.ts';
import type { Plateau } from './plateau.ts';
import { isBetterThanRandom, stressVerdict, untestedStress, type StressVerdict } from './stress-verdict.ts';
import { valueOf, type Tested } from './tested.ts';

/**
 * How much of the best trial luck explains:
 *
 * - `likely luck`: every test that could be made finds what luck finds.
 * - `perhaps luck`: tests disagree.
 * - `unlikely luck`: every test finds more than luck, the trials on this data counted.
 * - `not tested`: too little to tell.
 */
export type LuckKind = 'likely luck' | 'perhaps luck' | 'unlikely luck' | 'not tested';

/** What a study's figures say, in words. */
export interface StudyVerdict {
  readonly luck: { readonly kind: LuckKind; readonly reasons: readonly string[] };
  readonly stable: { readonly kind: 'plateau' | 'peak' | 'not tested'; readonly reason: string };
  /** What is left of it under other conditions. */
  readonly stress: StressVerdict;
  /** What nobody has looked at, each with a word on why. */
  readonly notTested: readonly string[];
}

export interface VerdictBasis {
  readonly statistics: LuckStatistics;
  readonly plateau: Tested<Plateau>;
  /** The first objective. */
  readonly metric: string;
  readonly metrics: TrialMetrics;
  readonly holdout: 'none' | 'closed' | 'opened';
  /** Whether a walk-forward has been run to its end. */
  readonly isWalked: boolean;
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
  readonly reason: string;
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
    ...(deflated === null ? [missingReason(statistics.deflatedSharpeOfData)] : []),
    ...(ability === null ? [missingReason(statistics.superiorPredictiveAbility)] : []),
    ...(overfitting === null ? [missingReason(statistics.overfittingProbability)] : []),
    ...(trades < LEAST_TRADES ? [`Expected at least ${LEAST_TRADES} closed trades, was ${trades}.`] : []),
  ];
  const doubts = entriesDoubt(stress);
  const reasons = [
    ...made.map(({ reason }) => reason),
    ...new Set(missing),
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

/** They do not count trials: being better than they are proves nothing of the best of many. */
function entriesDoubt(stress: StressFindings | null): readonly string[] {
  const found = stress === null ? null : valueOf(stress.entries);
  if (found === null || isBetterThanRandom(found)) return [];
  return ['Random entries with the same exposure do as well.'];
}

const missingReason = (of: Tested<unknown>): string =>
  of.kind === 'not tested' ? `${of.message.slice(0, 1).toUpperCase()}${of.message.slice(1)}.` : '';

function deflatedTest({ deflatedSharpeOfData, probabilisticSharpe }: LuckStatistics): LuckTest | null {
  const [deflation, moments] = [valueOf(deflatedSharpeOfData), valueOf(probabilisticSharpe)];
  if (deflation === null || moments === null) return null;
  const { trials, expectedMaximum, probability } = deflation;
  return {
    isBeyond: probability >= 1 - SIGNIFICANCE,
    reason: `The best of ${groupedText(String(trials))} trials without skill would have a Sharpe ratio of ${yearlyText(expectedMaximum)} a year by daily returns, this one has ${yearlyText(moments.sharpe)}: it is better than luck with a probability of ${percentText(probability)}.`,
  };
}

function abilityTest({ superiorPredictiveAbility }: LuckStatistics): LuckTest | null {
  const found = valueOf(superiorPredictiveAbility);
  if (found === null) return null;
  return {
    isBeyond: found.pValue <= SIGNIFICANCE,
    reason: `If no trial were better than cash, the best would look this good in ${percentText(found.pValue)} of histories.`,
  };
}

/** Trials that are all alike have no best one to choose: then it is enough that the choice does not lose. */
function overfittingTest({ overfittingProbability }: LuckStatistics): LuckTest | null {
  const found = valueOf(overfittingProbability);
  if (found === null) return null;
  const { probability, lossProbability } = found;
  return {
    isBeyond: probability <= SIGNIFICANCE || lossProbability <= SIGNIFICANCE,
    reason: `Chosen by half of the days, the best trial is at most average in the other half in ${percentText(probability)} of cases, and loses in ${percentText(lossProbability)}.`,
  };
}

/** The tests compare with cash. A strategy that is in a rising market beats that without any skill. */
function holdingReason(metrics: TrialMetrics): readonly string[] {
  const [earned, held] = [metrics['totalReturn'] ?? null, metrics['buyAndHoldReturn'] ?? null];
  if (earned === null || held === null || held <= 0) return [];
  const compared = earned > held ? 'less' : 'as much or more';
  return [
    `Holding the market earned ${compared}: ${percentText(held)}, the best trial ${percentText(earned)}.`,
  ];
}

function stabilityOf({ plateau, metric }: VerdictBasis): StudyVerdict['stable'] {
  if (plateau.kind === 'not tested') return { kind: 'not tested', reason: plateau.message };
  const { neighbours, medianOfNeighbours, worstTenth, best, isPlateau } = plateau.value;
  const near = `the ${countText(neighbours, 'nearest trial')}`;
  const reason =
    medianOfNeighbours === null
      ? `half of ${near} or more failed or break constraints`
      : `${metric} is ${numberText(best)}, in ${near} ${numberText(medianOfNeighbours)} (median), in the worst tenth ${numberText(worstTenth)}`;
  return { kind: isPlateau ? 'plateau' : 'peak', reason };
}

function notTestedOf({ holdout, isWalked, stress, metrics }: VerdictBasis): readonly string[] {
  // Nothing is asked for on candles.
  const isOnBooks = (metrics['requests'] ?? null) !== null;
  return [
    ...(holdout === 'none' ? ['hold-out (there is none)'] : []),
    ...(holdout === 'closed'
      ? ['hold-out (closed: "sarraf study open-holdout" runs the best trial on it)']
      : []),
    ...(isWalked
      ? []
      : [
          'walk-forward (params were chosen once, with all days in view: "sarraf study walk-forward" runs one)',
        ]),
    ...(isOnBooks ? [] : ['books (candles alone: no queue, no depth, no latency)']),
    ...untestedStress(stress),
  ];
}

const yearlyText = (daily: number): string => numberText(daily * Math.sqrt(DAYS_OF_YEAR));
