import type { CandleSeries } from '../candle-series.ts';
import type { Indicator } from '../indicators.ts';
import type { ClosedCandle } from '../strategy-event.ts';

/** The candles of one market for one data of a universe, and their indicators, while it is followed. */
export class MemberSeries {
  /** Null while nobody follows the market. */
  candles: CandleSeries | null = null;
  private indicators: readonly Indicator[] = [];

  /** The market is followed from now on: history and indicators begin anew. */
  begin(candles: CandleSeries, indicators: readonly Indicator[]): void {
    for (const indicator of indicators) candles.addIndicator(indicator);
    this.candles = candles;
    this.indicators = indicators;
  }

  end(): void {
    this.candles = null;
    this.indicators = [];
  }

  /** Takes in a bar; answers false for one that it has, and while nobody follows the market. */
  add(candle: ClosedCandle): boolean {
    return this.candles !== null && this.candles.add(candle);
  }

  /** Whether all indicators have a value. */
  get isWarm(): boolean {
    for (const indicator of this.indicators) if (!indicator.hasValue) return false;
    return true;
  }
}

/** One market that may become a member of a universe, as its bars look it up. */
export class Candidate {
  isFollowed = false;
  /** Of each data of the universe. */
  private readonly series: readonly MemberSeries[];

  constructor(series: readonly MemberSeries[]) {
    this.series = series;
  }

  /** Whether it is followed, and every indicator of it has a value. */
  get isWarm(): boolean {
    if (!this.isFollowed) return false;
    for (const one of this.series) if (!one.isWarm) return false;
    return true;
  }
}
