import { createRandom, type RandomSource } from '../../domain/random.ts';
import {
  deflatedSharpe,
  deflatedSharpeOfTrials,
  type Deflation,
  expectedMaximumSharpe,
  minimumTrackRecord,
  probabilisticSharpe,
} from '../../statistics/probabilistic-sharpe.ts';
import { known, unknown, type Estimate, lack } from '../../statistics/estimate.ts';
import { inDigits } from '../../language/fact.ts';
import { overfittingProbability } from '../../statistics/overfitting-probability.ts';
import { realityCheck, superiorPredictiveAbility } from '../../statistics/superior-predictive-ability.ts';
import { sampleMoments, type SampleMoments } from '../../statistics/sample-moments.ts';
import { tradeOrderRisk, type TradeOrderRisk } from '../../statistics/trade-order-risk.ts';
import { finding } from '../study-fact.ts';
import { notTested, tested, type Tested } from './tested.ts';

/** Input of the tests: columns of daily returns of the same days. */
interface LuckSample {
  /** The best trial. */
  readonly chosen: Float64Array;
  /** All trials that ran, or a sample of them. */
  readonly trials: readonly Float64Array[];
  /** Position of the best trial among them; null if the sample does not hold it. */
  readonly place: number | null;
  /** Trials that the study ran. */
  readonly ofStudy: number;
  /** Decides all draws: the same study has the same figures. */
  readonly seed: number;
}

/** A p value, above 0 to 1, and how it was drawn. Blocks are in days. */
interface DrawnTest {
  readonly pValue: number;
  readonly draws: number;
  readonly meanBlock: number;
}

/** All Sharpe ratios are of a day: times the root of 365 they are of a year. */
export interface LuckStatistics {
  readonly probabilisticSharpe: Tested<SampleMoments & { readonly probability: number }>;
  /** In days: what it takes, and what there is. */
  readonly minimumTrackRecord: Tested<{ readonly needed: number; readonly found: number }>;
  readonly deflatedSharpeOfStudy: Tested<Deflation>;
  readonly deflatedSharpeOfData: Tested<Deflation>;
  readonly deflatedSharpeEffective: Tested<Deflation & { readonly method: string }>;
  readonly overfittingProbability: Tested<{
    readonly probability: number;
    readonly lossProbability: number;
    readonly slope: number;
    readonly blocks: number;
    readonly days: number;
  }>;
  readonly realityCheck: Tested<DrawnTest>;
  readonly superiorPredictiveAbility: Tested<
    DrawnTest & { readonly lower: number; readonly upper: number; readonly statistic: number }
  >;
  readonly dayOrder: Tested<TradeOrderRisk>;
}

export type LuckStatisticName = keyof LuckStatistics;

/** Those that follow from the trials of the study alone: no other study changes them. */
export type OwnStatistics = Omit<LuckStatistics, 'deflatedSharpeOfData'>;

/** Fewer days have no shape that a formula could use. The test for overfitting needs 80. */
const LEAST_DAYS = 30;
const BLOCKS = 16;
const DRAWS = 1_000;
const RUNS = 1_000;

/**
 * Every statistic of the luck of a study's own trials. It takes seconds at most: a sample is bounded. Where a
 * change makes any of them another figure, `STATISTICS_VERSION` is to be raised.
 */
export function ownStatistics(sample: LuckSample): OwnStatistics {
  const { chosen, trials, seed } = sample;
  const days = chosen.length;
  // Each test draws by itself, so that one more of them would change none of the others.
  const randomOf = (test: number): RandomSource => createRandom(seed ^ Math.imul(test, 0x9e3779b9));
  const long = <Value>(estimate: () => Estimate<Value>): Tested<Value> =>
    tested(() =>
      days < LEAST_DAYS
        ? unknown(
            'too-few-observations',
            lack('lack.days', { least: inDigits(LEAST_DAYS), found: inDigits(days) }),
          )
        : estimate(),
    );
  const moments = sampleMoments(chosen);
  return {
    probabilisticSharpe: long(() =>
      after(moments, (found) =>
        after(probabilisticSharpe(found), (probability) => known({ ...found, probability })),
      ),
    ),
    minimumTrackRecord: long(() =>
      after(moments, (found) => after(minimumTrackRecord(found), (needed) => known({ needed, found: days }))),
    ),
    ...deflations(sample, long),
    overfittingProbability: tested(() =>
      after(overfittingProbability(trials, { blocks: BLOCKS }), (found) => {
        const { probability, lossProbability, degradation, periods } = found;
        const { slope } = degradation;
        return known({ probability, lossProbability, slope, blocks: BLOCKS, days: periods });
      }),
    ),
    realityCheck: long(() =>
      after(realityCheck(trials, { random: randomOf(1), draws: DRAWS }), ({ pValue, draws, meanBlock }) =>
        known({ pValue, draws, meanBlock }),
      ),
    ),
    superiorPredictiveAbility: long(() =>
      after(superiorPredictiveAbility(trials, { random: randomOf(2), draws: DRAWS }), (found) => {
        const { consistent: pValue, lower, upper, statistic, draws, meanBlock } = found;
        return known({ pValue, lower, upper, statistic, draws, meanBlock });
      }),
    ),
    dayOrder: long(() => tradeOrderRisk(chosen, { random: randomOf(3), runs: RUNS })),
  };
}

/**
 * With the deflated Sharpe ratio by all trials ever run on this data, at least those of the study. It takes
 * no time, since the variance of the Sharpe ratios is that of the study.
 */
export function luckStatistics(own: OwnStatistics, ofData: number): LuckStatistics {
  const { probabilisticSharpe: moments, deflatedSharpeOfStudy: ofStudy } = own;
  if (ofStudy.kind === 'not tested') return { ...own, deflatedSharpeOfData: ofStudy };
  if (moments.kind === 'not tested') return { ...own, deflatedSharpeOfData: moments };
  const { trials, variance } = ofStudy.value;
  return {
    ...own,
    deflatedSharpeOfData: tested(() => deflation(moments.value, Math.max(ofData, trials), variance)),
  };
}

type Deflations = Pick<OwnStatistics, 'deflatedSharpeOfStudy' | 'deflatedSharpeEffective'>;

/**
 * By two numbers of trials. A sample has the variance of all, but not their clusters: the effective number
 * of its trials is too small, and a winner of more would look better than luck.
 */
function deflations(
  { chosen, trials, place, ofStudy }: LuckSample,
  long: <Value>(estimate: () => Estimate<Value>) => Tested<Value>,
): Deflations {
  const all = place === null ? [...trials, chosen] : trials;
  const found = long(() =>
    deflatedSharpeOfTrials({
      trials: all,
      chosen: place ?? trials.length,
      counted: Math.max(ofStudy, all.length),
    }),
  );
  if (found.kind === 'not tested') return { deflatedSharpeOfStudy: found, deflatedSharpeEffective: found };
  const { chosen: moments, raw, effective, method } = found.value;
  return {
    deflatedSharpeOfStudy: tested(() => after(raw, ({ variance }) => deflation(moments, ofStudy, variance))),
    deflatedSharpeEffective:
      ofStudy > all.length
        ? notTested(
            finding('lack.wholeSample', {
              most: inDigits(trials.length),
              days: inDigits(chosen.length),
              found: inDigits(ofStudy),
            }),
          )
        : tested(() => after(effective, (value) => known({ ...value, method }))),
  };
}

function deflation(moments: SampleMoments, trials: number, variance: number): Estimate<Deflation> {
  return after(expectedMaximumSharpe({ trials, variance }), (expectedMaximum) =>
    after(deflatedSharpe(moments, { trials, variance }), (probability) =>
      known({ trials, variance, expectedMaximum, probability }),
    ),
  );
}

/** Applies a function to a known estimate; an unknown one stays unknown. */
function after<Value, Next>(
  estimate: Estimate<Value>,
  next: (value: Value) => Estimate<Next>,
): Estimate<Next> {
  return estimate.kind === 'unknown' ? estimate : next(estimate.value);
}
