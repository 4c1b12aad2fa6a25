import { z } from 'zod';
import type { Endpoint } from '../../exchange/endpoint.ts';
import { ENDPOINTS } from '../../exchange/endpoints.ts';
import { durationMs } from '../config-fields.ts';

/** Names of all budgets, as the limits table has them. */
const BUDGET_NAMES: readonly string[] = [
  ...new Set((Object.values(ENDPOINTS) as readonly Endpoint[]).map(({ budget }) => budget.name)),
];

const counted = z.strictObject({ limit: z.int().min(0).optional(), windowMs: durationMs().optional() });

/** Enforcement of the exchange's rate limits, and numbers other than the interface's. */
export const limitsConfig = z
  .strictObject({
    enabled: z.boolean().optional(),
    /** By budget name; `none` counts nothing. */
    overrides: z
      .partialRecord(
        z.enum(BUDGET_NAMES as [string, ...string[]]),
        z.union([z.literal('none'), counted], {
          error: 'expected none, or an object with limit and windowMs',
        }),
      )
      .optional(),
    exceeded: z.enum(['lockout', 'back-off']).optional(),
    lockoutScope: z.enum(['budget', 'caller']).optional(),
    firstLockoutMs: durationMs().optional(),
    longestLockoutMs: durationMs().optional(),
    forgiveAfterMs: durationMs().optional(),
    badTokens: z
      .strictObject({ limit: z.int().min(0), windowMs: durationMs(), blockMs: durationMs() })
      .optional(),
    continuedAbuse: z
      .strictObject({ refusals: z.int().min(0), windowMs: durationMs(), blockMs: durationMs() })
      .nullable()
      .optional(),
  })
  .default({});
