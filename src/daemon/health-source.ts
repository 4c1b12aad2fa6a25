import type { DecimalText } from '../domain/decimal-text.ts';
import type { LockKind } from '../records/field.ts';
import type { RefusalCount } from '../engine/intent-tally.ts';
import type { ProfitText } from '../portfolio/profit.ts';
import { LedgerSnapshot } from '../budget/ledger-snapshot.ts';
import type { BudgetReport } from '../budget/ledger-report.ts';
import { waitSentence, neededBudgets, tradingBegins } from '../budget/trading-begins.ts';
import type { Venue } from '../venues/venue.ts';
import { OLDEST_HEARTBEAT_MS } from './run-record.ts';
import { english } from '../language/sentence.ts';

/** Requests of one endpoint with one outcome since the bot began. */
interface CountedRequests {
  readonly endpoint: string;
  /** `ok`, or a code of the answer; from a small set. */
  readonly outcome: string;
  readonly count: number;
}

export interface BudgetUse extends Pick<BudgetReport, 'budget' | 'inUse' | 'limit'> {
  /** Subject of the budget: `ip`, or the hash of a token. */
  readonly subject: string;
  /** Limit to which the exchange has lowered the budget; null if it has not. */
  readonly lowered: number | null;
}

export interface DataAge {
  /** Key of a feed, such as `book BTCIRT`. */
  readonly feed: string;
  /** Age of the data, in ms; null while the feed was never read. */
  readonly ageMs: number | null;
  readonly longestAgeMs: number;
}

interface LockoutState {
  readonly budget: string;
  /** Time until the lockout ends, in ms; null while it is unknown. */
  readonly forMs: number | null;
}

interface HeldLock {
  readonly kind: LockKind;
  /** Sentence with the lock's name, scope, reason and end. */
  readonly text: string;
}

interface StrategyCounts {
  readonly strategy: string;
  readonly requests: number;
  readonly fills: number;
  readonly orders: number;
  readonly refusals: readonly Pick<RefusalCount, 'what' | 'code' | 'count'>[];
  /** Profit at the current market prices. */
  readonly made: ProfitText;
}

/** Value of the account by the prices that the bot follows; written every five minutes. */
export interface EquityState {
  readonly currency: string;
  readonly value: DecimalText;
  /** Drawdown from the highest value, as a share of it; null if unknown. */
  readonly drawdown: number | null;
}

/**
 * State of the daemon for health. Each function is cheap: it answers from memory and is called in every poll.
 * Counts never decrease.
 */
export interface HealthSource {
  /** Returns the time since the loop last turned, in ms; an idle loop turns at least once a second. */
  heartbeatAgeMs(): number;
  /** Returns why the mirror cannot be written to; null if it can. */
  mirrorFault(): string | null;
  /** True if only the disk space reserved for cancels is left. */
  isDiskFull(): boolean;
  /** Returns the phase. `starting`: no bot runs yet, or the bot has ended. */
  phase(): 'starting' | 'syncing' | 'trading' | 'halted' | 'draining';
  /** Returns why no bot runs yet, in a sentence; null while one runs. */
  waitsFor(): string | null;
  /** Returns why trading is halted; null if it is not. */
  haltReason(): string | null;
  /** Returns the disagreements between the books and the exchange, one text each. */
  breaks(): readonly string[];
  /**
   * Returns why orders wait, one sentence each: the exchange must correct some data, or the books cannot be
   * compared yet.
   */
  doubts(): readonly string[];
  /** Returns why no order could leave now, by the ledger and the last order's result; null if one could. */
  placingFault(): string | null;
  /** Returns why the exchange refuses the credential; null while it accepts it. */
  credentialFault(): string | null;
  lockouts(): readonly LockoutState[];
  /** Returns the locks that hold. They are no fault: an operator or a rule set them, and they allow exits. */
  locks(): readonly HeldLock[];
  dataAges(): readonly DataAge[];
  budgets(): readonly BudgetUse[];
  requests(): readonly CountedRequests[];
  ordersByState(): Readonly<Record<string, number>>;
  noticesByLevel(): Readonly<Record<string, number>>;
  strategies(): readonly StrategyCounts[];
  equity(): readonly EquityState[];
  /** Durations from the plan of an order to the exchange's answer. */
  orderLatency(): LatencyCounts;
  /** Returns the size of the mirror with its write-ahead log, in bytes; null if there is no mirror. */
  mirrorBytes(): number | null;
}

/** Upper ends of the buckets, in ms: from a quick answer to one that almost timed out. */
const ENDS_MS = [25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 30_000, 60_000] as const;

/** Durations counted in buckets as Prometheus requires: each bucket includes the shorter ones too. */
export interface LatencyCounts {
  readonly buckets: readonly { readonly endMs: number; readonly count: number }[];
  readonly count: number;
  readonly sumMs: number;
}

const NO_LATENCY: LatencyCounts = {
  buckets: ENDS_MS.map((endMs) => ({ endMs, count: 0 })),
  count: 0,
  sumMs: 0,
};

/** Counter of durations since the process began, in buckets of fixed number. */
export class LatencyBuckets {
  private readonly within = ENDS_MS.map(() => 0);
  private count = 0;
  private sumMs = 0;

  /** Counts a duration, in ms. A negative one, possible after a clock step, counts as 0. */
  add(durationMs: number): void {
    const positiveMs = Math.max(0, durationMs);
    this.count += 1;
    this.sumMs += positiveMs;
    ENDS_MS.forEach((endMs, index) => {
      if (positiveMs <= endMs) this.within[index] = (this.within[index] ?? 0) + 1;
    });
  }

  counts(): LatencyCounts {
    return {
      buckets: ENDS_MS.map((endMs, index) => ({ endMs, count: this.within[index] ?? 0 })),
      count: this.count,
      sumMs: this.sumMs,
    };
  }
}

interface LedgerHealth {
  /** Reason why no order can leave yet, such as after a ledger was recreated; null if one can. */
  readonly placingFault: string | null;
  readonly budgets: readonly BudgetUse[];
  readonly lockouts: readonly LockoutState[];
}

const NOTHING: LedgerHealth = { placingFault: null, budgets: [], lockouts: [] };

/** Subject of a ledger in memory, which counts only this bot. */
export const IN_MEMORY = 'embedded';

/** Reads the ledger once a second at most, however often it is called. */
export class LedgerWatch {
  /** Snapshot of the ledger; null if the ledger is in memory. */
  private readonly ledger: LedgerSnapshot | null;
  private readonly own: Venue['ownBudgets'];
  private readonly subjects: ReadonlySet<string>;
  private readonly needed: ReadonlySet<string>;
  private seen: readonly BudgetReport[] = [];
  private health = NOTHING;

  /**
   * `subjects`: names under which the ledger counts the bot. `ownBudgets`: its budgets, if the ledger is in
   * memory.
   */
  constructor(venue: Pick<Venue, 'ledgerFile' | 'ledgerSubjects' | 'ownBudgets' | 'profile'>) {
    const { ledgerFile: place, ledgerSubjects, ownBudgets, profile } = venue;
    this.ledger = place === null ? null : new LedgerSnapshot(place);
    this.subjects = new Set(ledgerSubjects);
    this.own = ownBudgets;
    this.needed = neededBudgets(profile);
  }

  snapshot(): LedgerHealth {
    if (this.own !== undefined) {
      const budgets = this.own().map((use) => ({ ...use, subject: IN_MEMORY, lowered: null }));
      return { ...NOTHING, budgets };
    }
    const rows = this.ledger?.rows() ?? [];
    if (rows.length === 0) return NOTHING;
    if (rows !== this.seen) {
      this.seen = rows;
      this.health = this.healthOf(rows);
    }
    return this.health;
  }

  private healthOf(rows: readonly BudgetReport[]): LedgerHealth {
    const begins = tradingBegins(rows, { subjects: this.subjects, needed: this.needed });
    return {
      placingFault: begins.why === 'unknown' ? english(waitSentence(begins, Date.now())) : null,
      budgets: rows.map(({ budget, subject, inUse, limit, lowered }) => ({
        budget,
        subject,
        inUse,
        limit,
        lowered: lowered?.named ?? null,
      })),
      lockouts: rows.flatMap(({ budget, lockedForMs }) =>
        lockedForMs === null ? [] : [{ budget, forMs: lockedForMs }],
      ),
    };
  }
}

/**
 * Returns a health source for when no bot runs: before the exchange has answered, and after the bot has
 * ended. Only the ledger exists then. The loop turns, or this would not be called.
 */
export function startingSource(of: {
  /** Returns why nothing is traded, in a sentence. */
  readonly waitsFor: () => string;
  readonly ledger: LedgerWatch;
}): HealthSource {
  return {
    heartbeatAgeMs: () => 0,
    mirrorFault: () => null,
    isDiskFull: () => false,
    phase: () => 'starting',
    waitsFor: () => of.waitsFor(),
    haltReason: () => null,
    credentialFault: () => null,
    placingFault: () => of.ledger.snapshot().placingFault,
    breaks: () => [],
    doubts: () => [],
    lockouts: () => of.ledger.snapshot().lockouts,
    locks: () => [],
    dataAges: () => [],
    budgets: () => of.ledger.snapshot().budgets,
    requests: () => [],
    ordersByState: () => ({}),
    noticesByLevel: () => ({}),
    strategies: () => [],
    equity: () => [],
    orderLatency: () => NO_LATENCY,
    mirrorBytes: () => null,
  };
}

/** Maximum number of reasons of one kind that are named; the rest are counted. */
const MOST_NAMED = 10;

/** Answer to a supervisor. */
export interface HealthStatus {
  readonly ok: boolean;
  /** Reasons if not ok, in sentences. */
  readonly reasons: readonly string[];
  /** The locks that hold, in sentences. A lock is set on purpose and allows exits, so it is no fault. */
  readonly locks: readonly string[];
}

function statusOf(source: HealthSource, reasons: readonly string[]): HealthStatus {
  return { ok: reasons.length === 0, reasons, locks: bounded(source.locks(), ({ text }) => text) };
}

function secondsText(timeMs: number): string {
  return `${Math.ceil(timeMs / 1_000)} s`;
}

function bounded<Item>(items: readonly Item[], text: (item: Item) => string): string[] {
  const named = items.slice(0, MOST_NAMED).map(text);
  return items.length > MOST_NAMED ? [...named, `and ${items.length - MOST_NAMED} more like it`] : named;
}

function staleText({ feed, ageMs, longestAgeMs }: DataAge): string {
  const age = ageMs === null ? 'was never read' : `is ${secondsText(ageMs)} old`;
  return `${feed} ${age}; the limit is ${secondsText(longestAgeMs)}`;
}

function lockoutText({ budget, forMs }: LockoutState): string {
  return forMs === null ? `${budget} is locked out` : `${budget} is locked out for ${secondsText(forMs)}`;
}

function livingReasons(source: HealthSource): readonly string[] {
  const reasons: string[] = [];
  const ageMs = source.heartbeatAgeMs();
  if (!(ageMs < OLDEST_HEARTBEAT_MS)) {
    reasons.push(
      `the loop last ran ${secondsText(ageMs)} ago; the limit is ${secondsText(OLDEST_HEARTBEAT_MS)}`,
    );
  }
  const fault = source.mirrorFault();
  if (fault !== null) reasons.push(`the mirror can not be written to: ${fault}`);
  return reasons;
}

/**
 * Checks that the bot is alive. Its reasons are faults that a restart could fix, so not lockouts, breaks or
 * halts.
 */
export function livenessStatus(source: HealthSource): HealthStatus {
  return statusOf(source, livingReasons(source));
}

/** Feeds that no order waits for: if they were never read, the bot is ready all the same. */
const NOT_WAITED_FOR: ReadonlySet<string> = new Set(['transactions', 'options']);

/** Checks whether an order could leave right now, by known facts. */
export function readinessStatus(source: HealthSource): HealthStatus {
  const phase = source.phase();
  const halt = source.haltReason();
  const fault = source.credentialFault();
  const placing = source.placingFault();
  const waitsFor = source.waitsFor();
  const stale = source
    .dataAges()
    .filter(({ feed, ageMs, longestAgeMs }) =>
      ageMs === null ? !NOT_WAITED_FOR.has(feed) : ageMs > longestAgeMs,
    );
  return statusOf(source, [
    ...livingReasons(source),
    ...(waitsFor === null ? [] : [waitsFor]),
    ...(phase === 'syncing' ? ['it is still reading the state of its account and orders'] : []),
    ...(phase === 'draining' ? ['it is ending'] : []),
    ...(halt === null && phase !== 'halted' ? [] : [`trading is halted: ${halt ?? 'no reason is known'}`]),
    ...(source.isDiskFull() ? ['the disk is full, so no orders are placed'] : []),
    ...(fault === null ? [] : [fault]),
    ...(placing === null ? [] : [placing]),
    ...bounded(source.breaks(), (text) => `the books do not agree with the exchange: ${text}`),
    ...bounded(source.doubts(), (text) => text),
    ...bounded(source.lockouts(), lockoutText),
    ...bounded(stale, staleText),
  ]);
}
