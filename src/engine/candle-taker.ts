import type { Candle } from '../domain/candle.ts';
import { unitsOf } from '../domain/money.ts';
import type { ClosedCandle } from '../strategy/strategy-event.ts';
import type { CandleReader } from './candle-reader.ts';
import type { FlawLog } from './flaw-log.ts';
import type { MarketDataCache } from './market-data-cache.ts';
import type { Outbox } from './outbox.ts';
import { candleFlaw } from './plausibility/market-flaw.ts';
import type { StrategyDispatcher } from './strategy-dispatcher.ts';

export interface CandleTakerOptions {
  readonly outbox: Outbox;
  readonly markets: MarketDataCache;
  readonly findings: FlawLog;
  readonly strategies: StrategyDispatcher;
  /** Called with each bar that has closed, once strategies have it. */
  readonly onCandle: (candle: ClosedCandle) => void;
}

/** Takes in candles that were read: keeps those that closed, and tells or warms up strategies. */
export class CandleTaker {
  private readonly options: CandleTakerOptions;

  constructor(options: CandleTakerOptions) {
    this.options = options;
  }

  /** Answers false for a page with a bar that can not be right, of which nothing is used. */
  take(feedKey: string, reader: CandleReader, candles: readonly Candle[]): boolean {
    const { outbox, markets, strategies } = this.options;
    if (!this.areRight(feedKey, candles)) return false;
    const { nowMs } = outbox;
    const wasWarm = reader.isWarm;
    const closed = wasWarm ? reader.take(candles, nowMs) : (reader.takePast(candles, nowMs) ?? []);
    const state = markets.get(reader.market);
    for (const candle of closed) {
      outbox.change({ kind: 'candle', market: reader.market, timeframe: reader.timeframe, candle });
      if (state !== undefined) state.lastClose = unitsOf(candle.close);
      if (wasWarm) strategies.tellCandle(candle);
    }
    if (!wasWarm) for (const candle of closed) strategies.warmUp(candle);
    for (const candle of closed) this.options.onCandle(candle);
    return true;
  }

  private areRight(feedKey: string, candles: readonly Candle[]): boolean {
    const { findings, outbox } = this.options;
    for (const candle of candles) {
      const flaw = candleFlaw(candle, outbox.nowMs);
      if (flaw === null) continue;
      findings.note(feedKey, flaw, { isGrave: false });
      return false;
    }
    findings.clear(feedKey);
    return true;
  }
}
