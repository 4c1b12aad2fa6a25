import { z } from 'zod';
import { findingSchema } from '../texts/study-fact.ts';
import type { TrialLuck } from './trial-luck.ts';

/**
 * To be raised with any change that makes a statistic of the same trials another figure. A test holds the
 * figures of this version.
 */
export const STATISTICS_VERSION = 1;

const tested = <Value extends z.ZodType>(value: Value) =>
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

const deflation = { trials: number, variance: number, expectedMaximum: number, probability: number };

const drawn = { pValue: number, draws: number, meanBlock: number };

const quantiles = z.strictObject({ p05: number, p25: number, p50: number, p75: number, p95: number });

const LUCK = z.strictObject({
  days: z.int().nonnegative(),
  sampled: z.int().nonnegative(),
  statistics: z.strictObject({
    probabilisticSharpe: tested(z.strictObject({ ...moments, probability: number })),
    minimumTrackRecord: tested(z.strictObject({ needed: number, found: number })),
    deflatedSharpeOfStudy: tested(z.strictObject(deflation)),
    deflatedSharpeEffective: tested(z.strictObject({ ...deflation, method: z.string() })),
    overfittingProbability: tested(
      z.strictObject({
        probability: number,
        lossProbability: number,
        slope: number,
        blocks: number,
        days: number,
      }),
    ),
    realityCheck: tested(z.strictObject(drawn)),
    superiorPredictiveAbility: tested(
      z.strictObject({ ...drawn, lower: number, upper: number, statistic: number }),
    ),
    dayOrder: tested(
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
}) satisfies z.ZodType<TrialLuck>;

/** Statistics that a study kept; null for what is none, so that they are made again. */
export function readTrialLuck(stored: unknown): TrialLuck | null {
  return LUCK.safeParse(stored).data ?? null;
}
