import { EnginePart } from '../engine-settings.ts';
import type { Candle } from '../../domain/candle.ts';
import { isoText } from '../../domain/time-text.ts';
import { unitsOf } from '../../domain/money.ts';
import type { ClosedCandle } from '../../strategy/strategy-event.ts';
import type { CandleReader, ReadTimes } from './candle-reader.ts';
import { type ValidationIssue, candleIssue } from './plausibility.ts';
import type { IssueLog } from '../issue-log.ts';
import type { MarketDataCache } from './market-data-cache.ts';
import type { Outbox } from '../outbox.ts';
import type { StrategyDispatcher } from '../strategy-dispatcher.ts';

export interface CandlePagesOptions {
  readonly outbox: Outbox;
  readonly markets: MarketDataCache;
  readonly findings: IssueLog;
  readonly strategies: StrategyDispatcher;
  /** Called with each closed bar, after strategies got it. */
  readonly onCandle: (candle: ClosedCandle) => void;
}

interface CandlePage extends Omit<ReadTimes, 'nowMs'> {
  readonly candles: readonly Candle[];
}

/**
 * Returns the issue with bars that were read together; null if there is none, and then the reader has learnt
 * the times at which its bars begin.
 */
export function pageIssue(
  candles: readonly Candle[],
  { reader, nowMs }: { readonly reader: CandleReader; readonly nowMs: number },
): ValidationIssue | null {
  for (const candle of candles) {
    const issue = candleIssue(candle, nowMs);
    if (issue !== null) return issue;
  }
  if (reader.learn(candles)) return null;
  const found = candles.map(({ openTimeMs }) => isoText(openTimeMs)).slice(0, 3);
  const expected = `times that lie on one grid of ${reader.timeframe}`;
  return { field: 't', expected, found: found.join(', ') };
}

/** Applies candles that were read: stores the closed ones, and notifies or warms up strategies. */
export class CandlePages extends EnginePart<CandlePagesOptions> {
  /**
   * Applies the answer to one request. Returns false for a page with an implausible bar: then nothing of the
   * page is used.
   */
  apply(feed: { readonly key: string; readonly reader: CandleReader }, page: CandlePage): boolean {
    const { outbox, markets, strategies } = this.options;
    const { reader } = feed;
    const { candles, ...asked } = page;
    if (!this.areRight(feed, candles)) return false;
    const times = { ...asked, nowMs: outbox.nowMs };
    const wasWarm = reader.isWarm;
    const closed = wasWarm ? reader.apply(candles, times) : (reader.applyPast(candles, times) ?? []);
    const state = markets.get(reader.market);
    for (const candle of closed) {
      outbox.change({ kind: 'candle', market: reader.market, timeframe: reader.timeframe, candle });
      if (state !== undefined) state.lastClose = unitsOf(candle.close);
      if (wasWarm) strategies.notifyCandle(candle);
    }
    if (!wasWarm) for (const candle of closed) strategies.warmUp(candle);
    for (const candle of closed) this.options.onCandle(candle);
    return true;
  }

  private areRight(
    { key, reader }: { readonly key: string; readonly reader: CandleReader },
    candles: readonly Candle[],
  ): boolean {
    const { findings, outbox } = this.options;
    const issue = pageIssue(candles, { reader, nowMs: outbox.nowMs });
    if (issue === null) findings.clear(key);
    else findings.note(key, issue, { isGrave: false });
    return issue === null;
  }
}
