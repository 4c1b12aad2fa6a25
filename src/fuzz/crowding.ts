import type { Dice } from './dice.ts';

/**
 * A stretch of a run in which the exchange is crowded and has lowered a limit. Times are from the beginning
 * of the run.
 */
export interface CrowdedSpell {
  readonly fromMs: number;
  readonly toMs: number;
  readonly budget: string;
  readonly limit: number;
}

/** Budgets that a bot polls the most. */
const BUDGETS = ['v2/orderbook', 'orders/list', 'trades/list'] as const;

/**
 * Requests that are left in a window: so few that a bot at its usual pace, which is slow here, exceeds them,
 * and enough to continue.
 */
const LEAST_LIMIT = 2;
const MOST_LIMIT = 6;

const MOST_SPELLS = 3;
const SHARE_OF_SEEDS = 0.4;
const SHORTEST_MS = 20 * 60_000;

/** Draws the spells in which the exchange lowers limits, and which. Most seeds have none. */
export function drawCrowding(dice: Dice, runMs: number): readonly CrowdedSpell[] {
  if (!dice.happens(SHARE_OF_SEEDS)) return [];
  return Array.from({ length: dice.integer(1, MOST_SPELLS) }, () => {
    const fromMs = Math.round(dice.between(0, 0.7) * runMs);
    const toMs = fromMs + SHORTEST_MS + Math.round(dice.exponential(runMs / 2));
    const budget = BUDGETS[dice.integer(0, BUDGETS.length - 1)] ?? 'orders/list';
    return { fromMs, toMs, budget, limit: dice.integer(LEAST_LIMIT, MOST_LIMIT) };
  });
}
