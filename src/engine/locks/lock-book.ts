import { present } from '../../domain/errors.ts';
import type { LockKind } from '../../records/field.ts';
import { bothTimesText } from '../../domain/zone-time.ts';
import type { Units } from '../../domain/money.ts';
import { lengthText } from '../../domain/time-text.ts';
import { sentence, type Sentence } from '../../language/sentence.ts';
import { NO_LOCKS, type Peaks, type RuleCounts, type StoredLocks } from '../stored-records.ts';
import {
  isSameScope,
  reaches,
  UNTIL_RESUMED_MS,
  type Lock,
  type LockScope,
  BY_HAND,
  ruleKey,
  type CalendarRule,
  type DrawdownRule,
  type LockRecord,
  type LockRule,
  type TradeRule,
} from '../lock.ts';
import {
  fallenTooFar,
  nextSampleMs,
  scopeOfReach,
  tooLittleEarned,
  tooManyStops,
  withEarning,
  withEquity,
  withStop,
  type Exit,
} from './trade-counts.ts';
import { calendarAt } from '../trading-calendar.ts';

/** Change of a lock: it began, was made longer, or ended. `ended early`: before its time, as by hand. */
export interface LockChange {
  readonly kind: 'begun' | 'extended' | 'ended' | 'ended early';
  readonly lock: Lock;
}

/** Locks to be ended by an operator: by name, by scope, or all (both null). */
interface UnlockRequest {
  readonly name: string | null;
  readonly scope: LockScope | null;
}

/**
 * Maximum number of active locks by hand; one more is refused. Rules, strategies and markets bound the other
 * locks.
 */
export const MOST_BY_HAND = 100;

/**
 * All active locks, and what rules have counted towards the next ones. It decides at the time that is passed
 * in, which never goes back. Nothing in it waits or reads a clock.
 */
export class LockBook {
  readonly rules: readonly LockRule[];
  private readonly tradeRules: readonly TradeRule[];
  readonly drawdownRules: readonly DrawdownRule[];
  private readonly calendarRules: readonly CalendarRule[];
  private locks: Lock[] = [];
  private readonly counts = new Map<string, RuleCounts>();
  /** Time of the next check of each calendar rule. */
  private readonly calendarUntilMs = new Map<string, number>();
  /** Earliest time at which a lock or a calendar changes by time alone. */
  private nextMs: number;
  /** Number that rises with each change of the stored state. */
  version = 0;

  constructor(rules: readonly LockRule[]) {
    this.rules = rules;
    this.tradeRules = rules.filter(isTradeRule);
    this.drawdownRules = rules.filter((rule) => rule.kind === 'drawdown');
    this.calendarRules = rules.filter(
      (rule): rule is CalendarRule => rule.kind === 'hours' || rule.kind === 'dates',
    );
    this.nextMs = this.calendarRules.length === 0 ? Number.POSITIVE_INFINITY : Number.NEGATIVE_INFINITY;
  }

  /** True if a rule counts trades, so that fills have to be passed in. */
  get countsTrades(): boolean {
    return this.tradeRules.length > 0;
  }

  /** Returns the active locks, oldest first. */
  active(): readonly Lock[] {
    return this.locks;
  }

  /** Returns the next time at which a lock or a calendar changes by time alone; infinity if never. */
  nextChangeMs(): number {
    return this.nextMs;
  }

  /** Returns the active locks for orders of a strategy in a market, the one that ends last first. */
  locksOn(strategy: string, market: string): readonly Lock[] {
    return this.locks
      .filter((lock) => reaches(lock, strategy, market))
      .toSorted((left, right) => right.endsAtMs - left.endsAtMs);
  }

  /** Returns the cause of a lock. */
  kindOf({ rule }: Lock): LockKind {
    if (rule === null) return BY_HAND;
    const { kind } = present(
      this.rules.find((one) => ruleKey(one) === rule),
      () => `the rule ${rule} of a lock that holds`,
    );
    return kind;
  }

  /** Ends locks whose time is over, and checks the calendars that are due. */
  advance(nowMs: number): readonly LockChange[] {
    if (nowMs < this.nextMs) return NO_CHANGES;
    const changes: LockChange[] = [];
    for (const lock of this.locks.filter(({ endsAtMs }) => endsAtMs <= nowMs)) {
      this.remove(lock);
      changes.push({ kind: 'ended', lock });
    }
    for (const rule of this.calendarRules) changes.push(...this.checkCalendar(rule, nowMs));
    this.setNext();
    return changes;
  }

  /** Counts a fill that reduced a position, and begins the locks that rules require. */
  onExit(exit: Exit, nowMs: number): readonly LockChange[] {
    const changes: LockChange[] = [];
    for (const rule of this.tradeRules) {
      if (rule.strategy !== null && rule.strategy !== exit.strategy) continue;
      const reason = this.count(rule, exit);
      if (reason === null) continue;
      const reach = rule.kind === 'cooldown' ? 'market' : rule.reach;
      const scope = scopeOfReach(reach, rule.strategy, exit);
      // Its time counts from the trade, however late that was listed; a clock ahead of ours adds nothing.
      const endsAtMs = Math.min(exit.atMs, nowMs) + rule.forMs;
      const change = this.enter(lockOf(rule, { scope, reason, beganAtMs: nowMs, endsAtMs }), nowMs);
      if (change !== null) changes.push(change);
      if (rule.kind !== 'cooldown') this.forget(rule, scope);
    }
    this.setNext();
    return changes;
  }

  /** Applies an equity sample of a strategy, or of all (null), and begins a lock if it has fallen too far. */
  onEquity(
    rule: DrawdownRule,
    of: {
      readonly strategy: string | null;
      readonly equity: Units;
      readonly base: Units;
      readonly quote: string;
    },
    nowMs: number,
  ): readonly LockChange[] {
    const { strategy, equity, base, quote } = of;
    const scope = { strategy, market: null };
    // While the lock is active nothing is counted, so that its cause is counted once.
    if (this.locks.some((lock) => lock.rule === ruleKey(rule) && isSameScope(lock, scope))) return NO_CHANGES;
    const counts = this.countsOf(rule);
    const before = counts.peaks.find((peaks) => peaks.strategy === strategy) ?? { strategy, base, highs: [] };
    const peaks = withEquity(before, equity, { withinMs: rule.withinMs, nowMs });
    if (peaks !== before) this.setPeaks(rule, peaks);
    const reason = fallenTooFar(peaks, equity, { rule, quote, within: lengthText(rule.withinMs) });
    if (reason === null) return NO_CHANGES;
    this.setPeaks(rule, { ...peaks, highs: [] });
    const lock = lockOf(rule, { scope, reason, beganAtMs: nowMs, endsAtMs: nowMs + rule.forMs });
    const change = this.enter(lock, nowMs);
    this.setNext();
    return change === null ? NO_CHANGES : [change];
  }

  /** Returns equity less results at a rule's first sample; null before that. */
  baseOf(rule: DrawdownRule, strategy: string | null): Units | null {
    return this.countsOf(rule).peaks.find((peaks) => peaks.strategy === strategy)?.base ?? null;
  }

  /** True if one more manual lock may be made. */
  get hasRoom(): boolean {
    return this.locks.filter(({ rule }) => rule === null).length < MOST_BY_HAND;
  }

  /** Returns the time of the next equity sample; infinity without such rules. */
  nextSampleMs(nowMs: number): number {
    let next = Number.POSITIVE_INFINITY;
    for (const rule of this.drawdownRules) next = Math.min(next, nextSampleMs(rule, nowMs));
    return next;
  }

  /** Begins a lock by hand, or extends one of the same name and scope. Returns null if nothing changes. */
  lockByHand(lock: Lock, nowMs: number): LockChange | null {
    const change = this.enter(lock, nowMs);
    this.setNext();
    return change;
  }

  /**
   * Ends locks before their time, and resets the counts of their rules. Locks of calendars stay, since a
   * calendar would begin them again.
   */
  unlock({ name, scope }: UnlockRequest): readonly LockChange[] {
    const calendars = new Set(this.calendarRules.map(ruleKey));
    const ending = this.locks.filter(
      (lock) =>
        (lock.rule === null || !calendars.has(lock.rule)) &&
        (name === null || lock.name === name) &&
        (scope === null || isSameScope(lock, scope)),
    );
    for (const lock of ending) {
      this.remove(lock);
      const rule = this.rules.find((one) => ruleKey(one) === lock.rule);
      if (rule !== undefined && isTradeRule(rule)) this.forget(rule, lock);
    }
    this.setNext();
    return ending.map((lock) => ({ kind: 'ended early', lock }));
  }

  /** Returns the state for a restart. */
  stored(): StoredLocks {
    const nextChangeAtMs = Number.isFinite(this.nextMs) ? Math.max(0, this.nextMs) : null;
    return { ...NO_LOCKS, locks: [...this.locks], counts: [...this.counts.values()], nextChangeAtMs };
  }

  /**
   * Restores the stored state. Locks whose rule is no longer configured are dropped and returned; those of
   * calendars are computed again.
   */
  restore({ locks, counts }: StoredLocks): readonly Lock[] {
    const rules = new Map(this.rules.map((rule) => [ruleKey(rule), rule]));
    const gone: Lock[] = [];
    for (const lock of locks) {
      const rule = lock.rule === null ? null : rules.get(lock.rule);
      if (rule === undefined) gone.push(lock);
      else this.locks.push(lock);
    }
    for (const stored of counts) if (rules.has(stored.rule)) this.counts.set(stored.rule, stored);
    this.nextMs = Number.NEGATIVE_INFINITY;
    return gone;
  }

  private count(rule: TradeRule, exit: Exit): Sentence | null {
    if (rule.kind === 'cooldown')
      return exit.endsPosition
        ? sentence('lock-cooldown', { market: exit.market, at: bothTimesText(exit.atMs) })
        : null;
    const counts = this.countsOf(rule);
    const scope = scopeOfReach(rule.reach, rule.strategy, exit);
    const within = lengthText(rule.withinMs);
    if (rule.kind === 'stops') {
      const stops = withStop(counts.stops, exit, rule);
      if (stops === counts.stops) return null;
      this.setCounts(rule, { ...counts, stops });
      return tooManyStops(stops, scope, { rule, nowMs: exit.atMs, within });
    }
    const earnings = withEarning(counts.earnings, exit, rule);
    if (earnings === counts.earnings) return null;
    this.setCounts(rule, { ...counts, earnings });
    return exit.endsPosition ? tooLittleEarned(earnings, scope, { rule, nowMs: exit.atMs, within }) : null;
  }

  private checkCalendar(rule: CalendarRule, nowMs: number): readonly LockChange[] {
    const key = ruleKey(rule);
    if ((this.calendarUntilMs.get(key) ?? Number.NEGATIVE_INFINITY) > nowMs) return NO_CHANGES;
    const { isOpen, untilMs } = calendarAt(rule.calendar, nowMs);
    this.calendarUntilMs.set(key, untilMs);
    const before = this.locks.find((lock) => lock.rule === key);
    if (isOpen) {
      if (before === undefined) return NO_CHANGES;
      // The configuration has changed since the lock began.
      this.remove(before);
      return [{ kind: 'ended early', lock: before }];
    }
    if (before?.endsAtMs === untilMs && before.reason === rule.text) return NO_CHANGES;
    if (before !== undefined) this.remove(before);
    const scope = { strategy: rule.strategy, market: null };
    const beganAtMs = before?.beganAtMs ?? nowMs;
    const lock = lockOf(rule, { scope, reason: rule.text, beganAtMs, endsAtMs: untilMs });
    this.locks.push(lock);
    this.version += 1;
    return [{ kind: before === undefined ? 'begun' : 'extended', lock }];
  }

  /** Begins a lock, or extends one of the same name and scope; null if it is over or changes nothing. */
  private enter(lock: Lock, nowMs: number): LockChange | null {
    if (lock.endsAtMs <= nowMs) return null;
    const place = this.locks.findIndex(
      (one) => one.name === lock.name && one.rule === lock.rule && isSameScope(one, lock),
    );
    const before = this.locks[place];
    if (before === undefined) {
      this.locks.push(lock);
      this.version += 1;
      return { kind: 'begun', lock };
    }
    const endsAtMs = Math.max(before.endsAtMs, lock.endsAtMs);
    const pauses = lock.pauses === true || before.pauses === true;
    const longer = { ...lock, beganAtMs: before.beganAtMs, endsAtMs, ...(pauses ? { pauses } : {}) };
    const isSame = lock.entries === before.entries && pauses === (before.pauses === true);
    if (endsAtMs === before.endsAtMs && isSame) return null;
    this.locks[place] = longer;
    this.version += 1;
    return { kind: 'extended', lock: longer };
  }

  private remove(lock: Lock): void {
    this.locks = this.locks.filter((one) => one !== lock);
    this.version += 1;
  }

  private forget(rule: TradeRule, scope: LockScope): void {
    const counts = this.countsOf(rule);
    const isOther = ({ strategy, market }: { strategy: string; market: string }): boolean =>
      !reaches(scope, strategy, market);
    this.setCounts(rule, {
      ...counts,
      stops: counts.stops.filter(isOther),
      earnings: counts.earnings.filter(isOther),
    });
  }

  private setPeaks(rule: DrawdownRule, peaks: Peaks): void {
    const counts = this.countsOf(rule);
    const others = counts.peaks.filter(({ strategy }) => strategy !== peaks.strategy);
    this.setCounts(rule, { ...counts, peaks: [...others, peaks] });
  }

  private countsOf(rule: LockRule): RuleCounts {
    return this.counts.get(ruleKey(rule)) ?? { rule: ruleKey(rule), stops: [], earnings: [], peaks: [] };
  }

  private setCounts(rule: LockRule, counts: RuleCounts): void {
    this.counts.set(ruleKey(rule), counts);
    this.version += 1;
  }

  private setNext(): void {
    let next = Number.POSITIVE_INFINITY;
    for (const { endsAtMs } of this.locks)
      if (endsAtMs < next && endsAtMs < UNTIL_RESUMED_MS) next = endsAtMs;
    for (const untilMs of this.calendarUntilMs.values()) if (untilMs < next) next = untilMs;
    if (this.calendarUntilMs.size < this.calendarRules.length) next = Number.NEGATIVE_INFINITY;
    this.nextMs = next;
  }
}

const NO_CHANGES: readonly LockChange[] = [];

function isTradeRule(rule: LockRule): rule is TradeRule {
  return rule.kind === 'cooldown' || rule.kind === 'stops' || rule.kind === 'low-profit';
}

function lockOf(
  rule: LockRule,
  of: Pick<Lock, 'reason' | 'beganAtMs' | 'endsAtMs'> & { readonly scope: LockScope },
): Lock {
  const { scope, reason, beganAtMs, endsAtMs } = of;
  return {
    name: rule.name,
    rule: ruleKey(rule),
    ...scope,
    reason,
    beganAtMs,
    endsAtMs,
    entries: rule.entries,
  };
}

/** Maximum number of locks that are remembered; later ones are only counted. */
const MOST_RECORDS = 10_000;

interface Working {
  lock: Lock;
  endedAtMs: number | null;
  refused: number;
  /** Strategies whose first refusal by this lock was logged. */
  readonly logged: Set<string>;
}

/** Remembers the locks of this process, and how many orders each refused. */
export class LockRecords {
  private readonly working = new Map<string, Working>();
  private readonly past: Working[] = [];
  /** Number of locks beyond those that are remembered. */
  more = 0;

  /** Notes a change of a lock. Returns how many orders it refused if it has ended, else 0. */
  note({ kind, lock }: LockChange, nowMs: number): number {
    const record = this.recordOf(lock);
    record.lock = lock;
    if (kind === 'begun' || kind === 'extended') return 0;
    record.endedAtMs = kind === 'ended' ? lock.endsAtMs : Math.max(nowMs, lock.beganAtMs);
    this.working.delete(keyOf(lock));
    return record.refused;
  }

  /** Counts a refusal. True if it is the first of the strategy by this lock. */
  refuse(lock: Lock, strategy: string): boolean {
    const record = this.recordOf(lock);
    record.refused += 1;
    const isFirst = !record.logged.has(strategy);
    record.logged.add(strategy);
    return isFirst;
  }

  /** Returns the remembered locks of this process, in the order of their beginnings. */
  all(): readonly LockRecord[] {
    return this.past.map(({ lock, endedAtMs, refused }) => ({ lock, endedAtMs, refused }));
  }

  private recordOf(lock: Lock): Working {
    const key = keyOf(lock);
    const known = this.working.get(key);
    if (known !== undefined) return known;
    const record: Working = { lock, endedAtMs: null, refused: 0, logged: new Set() };
    this.working.set(key, record);
    if (this.past.length < MOST_RECORDS) this.past.push(record);
    else this.more += 1;
    return record;
  }
}

function keyOf({ name, rule, strategy, market }: LockScope & Pick<Lock, 'name' | 'rule'>): string {
  return JSON.stringify([name, rule, strategy, market]);
}
