import type { LockKind } from '../domain/lock-kind.ts';
import type { TradingCalendar } from './trading-calendar.ts';

/** Policies for resting orders that are no exits, when a lock begins. */
export const ENTRY_POLICIES = ['cancel', 'keep'] as const;

export type EntryPolicy = (typeof ENTRY_POLICIES)[number];

/** Reach of a lock caused by trades: the market alone, all markets of the strategy, or everything. */
export type LockReach = 'market' | 'strategy' | 'all';

interface RuleBase {
  /** Name used in refusals and commands. */
  readonly name: string;
  /** The one strategy that it counts and locks; null for a rule of the whole bot. */
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
  readonly said: string;
}

export type TradeRule = CooldownRule | StopsRule | LowProfitRule;
export type LockRule = TradeRule | DrawdownRule | CalendarRule;

/** The name of locks by hand that are given none. No rule may have it. */
export const BY_HAND = 'hand' satisfies LockKind;

/** Returns the key that identifies a rule: two strategies may each have a rule of the same name. */
export function ruleKey({ name, strategy }: Pick<LockRule, 'name' | 'strategy'>): string {
  return strategy === null ? name : `${strategy}/${name}`;
}
