import { SarrafError } from '../domain/errors.ts';
import type { PlannedFeed } from './feed.ts';
import type { FeedPace } from './pace.ts';

/** Nothing is due before it: unknown until somebody looks. */
const UNKNOWN = -Infinity;

/**
 * Which feed is asked next, of a plan at work. A feed comes again its interval after it was last asked, however late that was, so that a stall is
 * followed by no burst; none is asked while its answer is still on its way. The first questions all go out at the start; the second ones of those
 * that share a budget and a pace are spread over one interval more, so that they never again come all at once.
 *
 * Looking walks over all feeds, of which a plan has some hundreds at most; it is skipped while nothing can be due.
 */
export class PollQueue {
  private readonly feeds: readonly PlannedFeed[];
  private readonly indexes: ReadonlyMap<string, number>;
  private readonly busyMs: Float64Array;
  private readonly idleMs: Float64Array;
  private readonly dueMs: Float64Array;
  /** When each was last asked: minus infinity before its first time. */
  private readonly askedMs: Float64Array;
  /** Not asked before it, whatever else brings it forward. */
  private readonly notBeforeMs: Float64Array;
  /** By how many intervals the second question comes later. */
  private readonly phases: Float64Array;
  private readonly isInFlight: Uint8Array;
  private intervalsMs: Float64Array;
  private wakeMs = UNKNOWN;

  /** Throws `INVALID_OPTIONS` when two feeds have one key. */
  constructor(feeds: readonly PlannedFeed[], startMs: number) {
    this.feeds = feeds;
    this.indexes = new Map(feeds.map(({ key }, index) => [key, index]));
    if (this.indexes.size < feeds.length) throw new SarrafError('INVALID_OPTIONS', twiceMessage(feeds));
    this.busyMs = Float64Array.from(feeds, ({ intervalMs }) => intervalMs);
    this.idleMs = Float64Array.from(feeds, ({ idleIntervalMs }) => idleIntervalMs);
    this.intervalsMs = this.busyMs;
    // What has no share of its budget at all is never asked for.
    this.dueMs = Float64Array.from(feeds, ({ intervalMs }) => (intervalMs === Infinity ? Infinity : startMs));
    this.askedMs = new Float64Array(feeds.length).fill(-Infinity);
    this.notBeforeMs = new Float64Array(feeds.length).fill(-Infinity);
    this.phases = phasesOf(feeds);
    this.isInFlight = new Uint8Array(feeds.length);
  }

  /** The feed that is most overdue relative to its interval, of those that are not in flight; null when none is due. */
  due(nowMs: number): PlannedFeed | null {
    if (nowMs < this.wakeMs) return null;
    const { dueMs, intervalsMs, isInFlight } = this;
    let most = -1;
    let found = -1;
    let wakeMs = Infinity;
    for (let index = 0; index < dueMs.length; index += 1) {
      const at = dueMs[index] ?? Infinity;
      if (isInFlight[index] === 1) continue;
      if (at < wakeMs) wakeMs = at;
      if (at > nowMs) continue;
      const overdue = (nowMs - at) / (intervalsMs[index] ?? Infinity);
      if (overdue <= most) continue;
      most = overdue;
      found = index;
    }
    this.wakeMs = wakeMs;
    return this.feeds[found] ?? null;
  }

  /** Says that a feed's question was handed over: it is in flight until it is answered. */
  asked(key: string, nowMs: number): void {
    const index = this.indexOf(key);
    const intervalMs = this.intervalsMs[index] ?? Infinity;
    this.isInFlight[index] = 1;
    this.askedMs[index] = nowMs;
    this.notBeforeMs[index] = -Infinity;
    this.dueMs[index] = nowMs + intervalMs * (1 + (this.phases[index] ?? 0));
    this.phases[index] = 0;
    this.wakeMs = UNKNOWN;
  }

  /** Says that a feed's question came to its end, answered or not. What fell due meanwhile is due now. */
  answered(key: string, nowMs: number): void {
    const index = this.indexOf(key);
    this.isInFlight[index] = 0;
    const dueMs = Math.max(this.dueMs[index] ?? nowMs, nowMs);
    this.dueMs[index] = dueMs;
    if (dueMs < this.wakeMs) this.wakeMs = dueMs;
  }

  /** Brings a feed forward: there is reason to think that something changed. Never before what it was postponed to, and never back. */
  hasten(key: string, atMs: number): void {
    const index = this.indexOf(key);
    const dueMs = Math.min(this.dueMs[index] ?? atMs, Math.max(atMs, this.notBeforeMs[index] ?? atMs));
    this.dueMs[index] = dueMs;
    if (this.isInFlight[index] === 0 && dueMs < this.wakeMs) this.wakeMs = dueMs;
  }

  /** Puts a feed off: its budget is locked, or its bar has not closed yet. Never forward. */
  postpone(key: string, atMs: number): void {
    const index = this.indexOf(key);
    this.notBeforeMs[index] = Math.max(this.notBeforeMs[index] ?? atMs, atMs);
    this.dueMs[index] = Math.max(this.dueMs[index] ?? atMs, atMs);
    this.wakeMs = UNKNOWN;
  }

  /** Says whether no order is open. With the first order, what was slow is asked for as soon as its faster pace allows. */
  setIdle(isIdle: boolean): void {
    const intervalsMs = isIdle ? this.idleMs : this.busyMs;
    if (intervalsMs === this.intervalsMs) return;
    this.intervalsMs = intervalsMs;
    if (isIdle) return;
    for (let index = 0; index < this.feeds.length; index += 1) this.quicken(index);
    this.wakeMs = UNKNOWN;
  }

  /** Has feeds asked at another pace from their next question on, and those that are quicker now as soon as that allows. */
  setPaces(paces: readonly FeedPace[]): void {
    for (const { key, intervalMs, idleIntervalMs } of paces) {
      const index = this.indexOf(key);
      this.busyMs[index] = intervalMs;
      this.idleMs[index] = idleIntervalMs;
      const soonest = (this.askedMs[index] ?? -Infinity) + (this.intervalsMs[index] ?? Infinity);
      if (soonest === -Infinity || this.isInFlight[index] === 1) continue;
      this.dueMs[index] = Math.max(
        Math.min(this.dueMs[index] ?? soonest, soonest),
        this.notBeforeMs[index] ?? -Infinity,
      );
    }
    this.wakeMs = UNKNOWN;
  }

  /** When the next one is due; infinity when all are in flight. */
  wakeAtMs(): number {
    if (this.wakeMs === UNKNOWN) this.wakeMs = this.earliestMs();
    return this.wakeMs;
  }

  private earliestMs(): number {
    let earliest = Infinity;
    for (let index = 0; index < this.dueMs.length; index += 1) {
      const at = this.dueMs[index] ?? Infinity;
      if (this.isInFlight[index] === 0 && at < earliest) earliest = at;
    }
    return earliest;
  }

  private quicken(index: number): void {
    const busyMs = this.busyMs[index] ?? Infinity;
    const asked = this.askedMs[index] ?? -Infinity;
    if (busyMs === this.idleMs[index] || asked === -Infinity) return;
    const soonest = Math.max(asked + busyMs, this.notBeforeMs[index] ?? -Infinity);
    this.dueMs[index] = Math.min(this.dueMs[index] ?? soonest, soonest);
  }

  private indexOf(key: string): number {
    const index = this.indexes.get(key);
    if (index !== undefined) return index;
    throw new SarrafError('INVARIANT', `expected one of the feeds of the plan, was ${JSON.stringify(key)}`);
  }
}

function twiceMessage(feeds: readonly PlannedFeed[]): string {
  const keys = feeds.map(({ key }) => key);
  const twice = keys.find((key, index) => keys.indexOf(key) < index);
  return `expected each feed once in a plan, was ${JSON.stringify(twice)} twice`;
}

/** Evenly from 0 up to 1 among those of one budget and pace. Bars keep to their close. */
function phasesOf(feeds: readonly PlannedFeed[]): Float64Array {
  const phases = new Float64Array(feeds.length);
  const groups = Map.groupBy(feeds.keys(), (index) => {
    const feed = feeds[index];
    return feed === undefined || feed.kind === 'candles' ? '' : `${feed.budget} ${feed.intervalMs}`;
  });
  for (const [pace, indexes] of groups) {
    if (pace !== '') indexes.forEach((index, place) => (phases[index] = place / indexes.length));
  }
  return phases;
}
