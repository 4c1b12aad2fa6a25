import { z } from 'zod';
import { bothTimesText } from '../domain/zone-time.ts';
import { LATEST_STORED_MS, storedTimeMs } from '../domain/stored-json.ts';
import { sentence, type Sentence } from '../language/sentence.ts';
import { type LockKind, storedSentence } from '../records/field.ts';
import type { TradingCalendar } from './trading-calendar.ts';

/** Choices for resting orders that are not exits when a lock begins: cancel them, or keep them. */
export const ENTRY_POLICIES = ['cancel', 'keep'] as const;

export type EntryPolicy = (typeof ENTRY_POLICIES)[number];

/** Reach of a lock caused by trades: the market alone, all markets of the strategy, or everything. */
export type LockReach = 'market' | 'strategy' | 'all';

interface RuleBase {
  /** Name of the rule's locks in refusals and commands. */
  readonly name: string;
  /** The only strategy that the rule counts and locks; null for a rule of the whole bot. */
  readonly strategy: string | null;
  readonly entries: EntryPolicy;
}

/** Locks a market for a time after a position there has ended. */
interface CooldownRule extends RuleBase {
  readonly kind: 'cooldown';
  readonly forMs: number;
}

/** Locks after a number of stop-outs within a time. */
export interface StopsRule extends RuleBase {
  readonly kind: 'stops';
  readonly stops: number;
  readonly withinMs: number;
  readonly forMs: number;
  readonly reach: LockReach;
}

/** Locks if the positions that ended within a time earned less than a share of their cost. */
export interface LowProfitRule extends RuleBase {
  readonly kind: 'low-profit';
  /** Minimum profit in millionths of the cost; may be negative. */
  readonly belowMillionths: number;
  /** Minimum number of ended positions; with fewer, the rule does not lock. */
  readonly trades: number;
  readonly withinMs: number;
  readonly forMs: number;
  readonly reach: LockReach;
}

/** Locks if equity, with open positions, is too far below its highest within a time. */
export interface DrawdownRule extends RuleBase {
  readonly kind: 'drawdown';
  /** Allowed fall in millionths of the highest equity. */
  readonly fallMillionths: number;
  readonly withinMs: number;
  readonly forMs: number;
  /** Equity that counts: of each strategy by itself (`strategy`), or of all together (`all`). */
  readonly reach: Exclude<LockReach, 'market'>;
}

/** Locks outside of trading hours, or on some dates. */
export interface CalendarRule extends RuleBase {
  readonly kind: 'hours' | 'dates';
  readonly calendar: TradingCalendar;
  /** The calendar as people read it, such as `09:00-23:00 on sat, sun`. */
  readonly text: Sentence;
}

export type TradeRule = CooldownRule | StopsRule | LowProfitRule;
export type LockRule = TradeRule | DrawdownRule | CalendarRule;

/** Name of manual locks without a name of their own. No rule may have it. */
export const BY_HAND = 'hand' satisfies LockKind;

/** Returns the key of a rule: two strategies may have rules of the same name, so the name is not enough. */
export function ruleKey({ name, strategy }: Pick<LockRule, 'name' | 'strategy'>): string {
  return strategy === null ? name : `${strategy}/${name}`;
}

export const storedLock = z.object({
  name: z.string(),
  /** Key of the rule that began the lock; null for a manual lock. */
  rule: z.string().nullable(),
  strategy: z.string().nullable(),
  market: z.string().nullable(),
  reason: storedSentence,
  beganAtMs: storedTimeMs,
  endsAtMs: storedTimeMs,
  entries: z.enum(ENTRY_POLICIES),
  /** True if the strategy gets no events while the lock holds. Only for a manual lock of one strategy. */
  pauses: z.boolean().optional(),
  /** Person who set a manual lock; omitted if not given. */
  by: z.string().optional(),
});

/** Name of a lock that pauses a strategy. */
export const PAUSE = 'pause';

/** End of a lock that only a person can end. */
export const UNTIL_RESUMED_MS = LATEST_STORED_MS;

/**
 * A time in which no order that adds risk is placed, by one strategy or all (null), in one market or all
 * (null). It is at least 1 ms long, and `endsAtMs` is not part of it.
 */
export type Lock = Readonly<z.output<typeof storedLock>>;

/** A lock with its end and its refusals, for the report of a backtest. */
export interface LockRecord {
  readonly lock: Lock;
  /** Time of its end, in ms since 1970; null while it holds. */
  readonly endedAtMs: number | null;
  /** Number of orders that it refused. */
  readonly refused: number;
}

/** Strategy and market that a lock covers; null means all. */
export interface LockScope {
  readonly strategy: string | null;
  readonly market: string | null;
}

/** True if a lock covers orders of the strategy in the market. */
export function reaches(lock: LockScope, strategy: string, market: string): boolean {
  return (
    (lock.strategy === null || lock.strategy === strategy) && (lock.market === null || lock.market === market)
  );
}

export function isSameScope(left: LockScope, right: LockScope): boolean {
  return left.strategy === right.strategy && left.market === right.market;
}

/** Returns a scope as text: `all markets`, `BTCIRT`, `BTCIRT for grid` or `all markets for grid`. */
export function scopeText({ strategy, market }: LockScope): string {
  const where = market ?? 'all markets';
  return strategy === null ? where : `${where} for ${strategy}`;
}

/** Returns the end of a lock as text: `until 2026-04-03T04:30:00Z (…)`, or `until it is resumed`. */
export function untilText(endsAtMs: number): string {
  return endsAtMs >= UNTIL_RESUMED_MS ? 'until it is resumed' : `until ${bothTimesText(endsAtMs)}`;
}

/** Returns the text of a refusal: the lock, its scope, its reason and its end. */
export function lockReason(lock: Lock): Sentence {
  return sentence('lock-refusal', {
    lock: lock.name,
    scope: scopeText(lock),
    until: untilText(lock.endsAtMs),
    reason: lock.reason,
  });
}
