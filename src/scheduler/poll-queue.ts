import { SarrafError, invariant } from '../domain/errors.ts';
import type { PlannedFeed } from './feed.ts';

/** Nothing is due before it: unknown until somebody looks. */
const UNKNOWN = -Infinity;

/** A feed and its times, in ms. */
interface Entry {
  readonly feed: PlannedFeed;
  /** From one question to the next while orders are open, and while none is. */
  busyMs: number;
  idleMs: number;
  dueMs: number;
  /** Time of the last request: minus infinity before the first. */
  askedMs: number;
  /** Not asked before it, whatever else brings it forward. */
  notBeforeMs: number;
  /** By how many intervals the second question comes later. */
  phase: number;
  isInFlight: boolean;
  /** Not asked at all: its market is not followed. */
  isAsleep: boolean;
}

/**
 * Order of the feeds to request, of a plan at work. A feed is due its interval after its last request,
 * however late that was, so that a stall is followed by no burst; none is requested while its reply is still
 * pending. The first requests all go out at the start; the second ones of those that share a budget and a
 * pace are spread over one interval more, so that they never again come all at once.
 *
 * A search walks over all feeds, of which a plan has some hundreds at most; it is skipped while nothing can
 * be due.
 */
export class PollQueue {
  private readonly entries: readonly Entry[];
  private readonly byKey: ReadonlyMap<string, Entry>;
  /** True while no order is open. */
  isIdle = false;
  /** Nothing is due before it. */
  wakeMs = UNKNOWN;

  /** Throws `INVALID_OPTIONS` when two feeds have one key. */
  constructor(feeds: readonly PlannedFeed[], startMs: number) {
    const phases = phasesOf(feeds);
    this.entries = feeds.map((feed) => ({
      feed,
      busyMs: feed.intervalMs,
      idleMs: feed.idleIntervalMs,
      // What has no share of its budget at all is never asked for.
      dueMs: feed.intervalMs === Infinity ? Infinity : startMs,
      askedMs: -Infinity,
      notBeforeMs: -Infinity,
      // Bars have none.
      phase: phases.get(feed) ?? 0,
      isInFlight: false,
      isAsleep: feed.isPooled === true,
    }));
    this.byKey = new Map(this.entries.map((entry) => [entry.feed.key, entry]));
    if (this.byKey.size < feeds.length) throw new SarrafError('INVALID_OPTIONS', twiceMessage(feeds));
  }

  /**
   * The feed that is most overdue relative to its interval, of those that are not in flight; null when none
   * is due.
   */
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

  /** Notes that a feed's question was passed on: it is in flight until it is answered. */
  asked(key: string, nowMs: number): void {
    const entry = this.entryOf(key);
    entry.isInFlight = true;
    entry.askedMs = nowMs;
    entry.notBeforeMs = -Infinity;
    entry.dueMs = nowMs + this.intervalOf(entry) * (1 + entry.phase);
    entry.phase = 0;
    this.wakeMs = UNKNOWN;
  }

  /** Says that a feed's question came to its end, answered or not. What fell due meanwhile is due now. */
  answered(key: string, nowMs: number): void {
    const entry = this.entryOf(key);
    entry.isInFlight = false;
    entry.dueMs = Math.max(entry.dueMs, nowMs);
    if (!entry.isAsleep && entry.dueMs < this.wakeMs) this.wakeMs = entry.dueMs;
  }

  /**
   * Brings a feed forward: there is reason to think that something changed. Never before what it was
   * postponed to, and never back. A feed that no plan has stays so.
   */
  requestNow(key: string, atMs: number): void {
    const entry = this.byKey.get(key);
    if (entry === undefined) return;
    entry.dueMs = Math.min(entry.dueMs, Math.max(atMs, entry.notBeforeMs));
    if (!entry.isInFlight && !entry.isAsleep && entry.dueMs < this.wakeMs) this.wakeMs = entry.dueMs;
  }

  /** Asks for a feed of a universe from a time on: its market is followed. */
  wake(key: string, atMs: number): void {
    const entry = this.entryOf(key);
    entry.isAsleep = false;
    entry.notBeforeMs = -Infinity;
    entry.dueMs = atMs;
    this.wakeMs = UNKNOWN;
  }

  /** Asks for it no more. */
  sleep(key: string): void {
    this.entryOf(key).isAsleep = true;
    this.wakeMs = UNKNOWN;
  }

  /** Puts a feed off: its budget is locked, or its bar has not closed yet. Never forward. */
  postpone(key: string, atMs: number): void {
    const entry = this.entryOf(key);
    entry.notBeforeMs = Math.max(entry.notBeforeMs, atMs);
    entry.dueMs = Math.max(entry.dueMs, atMs);
    this.wakeMs = UNKNOWN;
  }

  /**
   * Says whether no order is open. With the first order, what was slow is asked for as soon as its faster
   * pace allows.
   */
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

  /**
   * Has feeds asked at another pace from their next question on, and those that are quicker now as soon as
   * that allows.
   */
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

  /** Returns the time the next feed is due; infinity if all are in flight. */
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

/** Evenly from 0 up to 1 among those of one budget and pace. Bars keep to their close: they have none. */
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
