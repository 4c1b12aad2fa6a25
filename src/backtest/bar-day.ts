import type { CandleColumns } from '../domain/candle-columns.ts';
import type { DecimalText } from '../domain/decimal-text.ts';
import type { DayNumbers, MarketStats } from '../domain/market-stats.ts';
import type { MarketName } from '../domain/market-symbol.ts';
import type { BarStretches } from './bar-stretches.ts';

/** Decimals of a figure. */
const DECIMALS = 10;

/** From here on the decimals of a float end before those of its text: it is the number of its text. */
const LEAST_EXACT = 2 ** 19;

interface DayOfBars {
  readonly columns: CandleColumns;
  readonly stretches: BarStretches;
  /** The first and the last bar of the day. */
  readonly first: number;
  readonly last: number;
}

/** A day of a market, by its bars. What is not looked at is not made: a ranking reads one or two figures. */
export class BarDay implements MarketStats {
  readonly market: MarketName;
  readonly numbers: DayNumbers;
  readonly isClosed = false;
  readonly closedReason = null;
  readonly bestSell = null;
  readonly bestBuy = null;
  readonly mark = null;
  private readonly day: DayOfBars;

  constructor(market: MarketName, day: DayOfBars) {
    this.market = market;
    this.day = day;
    this.numbers = new BarNumbers(day);
  }

  get baseVolume(): DecimalText | null {
    return textOf(this.numbers.baseVolume);
  }

  get quoteVolume(): DecimalText | null {
    return textOf(this.numbers.quoteVolume);
  }

  get latest(): DecimalText | null {
    return textOf(this.numbers.latest);
  }

  get dayLow(): DecimalText | null {
    return textOf(this.numbers.dayLow);
  }

  get dayHigh(): DecimalText | null {
    return textOf(this.numbers.dayHigh);
  }

  get dayOpen(): DecimalText | null {
    const { columns, first } = this.day;
    return textOf((columns.open[first] ?? 0) / 10 ** columns.priceDecimals);
  }

  get dayClose(): DecimalText | null {
    return this.latest;
  }

  get dayChange(): DecimalText | null {
    return textOf(this.numbers.dayChange);
  }
}

class BarNumbers implements DayNumbers {
  private readonly day: DayOfBars;

  constructor(day: DayOfBars) {
    this.day = day;
  }

  get baseVolume(): number {
    const { stretches, first, last, columns } = this.day;
    return rounded(stretches.base.total(first, last) / 10 ** columns.volumeDecimals);
  }

  get quoteVolume(): number {
    const { stretches, first, last, columns } = this.day;
    const quote = stretches.quote.total(first, last);
    return rounded(quote / 10 ** columns.volumeDecimals / 10 ** columns.priceDecimals);
  }

  get latest(): number {
    const { columns, last } = this.day;
    return this.price(columns.close[last]);
  }

  get dayLow(): number {
    const { stretches, first, last } = this.day;
    return this.price(stretches.low.total(first, last));
  }

  get dayHigh(): number {
    const { stretches, first, last } = this.day;
    return this.price(stretches.high.total(first, last));
  }

  get dayChange(): number | null {
    const { columns, first, last } = this.day;
    const [began, ended] = [columns.open[first] ?? 0, columns.close[last] ?? 0];
    return began === 0 ? null : rounded(((ended - began) / began) * 100);
  }

  private price(cell = 0): number {
    return rounded(cell / 10 ** this.day.columns.priceDecimals);
  }
}

/** The number of the text of a figure. */
function rounded(number: number): number {
  return number >= LEAST_EXACT ? number : Number(number.toFixed(DECIMALS));
}

/** A figure as text, without an exponent. */
function textOf(number: number | null): DecimalText | null {
  return number === null ? null : (number.toFixed(DECIMALS) as DecimalText);
}
