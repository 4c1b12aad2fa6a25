import type { OutReason } from './rank-markets.ts';
import type { Ranking } from './universe-rules.ts';

/** A market that is in a universe. */
export interface Member {
  readonly market: string;
  /** By the last ranking; the best has 1. */
  readonly rank: number;
  /** In ms since 1970. */
  readonly sinceMs: number;
}

/** A universe as the engine has it at one moment. Plain JSON, the same object until it changes. */
export interface UniverseState {
  readonly rankBy: Ranking;
  /** The best first. */
  readonly members: readonly Member[];
  /** Markets that have left, and in which the strategy still has a position, an order or an algorithm. */
  readonly kept: readonly string[];
  /** Reason each other candidate is excluded, by its name. */
  readonly out: Readonly<Record<string, OutReason>>;
  /** Time of the last ranking, in ms since 1970; null before the first. */
  readonly rankedAtMs: number | null;
}
