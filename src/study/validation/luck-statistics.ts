import { z } from 'zod';
import { createRandom, type RandomSource } from '../../domain/random.ts';
import {
  deflatedSharpe,
  deflatedSharpeOfTrials,
  type Deflation,
  expectedMaximumSharpe,
  minimumTrackRecord,
  probabilisticSharpe,
} from '../../statistics/probabilistic-sharpe.ts';
import {
  known,
  unknown,
  type Estimate,
  lack,
  InvalidSample,
  sampleMoments,
  type SampleMoments,
} from '../../statistics/estimate.ts';
import { inDigits } from '../../language/fact.ts';
import { overfittingProbability } from '../../statistics/overfitting-probability.ts';
import { realityCheck, superiorPredictiveAbility } from '../../statistics/superior-predictive-ability.ts';
import { tradeOrderRisk } from '../../statistics/trade-order-risk.ts';
import { finding, findingSchema, said, type StudyFinding } from '../english-study.ts';
import type { DailyReturns } from '../../backtest/statistics.ts';
import { present } from '../../domain/errors.ts';

/** Input of the tests: daily returns of trials, one column each, for the same days. */
interface LuckSample {
  /** Daily returns of the best trial. */
  readonly chosen: Float64Array;
  /** Daily returns of all trials that ran, or of a sample. */
  readonly trials: readonly Float64Array[];
  /** Index of the best trial in `trials`; null if the sample does not contain it. */
  readonly place: number | null;
  /** Number of trials that the study ran. */
  readonly ofStudy: number;
  /** Seed of all draws: the same study gives the same figures. */
  readonly seed: number;
}

const testedSchema = <Value extends z.ZodType>(value: Value) =>
  z.discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('tested'), value }),
    z.strictObject({ kind: z.literal('not tested'), message: findingSchema }),
  ]);

const number = z.number();

const moments = {
  sharpe: number,
  skewness: number,
  kurtosis: number,
  mean: number,
  deviation: number,
  count: number,
};

const deflationShape = { trials: number, variance: number, expectedMaximum: number, probability: number };

/** P value, above 0 to 1, and how it was drawn. Block lengths are in days. */
const drawn = { pValue: number, draws: number, meanBlock: number };

const quantiles = z.strictObject({ p05: number, p25: number, p50: number, p75: number, p95: number });

/** Luck of a study's best trial, computed from the daily returns of its trials and the study's id only. */
export const TRIAL_LUCK = z.strictObject({
  days: z.int().nonnegative(),
  /** Number of trials that were tested together: all that ran, or a sample. */
  sampled: z.int().nonnegative(),
  /** Sharpe ratios are daily: multiply by the root of 365 for annual ones. */
  statistics: z.strictObject({
    probabilisticSharpe: testedSchema(z.strictObject({ ...moments, probability: number })),
    /** Number of days that are needed, and that were found. */
    minimumTrackRecord: testedSchema(z.strictObject({ needed: number, found: number })),
    deflatedSharpeOfStudy: testedSchema(z.strictObject(deflationShape)),
    deflatedSharpeEffective: testedSchema(z.strictObject({ ...deflationShape, method: z.string() })),
    overfittingProbability: testedSchema(
      z.strictObject({
        probability: number,
        lossProbability: number,
        slope: number,
        blocks: number,
        days: number,
      }),
    ),
    realityCheck: testedSchema(z.strictObject(drawn)),
    superiorPredictiveAbility: testedSchema(
      z.strictObject({ ...drawn, lower: number, upper: number, statistic: number }),
    ),
    dayOrder: testedSchema(
      z.strictObject({
        drawdown: quantiles,
        finalEquity: quantiles,
        observedDrawdown: number,
        observedFinalEquity: number,
        asDeep: number,
        lossShare: number,
        runs: number,
      }),
    ),
  }),
});

export type TrialLuck = z.output<typeof TRIAL_LUCK>;

/** Statistics that depend on the study's own trials only, not on other studies. */
type OwnStatistics = TrialLuck['statistics'];

/** Luck statistics of a study. */
export interface LuckStatistics extends OwnStatistics {
  readonly deflatedSharpeOfData: Tested<Deflation>;
}

export type LuckStatisticName = keyof LuckStatistics;

/** Minimum number of days: fewer have no usable distribution. The test for overfitting needs 80. */
const LEAST_DAYS = 30;
const BLOCKS = 16;
const DRAWS = 1_000;
const RUNS = 1_000;

/**
 * Computes the statistics that need the study's own trials only. It takes seconds at most, since the sample
 * is bounded. After a change of any figure, raise `STATISTICS_VERSION`.
 */
function ownStatistics(sample: LuckSample): OwnStatistics {
  const { chosen, trials, seed } = sample;
  const days = chosen.length;
  // Each test has its own seed, so that another test would change none of them.
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
 * Adds the deflated Sharpe ratio for all trials ever run on this data, at least those of the study. It is
 * fast, since the variance of the Sharpe ratios is that of the study.
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
 * Computes deflated Sharpe ratios for the number of trials and for their effective number. A sample has the
 * variance of all trials, but not their clusters: its effective number would be too small, and make the best
 * trial look better than luck.
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

const HEX = 16;
const SEED_DIGITS = 8;

/** Tests the best trial by daily returns, of a sample if more than `sampleSize` trials ran. */
export function trialLuck(of: {
  /** Id of the study, the seed of every draw. */
  readonly id: string;
  /** Numbers of the trials that ran to their end, ascending. */
  readonly ran: readonly number[];
  /** Number of the best trial. */
  readonly best: number;
  /** Returns the daily returns of a trial that ran. */
  readonly dailyOf: (number: number) => DailyReturns;
}): TrialLuck {
  const { ran, best, dailyOf } = of;
  const seed = Number.parseInt(of.id.slice(0, SEED_DIGITS), HEX);
  const chosen = dailyOf(best);
  const drawn = drawSample(ran, { size: sampleSize(chosen.returns.length), random: createRandom(seed) });
  const [column, ...columns] = sameDays([chosen, ...drawn.map(dailyOf)]);
  const returns = present(column, 'the returns of the best trial');
  const place = drawn.indexOf(best);
  return {
    days: returns.length,
    sampled: drawn.length,
    statistics: ownStatistics({
      chosen: returns,
      trials: columns,
      place: place === -1 ? null : place,
      ofStudy: ran.length,
      seed,
    }),
  };
}

/** Maximum number of trials in a sample: finding the clusters of more takes too long. */
const MOST_SAMPLED = 1_000;
/** Maximum number of returns in a sample, 8 MB in all: every test then takes seconds. */
const MOST_RETURNS = 1_000_000;
/** Minimum number of trials in a sample, however many days there are. */
const LEAST_SAMPLED = 100;

/** Returns the number of trials to test together, given the number of days. */
export const sampleSize = (days: number): number =>
  Math.min(MOST_SAMPLED, Math.max(LEAST_SAMPLED, Math.floor(MOST_RETURNS / Math.max(1, days))));

/**
 * Draws at most `size` of some numbers, each equally likely, in their order (selection sampling: Knuth, "The
 * Art of Computer Programming" 2, 3.4.2, algorithm S). The best trial gets no reserved place: the best of
 * many among a few drawn ones would look better than luck.
 */
export function drawSample(
  numbers: readonly number[],
  { size, random }: { readonly size: number; readonly random: RandomSource },
): readonly number[] {
  if (numbers.length <= size) return numbers;
  const drawn: number[] = [];
  for (const [index, number] of numbers.entries()) {
    const left = numbers.length - index;
    if (random.next() * left < size - drawn.length) drawn.push(number);
  }
  return drawn;
}

/**
 * Aligns daily returns to the same days, from the first day of any to the last day of any. A missing day is
 * before or after a run, which held nothing then: 0.
 */
export function sameDays(all: readonly DailyReturns[]): readonly Float64Array[] {
  let [first, end] = [Infinity, -Infinity];
  for (const { firstDay, returns } of all) {
    first = Math.min(first, firstDay);
    end = Math.max(end, firstDay + returns.length);
  }
  return all.map(({ firstDay, returns }) => {
    const column = new Float64Array(end - first);
    column.set(returns, firstDay - first);
    return column;
  });
}

/** Result of a test, or the reason it was not made, with the expected and the found value. */
export type Tested<Value> =
  | { readonly kind: 'tested'; readonly value: Value }
  | { readonly kind: 'not tested'; readonly message: StudyFinding };

export function notTested(message: StudyFinding): Tested<never> {
  return { kind: 'not tested', message };
}

/**
 * Converts an estimate to a result. A fault of the returns, such as growth to more money than exists, becomes
 * a reason: a study is shown whatever its trials earned.
 */
export function tested<Value>(estimate: () => Estimate<Value>): Tested<Value> {
  try {
    const made = estimate();
    return made.kind === 'known' ? { kind: 'tested', value: made.value } : notTested(made.lack);
  } catch (error) {
    if (error instanceof InvalidSample) return notTested(error.lack ?? said(error.message));
    throw error;
  }
}

/** Returns the value; null if it was not tested. */
export const valueOf = <Value>(of: Tested<Value>): Value | null => (of.kind === 'tested' ? of.value : null);
