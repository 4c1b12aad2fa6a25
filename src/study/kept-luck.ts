import { isLockHeld } from '../daemon/process-lock.ts';
import { SarrafError } from '../domain/errors.ts';
import { VERSION } from '../exchange/version.ts';
import { lockStudy, type StudyFolder } from './study-place.ts';
import { StudyStore } from './study-store.ts';
import type { StudyResult } from './study-result.ts';
import type { TrialLuck } from './validation/trial-luck.ts';
import { z } from 'zod';
import { findingSchema } from './study-fact.ts';

/** Statistics, and what they were made of: other trials and other code have others. */
export interface MadeLuck {
  readonly basis: string;
  readonly luck: TrialLuck;
}

/**
 * The statistics of a study: those that it kept, where they are of these very trials and of this code; else
 * `make` makes them, and `onMade` gets them to be kept.
 */
export function luckOf(
  { statistics }: StudyStore,
  of: {
    readonly result: StudyResult;
    readonly make: () => TrialLuck;
    readonly onMade: (made: MadeLuck) => void;
  },
): TrialLuck {
  const { hash, best } = of.result;
  const basis = `statistics ${STATISTICS_VERSION} of sarraf ${VERSION}, trial ${best?.number} of ${hash}`;
  const kept = readTrialLuck(statistics.figures(basis));
  if (kept !== null) return kept;
  const luck = of.make();
  of.onMade({ basis, luck });
  return luck;
}

/**
 * Keeps statistics in the file of their study, unless it is being run: then it soon has other trials. Returns
 * null, or why they could not be kept. They are shown all the same, and made again the next time.
 */
export function keepLuck(
  { folder, name }: { readonly folder: StudyFolder; readonly name: string },
  { basis, luck }: MadeLuck,
): string | null {
  const path = folder.pathOf(name);
  try {
    if (isLockHeld(`${path}.lock`)) return null;
    const lock = lockStudy(path);
    try {
      const store = StudyStore.open(path);
      try {
        store.statistics.keep(basis, luck);
      } finally {
        store.close();
      }
    } finally {
      lock.release();
    }
    return null;
  } catch (error) {
    if (error instanceof SarrafError) return error.message;
    throw error;
  }
}

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
