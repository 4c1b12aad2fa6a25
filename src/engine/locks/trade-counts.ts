import { z } from 'zod';
import { storedCount, storedTimeMs, storedUnits } from '../../domain/stored-json.ts';
import { addUnits, type Units } from '../../domain/money.ts';
import { sentence, type Sentence } from '../../language/sentence.ts';
import type { LockScope, LockReach, LowProfitRule, StopsRule } from '../lock.ts';

/** A fill that reduced a position. */
export interface Exit {
  readonly strategy: string;
  readonly market: string;
  readonly atMs: number;
  /** Intent of the order: however many orders sell a position, it has one stop-out. */
  readonly intentId: string;
  /** True if a stop order, or a market order of a bracket, sold it. */
  readonly isStop: boolean;
  /** True if the fill ended the position. */
  readonly endsPosition: boolean;
  /**
   * Proceeds less cost, net of fees, and the cost, in units of one currency; null if a part of them is in
   * another currency.
   */
  readonly result: { readonly currency: string; readonly profit: Units; readonly cost: Units } | null;
}

/** Stored form of one stop-out. */
export const storedStop = z.object({
  strategy: z.string(),
  market: z.string(),
  intentId: z.string(),
  atMs: storedTimeMs,
});

/** Stored earnings of one strategy's exits in one market, in one part of the window. */
export const storedEarning = z.object({
  strategy: z.string(),
  market: z.string(),
  currency: z.string(),
  fromMs: storedTimeMs,
  ended: storedCount,
  profit: storedUnits,
  cost: storedUnits,
});

export type Stop = Readonly<z.output<typeof storedStop>>;
export type Earning = Readonly<z.output<typeof storedEarning>>;

/** Most stop-outs or earnings stored for one rule; the oldest are dropped. */
const MOST_RETAINED = 1_000;

/** Number of parts of the window over which earnings are added up; the oldest part counts whole. */
export const WINDOW_PARTS = 100;

/** Returns the scope of a rule's lock that an exit causes. */
export function scopeOfReach(
  reach: LockReach,
  ruleStrategy: string | null,
  { strategy, market }: Pick<Exit, 'strategy' | 'market'>,
): LockScope {
  if (reach === 'market') return { strategy: ruleStrategy, market };
  return { strategy: reach === 'strategy' ? strategy : ruleStrategy, market: null };
}

function isOf(scope: LockScope, { strategy, market }: LockScope): boolean {
  return (
    (scope.strategy === null || scope.strategy === strategy) &&
    (scope.market === null || scope.market === market)
  );
}

/** Returns the counted stop-outs, with the exit if it is one more. */
export function withStop(stops: readonly Stop[], exit: Exit, { withinMs }: StopsRule): readonly Stop[] {
  const isLoss = exit.result !== null && exit.result.profit < 0n;
  if (!exit.isStop || !isLoss || stops.some(({ intentId }) => intentId === exit.intentId)) return stops;
  const { strategy, market, intentId, atMs } = exit;
  const young = stops.filter((stop) => stop.atMs > atMs - withinMs);
  return [...young.slice(1 - MOST_RETAINED), { strategy, market, intentId, atMs }];
}

/** Returns the reason a scope has too many stop-outs; null if it does not. */
export function tooManyStops(
  stops: readonly Stop[],
  scope: LockScope,
  { rule, nowMs, within }: { readonly rule: StopsRule; readonly nowMs: number; readonly within: string },
): Sentence | null {
  const count = stops.filter((stop) => isOf(scope, stop) && stop.atMs > nowMs - rule.withinMs).length;
  return count < rule.stops ? null : sentence('lock-stops', { count, within, limit: rule.stops });
}

/** Returns the counted earnings, with those of the exit. */
export function withEarning(
  earnings: readonly Earning[],
  exit: Exit,
  { withinMs }: LowProfitRule,
): readonly Earning[] {
  if (exit.result === null) return earnings;
  const { strategy, market, endsPosition, atMs } = exit;
  const { currency, profit, cost } = exit.result;
  const partMs = Math.max(1, Math.floor(withinMs / WINDOW_PARTS));
  const fromMs = Math.floor(atMs / partMs) * partMs;
  const ended = endsPosition ? 1 : 0;
  const young = earnings.filter((earning) => earning.fromMs + partMs > atMs - withinMs);
  const place = young.findIndex(
    (earning) =>
      earning.fromMs === fromMs && earning.currency === currency && isOf(earning, { strategy, market }),
  );
  const before = young[place];
  if (before === undefined) {
    return [...young.slice(1 - MOST_RETAINED), { strategy, market, currency, fromMs, ended, profit, cost }];
  }
  return young.with(place, {
    ...before,
    ended: before.ended + ended,
    profit: addUnits(before.profit, profit),
    cost: addUnits(before.cost, cost),
  });
}

/** Returns the reason the exits of a scope earned too little; null if they did not, or are too few. */
export function tooLittleEarned(
  earnings: readonly Earning[],
  scope: LockScope,
  { rule, nowMs, within }: { readonly rule: LowProfitRule; readonly nowMs: number; readonly within: string },
): Sentence | null {
  const partMs = Math.max(1, Math.floor(rule.withinMs / WINDOW_PARTS));
  const young = earnings.filter(
    (earning) => isOf(scope, earning) && earning.fromMs + partMs > nowMs - rule.withinMs,
  );
  for (const ofOne of Map.groupBy(young, ({ currency }) => currency).values()) {
    const ended = ofOne.reduce((sum, earning) => sum + earning.ended, 0);
    const profit = ofOne.reduce((sum, earning) => sum + earning.profit, 0n);
    const cost = ofOne.reduce((sum, earning) => sum + earning.cost, 0n);
    if (ended < rule.trades || cost <= 0n) continue;
    if (profit * 1_000_000n >= cost * BigInt(rule.belowMillionths)) continue;
    const earned = millionthsText(Number((profit * 1_000_000n) / cost));
    return sentence('lock-earned', {
      count: ended,
      within,
      earned,
      limit: millionthsText(rule.belowMillionths),
    });
  }
  return null;
}

/** Writes millionths as a percentage: `-1.25 %`. */
export function millionthsText(millionths: number): string {
  return `${millionths / 10_000} %`;
}
