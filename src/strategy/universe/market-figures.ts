import type { DecimalText } from '../../domain/decimal-text.ts';
import type { MarketStats } from '../../domain/market-stats.ts';

/** The numbers of a market by which it is ranked; null where nothing tells them. Read by decisions alone. */
export interface MarketFigures {
  readonly market: string;
  readonly isClosed: boolean;
  /** Traded within the last day, in the quote currency. */
  readonly volume24h: number | null;
  /** Price of the last trade, in the quote currency. */
  readonly last: number | null;
  /** Of a day, in percent. */
  readonly change: number | null;
  /** The day's highest price less its lowest, in percent of the lowest. */
  readonly volatility: number | null;
  /** Between the best prices, in hundredths of a percent of their middle. */
  readonly spread: number | null;
  /** Since it was seen first, in ms; infinity for one that was there when the bot looked first. */
  readonly ageMs: number;
}

/** What a market's day says of it. */
export function figuresOf(stats: MarketStats, ageMs: number): MarketFigures {
  const { market, isClosed, quoteVolume, baseVolume, latest, dayChange, dayLow, dayHigh } = stats;
  const last = positive(latest);
  const base = numberOf(baseVolume);
  return {
    market: market.symbol,
    isClosed,
    volume24h: numberOf(quoteVolume) ?? (base === null || last === null ? null : base * last),
    last,
    change: numberOf(dayChange),
    volatility: apart(positive(dayLow), positive(dayHigh), 100),
    spread: spreadOf(positive(stats.bestBuy), positive(stats.bestSell)),
    ageMs,
  };
}

function spreadOf(bid: number | null, ask: number | null): number | null {
  if (bid === null || ask === null || ask < bid) return null;
  return ((ask - bid) / ((ask + bid) / 2)) * 10_000;
}

function apart(low: number | null, high: number | null, scale: number): number | null {
  return low === null || high === null || high < low ? null : ((high - low) / low) * scale;
}

function numberOf(text: DecimalText | null): number | null {
  return text === null ? null : Number(text);
}

/** A price of nothing is none. */
function positive(text: DecimalText | null): number | null {
  const number = numberOf(text);
  return number === null || number <= 0 ? null : number;
}
