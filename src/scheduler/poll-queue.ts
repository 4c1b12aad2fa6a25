import { invariant, invalidOptions } from '../domain/errors.ts';
import type { PlannedFeed } from './feed.ts';

/** Value of a wake time that must be computed again. */
const UNKNOWN = -Infinity;

/** A feed and its schedule, in ms. */
interface Entry {
  readonly feed: PlannedFeed;
  /** Intervals between requests while orders are open, and while none is. */
  busyMs: number;
  idleMs: number;
  dueMs: number;
  /** Time of the last request; minus infinity before the first. */
  askedMs: number;
  /** Earliest time of the next request, whatever else brings it forward. */
  notBeforeMs: number;
  /** Extra delay of the second request, in intervals. */
  phase: number;
  isInFlight: boolean;
  /** True if it is not requested at all, because its market is not followed. */
  isAsleep: boolean;
}

/**
 * Schedule of the feeds of a running plan. A feed is due one interval after its last request, even if that
 * was late, so that no burst follows a delay; none is requested while a reply is pending. All first requests
 * leave at the start; the second ones of feeds with the same budget and interval are spread over one more
 * interval, so that they do not come together again.
 * A search visits all feeds, some hundreds at most; it is skipped while nothing can be due.
 */
export class PollQueue {
  private readonly entries: readonly Entry[];
  private readonly byKey: ReadonlyMap<string, Entry>;
  /** True while no order is open. */
  isIdle = false;
  /** Time before which no feed is due. */
  wakeMs = UNKNOWN;

  /** Throws `INVALID_OPTIONS` if two feeds have the same key. */
  constructor(feeds: readonly PlannedFeed[], startMs: number) {
    const phases = phasesOf(feeds);
    this.entries = feeds.map((feed) => ({
      feed,
      busyMs: feed.intervalMs,
      idleMs: feed.idleIntervalMs,
      // A feed without any share of its budget is never requested.
      dueMs: feed.intervalMs === Infinity ? Infinity : startMs,
      askedMs: -Infinity,
      notBeforeMs: -Infinity,
      // Bars have no phase.
      phase: phases.get(feed) ?? 0,
      isInFlight: false,
      isAsleep: feed.isPooled === true,
    }));
    this.byKey = new Map(this.entries.map((entry) => [entry.feed.key, entry]));
    if (this.byKey.size < feeds.length) throw invalidOptions(twiceMessage(feeds));
  }

  /** Returns the feed, not in flight, that is most overdue relative to its interval; null if none is due. */
  due(nowMs: number): PlannedFeed | null {
    if (nowMs < this.wakeMs) return null;
    let most = -1;
    let found: Entry | null = null;
    let wakeMs = Infinity;
    for (const entry of this.entries) {
      const { dueMs, isInFlight, isAsleep } = entry;
      if (isInFlight || isAsleep) continue;
      if (dueMs < wakeMs) wakeMs = dueMs;
      if (dueMs > nowMs) continue;
      const overdue = (nowMs - dueMs) / this.intervalOf(entry);
      if (overdue <= most) continue;
      most = overdue;
      found = entry;
    }
    this.wakeMs = wakeMs;
    return found?.feed ?? null;
  }

  /** Records that a feed's request was passed on: it is in flight until `answered`. */
  asked(key: string, nowMs: number): void {
    const entry = this.entryOf(key);
    entry.isInFlight = true;
    entry.askedMs = nowMs;
    entry.notBeforeMs = -Infinity;
    entry.dueMs = nowMs + this.intervalOf(entry) * (1 + entry.phase);
    entry.phase = 0;
    this.wakeMs = UNKNOWN;
  }

  /** Records the end of a feed's request, answered or not. If it became due meanwhile, it is due now. */
  answered(key: string, nowMs: number): void {
    const entry = this.entryOf(key);
    entry.isInFlight = false;
    entry.dueMs = Math.max(entry.dueMs, nowMs);
    if (!entry.isAsleep && entry.dueMs < this.wakeMs) this.wakeMs = entry.dueMs;
  }

  /** Makes a feed due earlier, as its data may have changed: not before a postponement, and never later. */
  requestNow(key: string, atMs: number): void {
    const entry = this.byKey.get(key);
    if (entry === undefined) return;
    entry.dueMs = Math.min(entry.dueMs, Math.max(atMs, entry.notBeforeMs));
    if (!entry.isInFlight && !entry.isAsleep && entry.dueMs < this.wakeMs) this.wakeMs = entry.dueMs;
  }

  /** Starts a feed of a universe at a time: its market is followed. */
  wake(key: string, atMs: number): void {
    const entry = this.entryOf(key);
    entry.isAsleep = false;
    entry.notBeforeMs = -Infinity;
    entry.dueMs = atMs;
    this.wakeMs = UNKNOWN;
  }

  /** Stops a feed of a universe: its market is no longer followed. */
  sleep(key: string): void {
    this.entryOf(key).isAsleep = true;
    this.wakeMs = UNKNOWN;
  }

  /** Makes a feed due later, never earlier: its budget is locked, or its bar has not closed yet. */
  postpone(key: string, atMs: number): void {
    const entry = this.entryOf(key);
    entry.notBeforeMs = Math.max(entry.notBeforeMs, atMs);
    entry.dueMs = Math.max(entry.dueMs, atMs);
    this.wakeMs = UNKNOWN;
  }

  /** Sets whether no order is open. With the first order, slow feeds are due by their faster interval. */
  setIdle(isIdle: boolean): void {
    this.isIdle = isIdle;
    if (isIdle) return;
    for (const entry of this.entries) {
      const { askedMs, busyMs, idleMs, notBeforeMs } = entry;
      if (busyMs === idleMs || askedMs === -Infinity) continue;
      entry.dueMs = Math.min(entry.dueMs, Math.max(askedMs + busyMs, notBeforeMs));
    }
    this.wakeMs = UNKNOWN;
  }

  /** Sets new intervals of feeds from their next request on; a shorter one may make a feed due. */
  setPaces(paces: readonly FeedPace[]): void {
    for (const { key, intervalMs, idleIntervalMs } of paces) {
      const entry = this.entryOf(key);
      entry.busyMs = intervalMs;
      entry.idleMs = idleIntervalMs;
      if (entry.askedMs === -Infinity || entry.isInFlight) continue;
      const soonestMs = entry.askedMs + this.intervalOf(entry);
      entry.dueMs = Math.max(Math.min(entry.dueMs, soonestMs), entry.notBeforeMs);
    }
    this.wakeMs = UNKNOWN;
  }

  /** Returns the time at which the next feed is due; infinity if all are in flight. */
  wakeAtMs(): number {
    if (this.wakeMs !== UNKNOWN) return this.wakeMs;
    this.wakeMs = Infinity;
    for (const { isInFlight, isAsleep, dueMs } of this.entries) {
      if (!isInFlight && !isAsleep && dueMs < this.wakeMs) this.wakeMs = dueMs;
    }
    return this.wakeMs;
  }

  private intervalOf({ busyMs, idleMs }: Entry): number {
    return this.isIdle ? idleMs : busyMs;
  }

  private entryOf(key: string): Entry {
    const entry = this.byKey.get(key);
    invariant(entry !== undefined, () => `expected one of the feeds of the plan, was ${JSON.stringify(key)}`);
    return entry;
  }
}

function twiceMessage(feeds: readonly PlannedFeed[]): string {
  const keys = feeds.map(({ key }) => key);
  const twice = keys.find((key, index) => keys.indexOf(key) < index);
  return `expected each feed once in a plan, was ${JSON.stringify(twice)} twice`;
}

/** Returns delays from 0 to below 1, even over the feeds of a budget and interval. Bars have none. */
function phasesOf(feeds: readonly PlannedFeed[]): ReadonlyMap<PlannedFeed, number> {
  const phases = new Map<PlannedFeed, number>();
  const polled = feeds.filter(({ kind }) => kind !== 'candles');
  for (const group of Map.groupBy(polled, ({ budget, intervalMs }) => `${budget} ${intervalMs}`).values()) {
    for (const [place, feed] of group.entries()) phases.set(feed, place / group.length);
  }
  return phases;
}

/** New interval of a feed, and the resulting age of its data; whole ms. */
export type FeedPace = Pick<PlannedFeed, 'key' | 'intervalMs' | 'idleIntervalMs' | 'worstAgeMs'>;

/** A budget whose limit has changed: what it was planned with, and what it is now. */
interface ChangedLimit {
  readonly budget: string;
  readonly plannedLimit: number;
  readonly limit: number;
}

/**
 * Returns the intervals of a running plan after limits have changed, as a plan with the new limits has them.
 * A feed that this plan does not have, such as all books in place of each, is slowed in proportion to its
 * limit: the set of requests stays. Bars are requested at their close in any case.
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
