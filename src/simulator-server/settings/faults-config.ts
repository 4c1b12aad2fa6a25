import { z } from 'zod';
import { ENDPOINTS, type EndpointName } from '../../exchange/endpoints.ts';
import { FAULT_KINDS, LONGEST_DELAY_MS } from '../fault-rule.ts';

const ENDPOINT_NAMES = Object.keys(ENDPOINTS) as [EndpointName, ...EndpointName[]];

/** A year: the exchange's clock never goes back, and dates end somewhere. */
const LARGEST_SKEW_MS = 366 * 86_400_000;

/** A share; as text where JSON was read without losing digits. */
const probability = z
  .union([z.number(), z.string().regex(/^\d+(?:\.\d+)?(?:[eE]-?\d{1,3})?$/)], {
    error: 'expected a number from 0 to 1',
  })
  .transform(Number)
  .pipe(z.number().min(0).max(1));

const rule = z.strictObject({
  kind: z.enum(FAULT_KINDS),
  endpoints: z.array(z.enum(ENDPOINT_NAMES)).min(1).optional(),
  requests: z.array(z.int().min(1)).min(1).optional(),
  probability: probability.optional(),
  delayMs: z.int().min(0).max(LONGEST_DELAY_MS).optional(),
  lagMs: z.int().min(0).optional(),
  isUneven: z.boolean().optional(),
  isHandled: z.boolean().optional(),
  backOff: z.int().min(1).optional(),
  limit: z.number().optional(),
});

/** Faults to apply. At most 100 rules. */
export const faultsConfig = z.strictObject({
  seed: z.int().min(0).optional(),
  clockSkewMs: z.int().min(-LARGEST_SKEW_MS).max(LARGEST_SKEW_MS).optional(),
  rules: z.array(rule).max(100).optional(),
});
