import type { UniverseSubscription } from '../strategy/subscriptions.ts';
import { candidateSubscription } from '../strategy/expand-subscriptions.ts';
import type { Feed, PlannedFeed } from './feed.ts';
import type { PlanInput } from './plan-input.ts';
import { burstWaitMs, plannedRate, type PlannedBudget } from './planned-budget.ts';
import { routeOfSubscription } from '../strategy/event-route.ts';

/** A universe of one strategy, as a plan has it. */
export interface PlannedUniverse {
  /** Such as `alpha/members`. */
  readonly key: string;
  readonly wanted: UniverseSubscription;
  /** Markets that are followed at once, at most: members, and those that left and are still held. */
  readonly places: number;
}

/** Cost of following a newcomer. */
export interface NewcomerPlan {
  readonly universe: string;
  /** Markets that are followed at once, at most. */
  readonly places: number;
  /** Feeds of each market that is followed. */
  readonly feeds: readonly PlannedFeed[];
  /** For the bars of the past of one market. */
  readonly requests: number;
  /** From its choice to its first event: for one alone, and for all members of the beginning. */
  readonly oneMs: number;
  readonly allMs: number;
}

/** The universes of a plan. Without candidates it is for as many markets as there may be. */
export function universesOf({ subscriptions }: Pick<PlanInput, 'subscriptions'>): readonly PlannedUniverse[] {
  return subscriptions.flatMap(({ strategy, subscription: wanted }) => {
    if (wanted.kind !== 'universe') return [];
    const { take, reserve } = wanted.rules;
    const most = wanted.candidates.length === 0 ? Infinity : wanted.candidates.length;
    return [{ key: `${strategy}/${wanted.name}`, wanted, places: Math.min(take + reserve, most) }];
  });
}

/** Stands in a plan for whichever market takes a place of a universe. */
function placeholderOf(universe: PlannedUniverse, place: number): string {
  return `member ${place + 1} of ${universe.key}`;
}

/**
 * The feeds of a plan with those of each candidate in place of the placeholders. They are asked for while
 * their market is followed, which is never true of more than were planned.
 */
export function withCandidates(
  feeds: readonly PlannedFeed[],
  universes: readonly PlannedUniverse[],
): readonly PlannedFeed[] {
  if (universes.length === 0) return feeds;
  const byKey = new Map(feeds.map((feed) => [feed.key, feed]));
  const pooled = new Map<string, PlannedFeed>();
  for (const universe of universes) {
    for (const template of universe.wanted.templates) {
      const planned = byKey.get(
        routeOfSubscription(candidateSubscription(placeholderOf(universe, 0), template)),
      );
      // One call for all books gives those of every market.
      if (planned === undefined) continue;
      for (const market of universe.wanted.candidates) {
        const key = routeOfSubscription(candidateSubscription(market, template));
        if (byKey.has(key)) continue;
        const other = pooled.get(key);
        const feed: PlannedFeed = { ...planned, key, market, isPooled: true };
        pooled.set(key, other === undefined || feed.intervalMs < other.intervalMs ? feed : other);
      }
    }
  }
  const placeholders = new Set(universes.flatMap((universe) => placeholdersOf(universe)));
  return [...feeds.filter(({ market }) => market === null || !placeholders.has(market)), ...pooled.values()];
}

/** Returns the cost of newcomers of each universe. */
export function newcomersOf(
  feeds: readonly PlannedFeed[],
  universes: readonly PlannedUniverse[],
  of: { readonly candles: PlannedBudget | undefined } & Pick<PlanInput, 'replyMs' | 'venue'>,
): readonly NewcomerPlan[] {
  return universes.map((universe) => {
    const { templates, rules } = universe.wanted;
    const requests = templates.reduce(
      (sum, template) =>
        template.kind === 'candles'
          ? sum + Math.ceil((template.warmUp + 2) / of.venue.pageSizes.candles)
          : sum,
      0,
    );
    const first = placeholderOf(universe, 0);
    return {
      universe: universe.key,
      places: universe.places,
      feeds: feeds.filter(({ market }) => market === first),
      requests,
      oneMs: warmUpMs(requests, of),
      allMs: warmUpMs(requests * Math.min(rules.take, universe.places), of),
    };
  });
}

/** By what the polls of bars leave of their budget. One question of a market follows the other's answer. */
function warmUpMs(
  requests: number,
  { candles, replyMs }: { readonly candles: PlannedBudget | undefined; readonly replyMs: number },
): number {
  if (requests === 0 || candles === undefined) return 0;
  const leftPerMs = plannedRate(candles) - candles.requestsPerMinute / 60_000;
  if (leftPerMs <= 0) return Infinity;
  const waitMs = Math.max(burstWaitMs(candles, { requests, replyMs }), (requests - 1) / leftPerMs);
  return Math.ceil(waitMs + replyMs);
}

function placeholdersOf(universe: PlannedUniverse): readonly string[] {
  return Array.from({ length: universe.places }, (_, place) => placeholderOf(universe, place));
}

/**
 * Returns the data that a universe requests, each market and template once: its places, and markets polled
 * anyway.
 */
export function universeFeeds(
  universe: PlannedUniverse,
  known: ReadonlyMap<string, Feed>,
): readonly (readonly [market: string, template: UniverseSubscription['templates'][number]])[] {
  const { templates, candidates } = universe.wanted;
  return templates.flatMap((template) => {
    const polled = candidates.filter((market) =>
      known.has(routeOfSubscription(candidateSubscription(market, template))),
    );
    return [...placeholdersOf(universe), ...polled].map((market) => [market, template] as const);
  });
}
