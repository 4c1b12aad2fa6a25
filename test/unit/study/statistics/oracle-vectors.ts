import { readFileSync } from 'node:fs';
import { z } from 'zod';

const numbers = z.array(z.number());
const drawn = z.tuple([z.number(), z.number(), z.number(), z.number()]);

/** Results of other programs, written by test/oracles/statistics.py. */
const vectorsSchema = z.strictObject({
  normal: z.strictObject({
    cdf: z.array(z.tuple([z.number(), z.number()])),
    quantile: z.array(z.tuple([z.number(), z.number()])),
  }),
  moments: z.array(
    z.strictObject({
      of: drawn,
      mean: z.number(),
      deviation: z.number(),
      sharpe: z.number(),
      skewness: z.number(),
      kurtosis: z.number(),
      autocorrelations: numbers,
      quantiles: numbers,
    }),
  ),
  luck: z.array(
    z.strictObject({
      of: z.tuple([z.number(), z.number(), z.number(), z.number(), z.number(), z.number()]),
      psr: z.number(),
      best: z.number(),
      dsr: z.number(),
      record: z.number().nullable(),
    }),
  ),
  blocks: z.array(z.strictObject({ of: drawn, stationary: z.number(), circular: z.number() })),
  ability: z.array(
    z.strictObject({
      of: z.strictObject({
        seed: z.number(),
        periods: z.number(),
        meanBlock: z.number(),
        memory: z.number(),
        means: numbers,
      }),
      draws: z.number(),
      deviations: numbers,
      statistic: z.number(),
      realityCheck: z.number(),
      ability: z.tuple([z.number(), z.number(), z.number()]),
    }),
  ),
  overfitting: z.array(
    z.strictObject({
      of: z.strictObject({
        seed: z.number(),
        periods: z.number(),
        count: z.number(),
        mean: z.number(),
        blocks: z.number(),
      }),
      splits: z.number(),
      probability: z.number(),
      lossProbability: z.number(),
      line: z.tuple([z.number(), z.number(), z.number()]),
      logits: numbers,
      inSample: z.number(),
      outOfSample: z.number(),
    }),
  ),
  clusters: z.array(
    z.strictObject({
      of: z.tuple([z.number(), z.number(), z.number(), z.number(), z.number()]),
      heights: numbers,
      clusters: z.number(),
      silhouette: z.number(),
      meanCorrelation: z.number(),
    }),
  ),
});

export const ORACLE = vectorsSchema.parse(JSON.parse(readFileSync('test/oracles/statistics.json', 'utf8')));
