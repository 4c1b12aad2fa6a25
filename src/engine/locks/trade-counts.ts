import { MINUTE_MS } from '../../domain/time-text.ts';
import { addUnits, formatUnits, type Units } from '../../domain/money.ts';
import { sentence, type Sentence } from '../../language/sentence.ts';
import type { DrawdownRule, LockScope, LockReach, LowProfitRule, StopsRule } from '../lock.ts';
import type { Earning, Peaks, Stop } from '../stored-records.ts';

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

/** Most stop-outs or earnings stored for one rule; the oldest are dropped. */
const MOST_RETAINED = 1_000;

/** Number of parts of the window over which earnings are added up; the oldest part counts whole. */
const WINDOW_PARTS = 100;

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

/**
 * Returns the time of the next equity sample: whole intervals since 1970, the same in every run. A window has
 * about 500 samples, a short one fewer: an interval has whole minutes.
 */
export function nextSampleMs({ withinMs }: Pick<DrawdownRule, 'withinMs'>, nowMs: number): number {
  const periodMs = Math.max(1, Math.ceil(withinMs / 500 / MINUTE_MS)) * MINUTE_MS;
  return (Math.floor(nowMs / periodMs) + 1) * periodMs;
}

/** Returns the highs after a new sample, without those that are too old or lower than the sample. */
export function withEquity(
  peaks: Peaks,
  equity: Units,
  { withinMs, nowMs }: { readonly withinMs: number; readonly nowMs: number },
): Peaks {
  const partMs = Math.max(1, Math.floor(withinMs / WINDOW_PARTS));
  const fromMs = Math.floor(nowMs / partMs) * partMs;
  const isYoung = (high: Peaks['highs'][number]): boolean => high.fromMs + partMs > nowMs - withinMs;
  const { highs } = peaks;
  const last = highs.at(-1);
  const isKnown = last !== undefined && last.equity >= equity && last.fromMs === fromMs;
  if (isKnown && highs.every(isYoung)) return peaks;
  const higher = highs.filter(
    (high) => isYoung(high) && (high.equity > equity || (isKnown && high === last)),
  );
  return { ...peaks, highs: isKnown ? higher : [...higher, { fromMs, equity }] };
}

/** Returns the reason the equity has fallen too far; null if it has not. */
export function fallenTooFar(
  { highs }: Peaks,
  equity: Units,
  { rule, quote, within }: { readonly rule: DrawdownRule; readonly quote: string; readonly within: string },
): Sentence | null {
  const peak = highs[0]?.equity;
  if (peak === undefined || peak <= 0n) return null;
  const fall = peak - equity;
  if (fall * 1_000_000n < peak * BigInt(rule.fallMillionths)) return null;
  const share = millionthsText(Number((fall * 1_000_000n) / peak));
  return sentence('lock-equity', {
    equity: `${formatUnits(equity)} ${quote.toUpperCase()}`,
    fall: share,
    peak: formatUnits(peak),
    within,
    limit: millionthsText(rule.fallMillionths),
  });
}

/** Writes millionths as a percentage: `-1.25 %`. */
function millionthsText(millionths: number): string {
  return `${millionths / 10_000} %`;
}
