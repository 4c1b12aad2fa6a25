import { MINUTE_MS } from '../domain/durations.ts';
import type { Dice } from './dice.ts';

/** Undocumented behaviour of a deployment's list of own trades. */
export interface TradeHabits {
  /** Times at which every trade gets another id, from the beginning of the run. */
  readonly renumberedAtMs: readonly number[];
  /** Time that the list goes back; null for as far as it does by itself. */
  readonly listedMs: number | null;
}

const RENUMBERED_SHARE = 0.25;
const MOST_TIMES = 3;

/** Days of a deployment are minutes here, so that a dead bot or a stall of the exchange outlasts them. */
const SHORT_SHARE = 0.25;
const SHORTEST_MINUTES = 2;
const LONGEST_MINUTES = 30;

export function drawTradeHabits(dice: Dice, runMs: number): TradeHabits {
  const times = dice.happens(RENUMBERED_SHARE) ? dice.integer(1, MOST_TIMES) : 0;
  const renumberedAtMs = Array.from({ length: times }, () => Math.round(dice.between(0.05, 0.95) * runMs));
  const isShort = dice.happens(SHORT_SHARE);
  const listedMs = isShort
    ? Math.round(dice.logUniform(SHORTEST_MINUTES, LONGEST_MINUTES) * MINUTE_MS)
    : null;
  return { renumberedAtMs, listedMs };
}
