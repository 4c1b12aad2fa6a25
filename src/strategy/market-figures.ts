import type { DecimalText } from '../domain/decimal-text.ts';
import type { DayNumbers, MarketStats } from '../domain/market-stats.ts';

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

/** A market's daily statistics. A ranking reads few of these numbers, so each is computed when it is read. */
export class DayFigures implements MarketFigures {
  readonly market: string;
  readonly ageMs: number;
  private readonly stats: MarketStats;
  private readonly numbers: DayNumbers;

  constructor(stats: MarketStats, ageMs: number) {
    this.market = stats.market.symbol;
    this.ageMs = ageMs;
    this.stats = stats;
    this.numbers = stats.numbers ?? numbersOf(stats);
  }

  get isClosed(): boolean {
    return this.stats.isClosed;
  }

  get volume24h(): number | null {
    const { quoteVolume } = this.numbers;
    if (quoteVolume !== null) return quoteVolume;
    const { baseVolume } = this.numbers;
    const { last } = this;
    return baseVolume === null || last === null ? null : baseVolume * last;
  }

  get last(): number | null {
    return positive(this.numbers.latest);
  }

  get change(): number | null {
    return this.numbers.dayChange;
  }

  get volatility(): number | null {
    return apart(positive(this.numbers.dayLow), positive(this.numbers.dayHigh), 100);
  }

  get spread(): number | null {
    const { bestBuy, bestSell } = this.stats;
    return spreadOf(positive(numberOf(bestBuy)), positive(numberOf(bestSell)));
  }
}

function numbersOf({ baseVolume, quoteVolume, latest, dayLow, dayHigh, dayChange }: MarketStats): DayNumbers {
  return {
    baseVolume: numberOf(baseVolume),
    quoteVolume: numberOf(quoteVolume),
    latest: numberOf(latest),
    dayLow: numberOf(dayLow),
    dayHigh: numberOf(dayHigh),
    dayChange: numberOf(dayChange),
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
function positive(number: number | null): number | null {
  return number === null || number <= 0 ? null : number;
}
