import type { DecimalText } from '../../domain/decimal-text.ts';
import type { MarketStats } from '../../domain/order-book.ts';

/** The numbers of a market's day. */
interface Numbers<Figure> {
  /** The lowest offer to sell, in the quote currency. */
  readonly bestSell: Figure | null;
  /** The highest offer to buy, in the quote currency. */
  readonly bestBuy: Figure | null;
  /** Traded within the day, in the base currency. */
  readonly baseVolume: Figure | null;
  /** Traded within the day, in the quote currency. */
  readonly quoteVolume: Figure | null;
  /** Price of the last trade, in the quote currency. */
  readonly latest: Figure | null;
  /** Fair price according to the exchange, in the quote currency. */
  readonly mark: Figure | null;
  readonly dayLow: Figure | null;
  readonly dayHigh: Figure | null;
  readonly dayOpen: Figure | null;
  readonly dayClose: Figure | null;
  /** In percent. */
  readonly dayChange: Figure | null;
}

/** A market's day as the exchange sums it up. A closed market may tell nothing but that it is closed. */
export interface MarketDay extends Numbers<number> {
  readonly market: string;
  readonly isClosed: boolean;
  readonly closedReason: string | null;
  readonly exact: Numbers<DecimalText>;
}

export function marketDayOf(stats: MarketStats): MarketDay {
  const { market, isClosed, closedReason, baseVolume, quoteVolume } = stats;
  const { bestSell, bestBuy, latest, mark, dayLow, dayHigh, dayOpen, dayClose, dayChange } = stats;
  const day = { latest, mark, dayLow, dayHigh, dayOpen, dayClose, dayChange };
  const exact = Object.freeze({
    bestSell,
    bestBuy,
    baseVolume: baseVolume,
    quoteVolume: quoteVolume,
    ...day,
  });
  return Object.freeze({
    market: market.symbol,
    isClosed,
    closedReason,
    bestSell: numberOf(bestSell),
    bestBuy: numberOf(bestBuy),
    baseVolume: numberOf(baseVolume),
    quoteVolume: numberOf(quoteVolume),
    latest: numberOf(latest),
    mark: numberOf(mark),
    dayLow: numberOf(dayLow),
    dayHigh: numberOf(dayHigh),
    dayOpen: numberOf(dayOpen),
    dayClose: numberOf(dayClose),
    dayChange: numberOf(dayChange),
    exact,
  });
}

function numberOf(text: DecimalText | null): number | null {
  return text === null ? null : Number(text);
}
