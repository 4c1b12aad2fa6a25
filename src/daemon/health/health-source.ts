import type { DecimalText } from '../../domain/decimal-text.ts';
import type { LockKind } from '../../domain/lock-kind.ts';
import type { RefusalCount } from '../../engine/intent-tally.ts';
import type { ProfitText } from '../../engine/profit-of-instance.ts';
import type { LatencyCounts } from './latency-buckets.ts';

/** Something counted since the bot began, by its labels. */
export interface CountedRequests {
  readonly endpoint: string;
  /** `ok`, or a code of the answer; of a small set. */
  readonly outcome: string;
  readonly count: number;
}

export interface BudgetUse {
  readonly budget: string;
  /** `ip`, or the hash of a token. */
  readonly subject: string;
  readonly inUse: number;
  readonly limit: number;
  /** The limit that the exchange has lowered it to; null where it has not. */
  readonly lowered: number | null;
}

export interface DataAge {
  /** The key of a feed, such as `book BTCIRT`. */
  readonly feed: string;
  /** Null while it was never read. */
  readonly ageMs: number | null;
  readonly longestAgeMs: number;
}

export interface LockoutState {
  readonly budget: string;
  /** Null while it is not known when it ends. */
  readonly forMs: number | null;
}

/** A lock that holds. */
export interface HeldLock {
  readonly kind: LockKind;
  /** Which, of what, why and until when, in a sentence. */
  readonly said: string;
}

export interface StrategyCounts {
  readonly strategy: string;
  readonly requests: number;
  readonly fills: number;
  readonly orders: number;
  readonly refusals: readonly Pick<RefusalCount, 'what' | 'code' | 'count'>[];
  /** At the prices that the markets show now. */
  readonly made: ProfitText;
}

/** What the account is worth by the prices that the bot follows; written every five minutes. */
export interface EquityState {
  readonly currency: string;
  readonly value: DecimalText;
  /** How far it is below its highest, as a share of that; null where nothing is known of it. */
  readonly drawdown: number | null;
}

/**
 * What the daemon knows of itself. Each function is cheap: it answers from memory and is called with every
 * look. Counts never go down.
 */
export interface HealthSource {
  /** The age of the loop's last turn; an idle loop turns at least once a second. */
  heartbeatAgeMs(): number;
  /** Why the mirror can not be written to; null when it can. */
  mirrorFault(): string | null;
  /** Whether only the room that is kept for cancels is left to write to. */
  isDiskFull(): boolean;
  /** `starting`: no bot is at work yet, or none any more. */
  phase(): 'starting' | 'syncing' | 'trading' | 'halted' | 'draining';
  /** What is waited for while no bot is at work, in a sentence; null while one is. */
  waitsFor(): string | null;
  /** Why trading is halted; null when it is not. */
  haltReason(): string | null;
  /** What does not agree with the exchange, a text each. */
  breaks(): readonly string[];
  /**
   * Why orders wait until the exchange is right again about something, or the books can be compared, a
   * sentence each.
   */
  doubts(): readonly string[];
  /** Why no order could leave now, by the ledger and by what the last one met; null where one could. */
  placingFault(): string | null;
  /** Why the exchange refuses the credential; null while it takes it. */
  credentialFault(): string | null;
  lockouts(): readonly LockoutState[];
  /** Locks that hold. They are no fault: an operator or a rule wanted them, and ways out pass. */
  locks(): readonly HeldLock[];
  dataAges(): readonly DataAge[];
  budgets(): readonly BudgetUse[];
  requests(): readonly CountedRequests[];
  ordersByState(): Readonly<Record<string, number>>;
  noticesByLevel(): Readonly<Record<string, number>>;
  strategies(): readonly StrategyCounts[];
  equity(): readonly EquityState[];
  /** From the plan of an order to the exchange's answer to it. */
  orderLatency(): LatencyCounts;
  /** The mirror with what is not folded into it yet; null where it is not there. */
  mirrorBytes(): number | null;
}
