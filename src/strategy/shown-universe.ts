import type { StrategyEvent } from './strategy-event.ts';
import { outText, type Member, type UniverseState } from './rank-markets.ts';
import { madeOnce } from '../domain/retain-newest.ts';

/** A universe as a strategy sees it. */
export interface Universe {
  /** Members, the best first. */
  readonly members: readonly Member[];
  /** Markets of the members, in the same order. */
  readonly markets: readonly string[];
  /** Markets that have left, but in which the strategy still holds something: their data goes on. */
  readonly kept: readonly string[];
  /** Time of the last ranking, in ms since 1970; null before the first. */
  readonly rankedAtMs: number | null;
  readonly isMember: (market: string) => boolean;
  /** Returns why a market is not in it, as a sentence; null for a member. */
  readonly whyNot: (market: string) => string | null;
}

/** Markets that have entered or left; a market that leaves is not sold. */
export interface UniverseEvent {
  readonly entered: readonly string[];
  readonly left: readonly string[];
  /** Members after the change, the best first. */
  readonly members: readonly string[];
}

const NOBODY: UniverseState = { rankBy: 'volume24h', members: [], kept: [], out: {}, rankedAtMs: null };

const shown = new WeakMap<UniverseState, Universe>();

/** Returns a universe as a strategy sees it; `state` is null before the first ranking. */
export const universeOf = (state: UniverseState | null): Universe =>
  madeOnce(shown, state ?? NOBODY, shownUniverse);

function shownUniverse(of: UniverseState): Universe {
  const { rankBy, out, kept, rankedAtMs } = of;
  const members = Object.freeze(of.members.map((member) => Object.freeze({ ...member })));
  const markets = Object.freeze(members.map(({ market }) => market));
  return Object.freeze({
    members,
    markets,
    kept: Object.freeze([...kept]),
    rankedAtMs,
    isMember: (market: string) => markets.includes(market),
    whyNot: (market: string) => {
      if (markets.includes(market)) return null;
      const reason = out[market];
      if (reason !== undefined) return outText(reason, rankBy);
      return rankedAtMs === null ? 'the markets have not been ranked yet' : 'it is no candidate';
    },
  });
}

export function universeEventOf(event: Extract<StrategyEvent, { kind: 'universe' }>): UniverseEvent {
  const { entered, left, universe } = event;
  return Object.freeze({
    entered: Object.freeze([...entered]),
    left: Object.freeze([...left]),
    members: universeOf(universe).markets,
  });
}
