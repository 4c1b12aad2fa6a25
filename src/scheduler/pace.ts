import type { PlannedFeed } from './feed.ts';

/** New interval of a feed, and the resulting age of its data; whole ms. */
export type FeedPace = Pick<PlannedFeed, 'key' | 'intervalMs' | 'idleIntervalMs' | 'worstAgeMs'>;

/** A budget whose limit has changed: what it was planned with, and what it is now. */
interface ChangedLimit {
  readonly budget: string;
  readonly plannedLimit: number;
  readonly limit: number;
}

/**
 * The paces of a plan at work once limits have changed, as a plan with the new limits has them. What that one
 * asks otherwise, such as all books at once in place of each, is stretched by as much as its limit is
 * smaller: which questions are asked stays as it is. Bars are asked for at their close whatever the limit.
 */
export function pacesOf(
  feeds: readonly PlannedFeed[],
  planned: readonly PlannedFeed[],
  changed: readonly ChangedLimit[],
): readonly FeedPace[] {
  const byKey = new Map(planned.map((feed) => [feed.key, feed]));
  const factors = new Map(changed.map(({ budget, plannedLimit, limit }) => [budget, plannedLimit / limit]));
  return feeds.map((feed) => {
    const { key, intervalMs, idleIntervalMs, worstAgeMs } = byKey.get(feed.key) ?? slowed(feed, factors);
    return { key, intervalMs, idleIntervalMs, worstAgeMs };
  });
}

function slowed(feed: PlannedFeed, factors: ReadonlyMap<string, number>): PlannedFeed {
  const factor = feed.kind === 'candles' ? 1 : Math.max(1, factors.get(feed.budget) ?? 1);
  const longer = (timeMs: number): number => Math.ceil(timeMs * factor);
  return {
    ...feed,
    intervalMs: longer(feed.intervalMs),
    idleIntervalMs: longer(feed.idleIntervalMs),
    worstAgeMs: longer(feed.worstAgeMs),
  };
}
