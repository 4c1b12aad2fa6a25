import type { DecimalText } from './decimal-text.ts';
import type { MarketName } from './market-symbol.ts';

/** Numbers of a market's day, to rank by: no money is made of them. Null where nothing tells them. */
export interface DayNumbers {
  readonly baseVolume: number | null;
  readonly quoteVolume: number | null;
  readonly latest: number | null;
  readonly dayLow: number | null;
  readonly dayHigh: number | null;
  /** Percent. */
  readonly dayChange: number | null;
}

/** A market's day as the exchange sums it up. A closed market may tell nothing but that it is closed. */
export interface MarketStats {
  readonly market: MarketName;
  readonly isClosed: boolean;
  readonly closedReason: string | null;
  readonly bestSell: DecimalText | null;
  readonly bestBuy: DecimalText | null;
  readonly baseVolume: DecimalText | null;
  readonly quoteVolume: DecimalText | null;
  readonly latest: DecimalText | null;
  readonly mark: DecimalText | null;
  readonly dayLow: DecimalText | null;
  readonly dayHigh: DecimalText | null;
  readonly dayOpen: DecimalText | null;
  readonly dayClose: DecimalText | null;
  /** Percent. */
  readonly dayChange: DecimalText | null;
  /** The numbers that its texts are, where they are at hand without them. */
  readonly numbers?: DayNumbers;
}
