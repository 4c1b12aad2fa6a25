import { z } from 'zod';
import { durationMs } from './setting-fields.ts';
import type { Budget } from '../domain/rate-limit.ts';
import { retainNewest } from '../domain/retain-newest.ts';
import { HOUR_MS, MINUTE_MS } from '../domain/time-text.ts';

/** A refused request. `waitMs` is the time until one would be admitted again. */
export interface LimitRefusal {
  readonly kind: 'lockout' | 'back-off' | 'token-block' | 'ip-block';
  readonly budgetName: string;
  readonly limit: number;
  readonly windowMs: number;
  readonly waitMs: number;
}

export interface RateLimitsState {
  readonly budgets: Readonly<Record<string, SubjectLogsState>>;
  readonly lockouts: LockoutsState;
  readonly blocks: readonly (readonly [string, number])[];
  readonly badTokens: SubjectLogsState;
}

/** Maximum number of blocked tokens and IPs; beyond it ended blocks are dropped, then the oldest. */
const BLOCKS_RETAINED = 10_000;

/**
 * All rate limits of the exchange. A refused request does not count against its budget; an admitted one
 * counts whatever its answer is. Source: interface, "Rate limits".
 */
export class RateLimits {
  private readonly settings: LimitSettings;
  private readonly budgets = new Map<string, SubjectLogs | null>();
  private readonly lockouts: Lockouts;
  /** Temporarily lowered limits. They are not part of a stored state. */
  private readonly crowding = new Crowding();
  private readonly badTokens: SubjectLogs;
  private readonly refusals: SubjectLogs | null;
  /** End of each block by subject, in ms. */
  private readonly blocks = new Map<string, number>();
  /** Restored logs whose budget no request has named yet. */
  private pending: Record<string, SubjectLogsState> = {};

  constructor(settings: LimitSettings = DEFAULT_LIMITS) {
    this.settings = settings;
    this.lockouts = new Lockouts({
      firstMs: settings.firstLockoutMs,
      longestMs: settings.longestLockoutMs,
      forgiveAfterMs: settings.forgiveAfterMs,
    });
    this.badTokens = new SubjectLogs(settings.badTokens.limit, settings.badTokens.windowMs);
    const abuse = settings.continuedAbuse;
    this.refusals = abuse === null ? null : new SubjectLogs(abuse.refusals, abuse.windowMs);
  }

  /** Counts a request of `subject` (a credential's id, or an IP). Null if it is admitted. */
  admit(budget: Budget, subject: string, timeMs: number): LimitRefusal | null {
    if (!this.settings.enabled) return null;
    const logs = this.logsOf(budget);
    if (this.blocks.size > 0) {
      const waitMs = this.blockedMs(subject, timeMs);
      if (waitMs > 0) return this.refusal('token-block', { budget, logs, waitMs });
    }
    if (this.lockouts.size > 0) {
      const waitMs = this.lockouts.remainingMs(this.lockoutKey(budget, subject), timeMs);
      if (waitMs > 0)
        return this.refuseAgain(this.refusal('lockout', { budget, logs, waitMs }), subject, timeMs);
    }
    const lowered = this.crowding.limitOf(budget.name);
    if (logs === null || logs.tryAdd(subject, timeMs, lowered ?? logs.limit)) return null;
    if (lowered !== null && this.crowding.warns(budget.name, subject, timeMs)) {
      const waitMs = logs.waitMs(subject, timeMs, lowered);
      return { ...this.refusal('back-off', { budget, logs, waitMs }), limit: lowered };
    }
    if (this.settings.exceeded === 'back-off') {
      const waitMs = logs.waitMs(subject, timeMs);
      return this.refuseAgain(this.refusal('back-off', { budget, logs, waitMs }), subject, timeMs);
    }
    const waitMs = this.lockouts.begin(this.lockoutKey(budget, subject), timeMs);
    return this.refuseAgain(this.refusal('lockout', { budget, logs, waitMs }), subject, timeMs);
  }

  /**
   * Lowers the limit of a budget, as a crowded exchange does; null restores it. A request beyond it gets a
   * 429 that names the limit, 30 times within an hour, and is then refused as beyond any limit.
   */
  lower(budget: string, limit: number | null): void {
    this.crowding.set(budget, limit);
  }

  /** Counts a request with invalid credentials. More than the allowed number block the IP. */
  countBadToken(ip: string, timeMs: number): void {
    if (!this.settings.enabled || this.badTokens.tryAdd(ip, timeMs)) return;
    this.block(`ip:${ip}`, timeMs + this.settings.badTokens.blockMs, timeMs);
    this.badTokens.forget(ip);
  }

  /** Returns the refusal for an IP that sent too many bad tokens; null for any other. */
  blockedIp(ip: string, timeMs: number): LimitRefusal | null {
    if (this.blocks.size === 0) return null;
    const waitMs = this.blockedMs(`ip:${ip}`, timeMs);
    if (waitMs === 0) return null;
    const { limit, windowMs } = this.settings.badTokens;
    return { kind: 'ip-block', budgetName: 'bad tokens', limit, windowMs, waitMs };
  }

  snapshot(): RateLimitsState {
    const budgets: Record<string, SubjectLogsState> = { ...this.pending };
    for (const [name, logs] of this.budgets) if (logs !== null) budgets[name] = logs.snapshot();
    return {
      budgets,
      lockouts: this.lockouts.snapshot(),
      blocks: [...this.blocks],
      badTokens: this.badTokens.snapshot(),
    };
  }

  restore(state: RateLimitsState): void {
    this.budgets.clear();
    this.pending = { ...state.budgets };
    this.lockouts.restore(state.lockouts);
    this.blocks.clear();
    for (const [subject, untilMs] of state.blocks) this.blocks.set(subject, untilMs);
    this.badTokens.restore(state.badTokens);
  }

  private logsOf(budget: Budget): SubjectLogs | null {
    const known = this.budgets.get(budget.name);
    return known === undefined ? this.begin(budget) : known;
  }

  private begin(budget: Budget): SubjectLogs | null {
    const override = this.settings.overrides[budget.name] ?? {};
    const limit = override === 'none' ? Number.POSITIVE_INFINITY : (override.limit ?? budget.limit);
    const windowMs = override === 'none' ? budget.windowMs : (override.windowMs ?? budget.windowMs);
    const logs = limit > LARGEST_COUNTED_LIMIT ? null : new SubjectLogs(limit, windowMs);
    const stored = this.pending[budget.name];
    if (stored !== undefined) logs?.restore(stored);
    delete this.pending[budget.name];
    this.budgets.set(budget.name, logs);
    return logs;
  }

  private lockoutKey(budget: Budget, subject: string): string {
    return this.settings.lockoutScope === 'caller' ? subject : `${budget.name} ${subject}`;
  }

  private refusal(
    kind: LimitRefusal['kind'],
    of: { readonly budget: Budget; readonly logs: SubjectLogs | null; readonly waitMs: number },
  ): LimitRefusal {
    return {
      kind,
      budgetName: of.budget.name,
      limit: of.logs?.limit ?? of.budget.limit,
      windowMs: of.logs?.windowMs ?? of.budget.windowMs,
      waitMs: of.waitMs,
    };
  }

  /** Returns a refusal unchanged, and counts it if continued abuse leads to a block. */
  private refuseAgain(refusal: LimitRefusal, subject: string, timeMs: number): LimitRefusal {
    const abuse = this.settings.continuedAbuse;
    if (abuse !== null && this.refusals !== null && !this.refusals.tryAdd(subject, timeMs)) {
      this.block(subject, timeMs + abuse.blockMs, timeMs);
      this.refusals.forget(subject);
    }
    return refusal;
  }

  private blockedMs(subject: string, timeMs: number): number {
    const untilMs = this.blocks.get(subject);
    if (untilMs === undefined) return 0;
    if (untilMs > timeMs) return untilMs - timeMs;
    this.blocks.delete(subject);
    return 0;
  }

  private block(subject: string, untilMs: number, timeMs: number): void {
    if (this.blocks.size >= BLOCKS_RETAINED) {
      for (const [known, endMs] of this.blocks) if (endMs <= timeMs) this.blocks.delete(known);
      retainNewest(this.blocks, BLOCKS_RETAINED - 1);
    }
    this.blocks.set(subject, untilMs);
  }
}

/** Refusals in an hour that a caller gets as warnings while a limit is lowered; more lock it out. */
const WARNINGS = 30;
const WARNED_FOR_MS = 3_600_000;

/** Limits that a crowded exchange has lowered for some time. */
class Crowding {
  private readonly lowered = new Map<string, { readonly limit: number; readonly warnings: SubjectLogs }>();

  /** Lowers the limit of a budget; null restores it. */
  set(budget: string, limit: number | null): void {
    if (limit === null) this.lowered.delete(budget);
    else this.lowered.set(budget, { limit, warnings: new SubjectLogs(WARNINGS, WARNED_FOR_MS) });
  }

  /** Returns the lowered limit of a budget; null if it is not lowered. */
  limitOf(budget: string): number | null {
    return this.lowered.get(budget)?.limit ?? null;
  }

  /** True if a caller beyond a lowered limit gets one more warning; else it is locked out. */
  warns(budget: string, subject: string, timeMs: number): boolean {
    return this.lowered.get(budget)?.warnings.tryAdd(subject, timeMs) ?? false;
  }
}

/** Lockout of a caller until a time; `level` counts how often its length was doubled. */
interface GateLockout {
  readonly untilMs: number;
  readonly level: number;
}

type LockoutsState = readonly (readonly [string, GateLockout])[];

/** Maximum number of remembered lockouts. Beyond it forgiven ones are dropped first, then the oldest. */
const LOCKOUTS_RETAINED = 10_000;

/**
 * Lockouts of one hour that double, if repeated, up to 24 hours. A lockout is remembered after its end to
 * recognise a repetition; `forgiveAfterMs` after its end, the next one lasts an hour again.
 */
class Lockouts {
  private readonly byKey = new Map<string, GateLockout>();
  private readonly options: {
    readonly firstMs: number;
    readonly longestMs: number;
    readonly forgiveAfterMs: number;
  };

  constructor(options: Lockouts['options']) {
    this.options = options;
  }

  get size(): number {
    return this.byKey.size;
  }

  /** Returns the remaining lockout of `key` in ms; 0 if it has none. */
  remainingMs(key: string, timeMs: number): number {
    const lockout = this.byKey.get(key);
    return lockout === undefined ? 0 : Math.max(0, lockout.untilMs - timeMs);
  }

  /** Begins a lockout; returns its length in ms. */
  begin(key: string, timeMs: number): number {
    const last = this.byKey.get(key);
    const level =
      last !== undefined && timeMs - last.untilMs < this.options.forgiveAfterMs ? last.level + 1 : 0;
    const durationMs = Math.min(this.options.firstMs * 2 ** Math.min(level, 30), this.options.longestMs);
    this.byKey.delete(key);
    if (this.byKey.size >= LOCKOUTS_RETAINED) this.makeRoom(timeMs);
    this.byKey.set(key, { untilMs: timeMs + durationMs, level });
    return durationMs;
  }

  snapshot(): LockoutsState {
    return [...this.byKey];
  }

  restore(state: LockoutsState): void {
    this.byKey.clear();
    for (const [key, lockout] of state) this.byKey.set(key, lockout);
  }

  private makeRoom(timeMs: number): void {
    for (const [key, lockout] of this.byKey) {
      if (timeMs - lockout.untilMs >= this.options.forgiveAfterMs) this.byKey.delete(key);
    }
    for (const key of this.byKey.keys()) {
      if (this.byKey.size < LOCKOUTS_RETAINED) return;
      this.byKey.delete(key);
    }
  }
}

const budgetOverride = z.strictObject({
  limit: z.int().min(0).optional(),
  windowMs: durationMs().optional(),
});

/** Numbers of one budget in place of the interface's; `none` disables its count. */
export const budgetOverrides = z.union([z.literal('none'), budgetOverride], {
  error: 'expected none, or an object with limit and windowMs',
});

/** Settings of how limits are enforced. Source: interface, "Rate limits" and "HTTP status codes". */
export const limitSettings = z.strictObject({
  /** False admits everything without counting. */
  enabled: z.boolean().default(true),
  /** Numbers by budget name. A limit above `LARGEST_COUNTED_LIMIT` is not counted, to save memory. */
  overrides: z.record(z.string(), budgetOverrides).default({}),
  /** Answer to an exceeded limit: 403 with a lockout, or 429 with `backOff`. */
  exceeded: z.enum(['lockout', 'back-off']).default('lockout'),
  /** Scope of a lockout: the exceeded budget, or every call of that caller. */
  lockoutScope: z.enum(['budget', 'caller']).default('budget'),
  firstLockoutMs: durationMs().default(HOUR_MS),
  longestLockoutMs: durationMs().default(24 * HOUR_MS),
  /** Time since a lockout after which the next has the first length; before, it lasts twice the last. */
  forgiveAfterMs: durationMs().default(24 * HOUR_MS),
  /** More than `limit` requests with bad credentials in `windowMs` block an IP for `blockMs`. */
  badTokens: z
    .strictObject({ limit: z.int().min(0), windowMs: durationMs(), blockMs: durationMs() })
    .default({ limit: 100, windowMs: 30 * MINUTE_MS, blockMs: HOUR_MS }),
  /** More than `refusals` refused requests in `windowMs` block the token for `blockMs`; null: no block. */
  continuedAbuse: z
    .strictObject({ refusals: z.int().min(0), windowMs: durationMs(), blockMs: durationMs() })
    .nullable()
    .default(null),
});

export type LimitSettings = Readonly<z.output<typeof limitSettings>>;

const LARGEST_COUNTED_LIMIT = 1_000_000;

export const DEFAULT_LIMITS: LimitSettings = limitSettings.parse({});

type SubjectLogsState = Readonly<Record<string, readonly number[]>>;

/** Maximum number of callers of one limit. Beyond it idle ones are dropped, then the oldest tenth. */
const SUBJECTS_RETAINED = 20_000;

/** One limit, counted for each caller separately. */
class SubjectLogs {
  readonly limit: number;
  readonly windowMs: number;
  private readonly logs = new Map<string, SlidingLog>();

  constructor(limit: number, windowMs: number) {
    this.limit = limit;
    this.windowMs = windowMs;
  }

  /** Counts a request if it is admitted. `limit` may be lower than the log's own. */
  tryAdd(subject: string, timeMs: number, limit = this.limit): boolean {
    return (this.logs.get(subject) ?? this.begin(subject, timeMs)).tryAdd(timeMs, limit);
  }

  waitMs(subject: string, timeMs: number, limit = this.limit): number {
    return this.logs.get(subject)?.waitMs(timeMs, limit) ?? 0;
  }

  forget(subject: string): void {
    this.logs.delete(subject);
  }

  snapshot(): SubjectLogsState {
    return Object.fromEntries([...this.logs].map(([subject, log]) => [subject, log.entries()]));
  }

  restore(state: SubjectLogsState): void {
    this.logs.clear();
    for (const [subject, times] of Object.entries(state)) {
      const log = new SlidingLog(this.limit, this.windowMs);
      for (const timeMs of times) log.tryAdd(timeMs);
      this.logs.set(subject, log);
    }
  }

  private begin(subject: string, timeMs: number): SlidingLog {
    if (this.logs.size >= SUBJECTS_RETAINED) this.makeRoom(timeMs);
    const log = new SlidingLog(this.limit, this.windowMs);
    this.logs.set(subject, log);
    return log;
  }

  private makeRoom(timeMs: number): void {
    for (const [subject, log] of this.logs) if (log.isIdle(timeMs)) this.logs.delete(subject);
    for (const subject of this.logs.keys()) {
      if (this.logs.size < SUBJECTS_RETAINED * 0.9) return;
      this.logs.delete(subject);
    }
  }
}

/** First capacity of a log; it doubles up to its limit, so an idle caller needs little memory. */
const FIRST_CAPACITY = 16;

/**
 * Times of the newest admitted requests, in a ring of at most `limit` entries: exact for every window,
 * constant work for each request. A request exactly `windowMs` after another is outside its window.
 */
export class SlidingLog {
  private times: Float64Array;
  private head = 0;
  private count = 0;
  private readonly limit: number;
  private readonly windowMs: number;

  constructor(limit: number, windowMs: number) {
    this.limit = limit;
    this.windowMs = windowMs;
    this.times = new Float64Array(Math.min(limit, FIRST_CAPACITY));
  }

  /** Counts the request and returns true, or false if the window is full. `limit` may be below its own. */
  tryAdd(timeMs: number, limit = this.limit): boolean {
    if (limit < this.limit && this.waitMs(timeMs, limit) > 0) return false;
    if (this.count === this.limit) {
      if (this.limit === 0 || timeMs - this.oldestMs() < this.windowMs) return false;
      this.dropOldest();
    }
    if (this.count === this.times.length) this.makeRoom(timeMs);
    this.times[(this.head + this.count) % this.times.length] = timeMs;
    this.count += 1;
    return true;
  }

  /** Returns the time until a request would be admitted, in ms; 0 if one would be now. */
  waitMs(timeMs: number, limit = this.limit): number {
    if (this.count < limit) return 0;
    if (limit === 0) return this.windowMs;
    // A window later than the first of the last so many there is room for one more.
    const firstMs = this.times[(this.head + this.count - limit) % this.times.length] ?? 0;
    return Math.max(0, firstMs + this.windowMs - timeMs);
  }

  /** True if all entries are outside the window. */
  isIdle(timeMs: number): boolean {
    if (this.count === 0) return true;
    const newestMs = this.times[(this.head + this.count - 1) % this.times.length] ?? 0;
    return timeMs - newestMs >= this.windowMs;
  }

  /** Returns the times, oldest first. */
  entries(): number[] {
    return Array.from(
      { length: this.count },
      (_, index) => this.times[(this.head + index) % this.times.length] ?? 0,
    );
  }

  private oldestMs(): number {
    return this.times[this.head] ?? 0;
  }

  private dropOldest(): void {
    this.head = (this.head + 1) % this.times.length;
    this.count -= 1;
  }

  private makeRoom(timeMs: number): void {
    while (this.count > 0 && timeMs - this.oldestMs() >= this.windowMs) this.dropOldest();
    if (this.count < this.times.length) return;
    const entries = this.entries();
    this.times = new Float64Array(Math.min(this.limit, this.times.length * 2));
    this.times.set(entries);
    this.head = 0;
  }
}
