import type { MirrorChange } from '../../engine/mirror-change.ts';
import { isoText } from '../../domain/time-text.ts';
import type { SimulatedExchange } from '../../simulator/exchange.ts';
import { violationsOf, type Violation } from './violation.ts';

/**
 * Bars that the bot takes as closed, held against those of the exchange: each begins where one of the
 * exchange does, and its end had passed by the exchange's time, whatever the bot's clock says. What is stored
 * before is no bar: its last trades are missing.
 */
export class BarChecker {
  private readonly found: string[] = [];
  private readonly exchange: SimulatedExchange;

  constructor(exchange: SimulatedExchange) {
    this.exchange = exchange;
  }

  /**
   * Looks at what a step keeps; `nowMs`: the exchange's time. Answers the timeframes of the bars that do not
   * begin as UTC does.
   */
  watch(changes: readonly MirrorChange[], nowMs: number): readonly string[] {
    const elsewhere: string[] = [];
    for (const change of changes) {
      if (change.kind !== 'candle') continue;
      const { market, timeframe, candle } = change;
      const state = [...this.exchange.markets.values()].find(({ rules }) => rules.symbol === market);
      if (state === undefined) continue;
      const grid = state.candles.grid(timeframe);
      const { openTimeMs } = candle;
      const bar = `the bar of ${timeframe} of ${market} at ${isoText(openTimeMs)}`;
      if (!grid.isStart(openTimeMs)) this.found.push(`${bar} begins where none of the exchange does`);
      else if (grid.endOf(openTimeMs) > nowMs)
        this.found.push(`${bar} was kept at ${isoText(nowMs)}, before its end`);
      if (openTimeMs % grid.lengthMs !== 0) elsewhere.push(timeframe);
    }
    return elsewhere;
  }

  violations(): readonly Violation[] {
    return violationsOf('bars', this.found.slice(0, 20));
  }
}
