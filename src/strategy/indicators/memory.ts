import { LONGEST_WARM_UP } from '../check-subscriptions.ts';

/**
 * Bars after which less than a thousandth of what came before is left in an average. Of averages of averages
 * the memories add up.
 */

/** Of one with the weight 2 / (n + 1). */
export function exponentialMemory(...lengths: readonly number[]): number {
  return lengths.reduce((bars, length) => bars + 3.5 * (length + 1), 0);
}

/** Of one of Wilder's, with the weight 1 / n. */
export function wilderMemory(length: number): number {
  return 7 * length;
}

/** Of one that keeps a share of itself at each bar. */
export function shareMemory(share: number): number {
  return share <= 0 ? 0 : Math.log(1_000) / -Math.log(share);
}

/**
 * Of a rule that holds on to its past for as long as the market lets it: as many bars as the exchange gives
 * at once.
 */
export const UNBOUNDED_MEMORY = LONGEST_WARM_UP;
