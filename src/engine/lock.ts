import { z } from 'zod';
import { bothTimesText } from '../domain/zone-time.ts';
import { LATEST_STORED_MS, storedTimeMs } from '../domain/stored-json.ts';
import { sentence, type Sentence } from '../language/sentence.ts';
import type { LockKind } from '../domain/lock-kind.ts';
import type { TradingCalendar } from './trading-calendar.ts';
import { storedSentence } from '../language/stored-sentence.ts';

/** Policies for resting orders that are no exits, when a lock begins. */
export const ENTRY_POLICIES = ['cancel', 'keep'] as const;

export type EntryPolicy = (typeof ENTRY_POLICIES)[number];

/** Reach of a lock caused by trades: the market alone, all markets of the strategy, or everything. */
export type LockReach = 'market' | 'strategy' | 'all';

interface RuleBase {
  /** Name used in refusals and commands. */
  readonly name: string;
  /** Only strategy that it counts and locks; null for a rule of the whole bot. */
  readonly strategy: string | null;
  readonly entries: EntryPolicy;
}

/** After the end of a position its market rests. */
interface CooldownRule extends RuleBase {
  readonly kind: 'cooldown';
  readonly forMs: number;
}

/** So many stop-outs within a time. */
export interface StopsRule extends RuleBase {
  readonly kind: 'stops';
  readonly stops: number;
  readonly withinMs: number;
  readonly forMs: number;
  readonly reach: LockReach;
}

/** Positions that ended within a time earned less than a share of what they cost. */
export interface LowProfitRule extends RuleBase {
  readonly kind: 'low-profit';
  /** In millionths of the cost; may be negative. */
  readonly belowMillionths: number;
  /** Positions that must have ended; fewer say nothing. */
  readonly trades: number;
  readonly withinMs: number;
  readonly forMs: number;
  readonly reach: LockReach;
}

/** Equity with open positions is so much below its highest within a time. */
export interface DrawdownRule extends RuleBase {
  readonly kind: 'drawdown';
  /** In millionths of the highest. */
  readonly fallMillionths: number;
  readonly withinMs: number;
  readonly forMs: number;
  /** Equity that counts: of each strategy by itself, or of all together. */
  readonly reach: Exclude<LockReach, 'market'>;
}

/** Outside of trading hours, or on dates. */
export interface CalendarRule extends RuleBase {
  readonly kind: 'hours' | 'dates';
  readonly calendar: TradingCalendar;
  /** For people: `09:00-23:00 on sat, sun`. */
  readonly text: Sentence;
}

export type TradeRule = CooldownRule | StopsRule | LowProfitRule;
export type LockRule = TradeRule | DrawdownRule | CalendarRule;

/** The name of locks by hand that are given none. No rule may have it. */
export const BY_HAND = 'hand' satisfies LockKind;

/** Returns the key that identifies a rule: two strategies may each have a rule of the same name. */
export function ruleKey({ name, strategy }: Pick<LockRule, 'name' | 'strategy'>): string {
  return strategy === null ? name : `${strategy}/${name}`;
}

export const storedLock = z.object({
  name: z.string(),
  /** The key of the rule that made it; null for one by hand. */
  rule: z.string().nullable(),
  strategy: z.string().nullable(),
  market: z.string().nullable(),
  reason: storedSentence,
  beganAtMs: storedTimeMs,
  endsAtMs: storedTimeMs,
  entries: z.enum(ENTRY_POLICIES),
  /**
   * True if its strategy gets no events while it holds. Only a manual lock of one strategy pauses.
   */
  pauses: z.boolean().optional(),
  /** Person who made it manually, if given. */
  by: z.string().optional(),
});

/** The name of a lock that pauses a strategy. */
export const PAUSE = 'pause';

/** The end of a lock that only a person ends. */
export const UNTIL_RESUMED_MS = LATEST_STORED_MS;

/**
 * A time in which nothing that adds risk is placed: for one strategy or all (null), in one market or all
 * (null). It begins before it ends, and its end is not in it.
 */
export type Lock = Readonly<z.output<typeof storedLock>>;

/** Scope of a lock. Null stands for all. */
export interface LockScope {
  readonly strategy: string | null;
  readonly market: string | null;
}

/** True if a lock covers an order of a strategy in a market. */
export function reaches(lock: LockScope, strategy: string, market: string): boolean {
  return (
    (lock.strategy === null || lock.strategy === strategy) && (lock.market === null || lock.market === market)
  );
}

export function isSameScope(left: LockScope, right: LockScope): boolean {
  return left.strategy === right.strategy && left.market === right.market;
}

/** `all markets`, `BTCIRT`, `BTCIRT for grid`, `all markets for grid`. */
export function scopeText({ strategy, market }: LockScope): string {
  const where = market ?? 'all markets';
  return strategy === null ? where : `${where} for ${strategy}`;
}

/** `until 2026-04-03T04:30:00Z (…)`, or that only a person ends it. */
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
