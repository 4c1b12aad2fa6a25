import type { CandleSeries } from '../data/candle-series.ts';
import type { Indicator } from '../indicators/indicators.ts';
import type { ClosedCandle } from '../strategy-event.ts';

/** The candles of one market for one data of a universe. */
export class MemberSeries {
  /** Null while nobody follows the market. */
  candles: CandleSeries | null = null;

  /** Takes in a bar; answers false for one that it has, and while nobody follows the market. */
  add(candle: ClosedCandle): boolean {
    return this.candles !== null && this.candles.add(candle);
  }
}

/** One market that may become a member of a universe, as its bars look it up. */
export class Candidate {
  /** Those of all data of the universe; null while nobody follows the market. */
  private indicators: readonly Indicator[] | null = null;

  /** It is followed from now on, and these indicators begin anew. */
  begin(indicators: readonly Indicator[]): void {
    this.indicators = indicators;
  }

  end(): void {
    this.indicators = null;
  }

  get isFollowed(): boolean {
    return this.indicators !== null;
  }

  /** True if it is followed, and every one of its indicators has a value. */
  get isWarm(): boolean {
    if (this.indicators === null) return false;
    for (const indicator of this.indicators) if (!indicator.hasValue) return false;
    return true;
  }
}
