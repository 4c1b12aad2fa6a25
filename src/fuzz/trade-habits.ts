import type { Dice } from './dice.ts';

/** What a deployment does with the list of own trades that no document speaks of. */
export interface TradeHabits {
  /** When every trade gets another id, from the beginning of the run. */
  readonly renumberedAtMs: readonly number[];
}

const RENUMBERED_SHARE = 0.25;
const MOST_TIMES = 3;

export function drawTradeHabits(dice: Dice, runMs: number): TradeHabits {
  const times = dice.happens(RENUMBERED_SHARE) ? dice.integer(1, MOST_TIMES) : 0;
  return {
    renumberedAtMs: Array.from({ length: times }, () => Math.round(dice.between(0.05, 0.95) * runMs)),
  };
}
