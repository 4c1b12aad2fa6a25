import { barOf, type Bar } from './bar.ts';
import { ColumnCandle, MOST_AHEAD, type BarRows, type StoredRows } from '../column-candle.ts';
import type { Indicator } from '../indicators/declare-indicator.ts';
import type { ClosedCandle } from '../strategy-event.ts';
import type { CandleSubscription } from '../subscriptions.ts';

/** Bars with which the indicators of a series were fed ahead, and what they stored. */
interface Ahead extends BarRows {
  /** Error of an indicator at the bar `to`, and the number of indicators that it was fed to; null if none. */
  readonly fault: { readonly error: unknown; readonly fed: number } | null;
}

/** The candles of one subscription of a strategy: their indicators, and the last bars. */
export class CandleSeries {
  readonly subscription: CandleSubscription;
  private readonly retained: BarHistory;
  private last: ClosedCandle | null = null;
  private readonly indicators: Indicator[] = [];
  private lastOpenMs = Number.NEGATIVE_INFINITY;
  private ahead: Ahead | null = null;

  constructor(subscription: CandleSubscription) {
    this.subscription = subscription;
    this.retained = new BarHistory(subscription.warmUp);
  }

  /** The last bars, at most `warmUp`, oldest first. */
  get history(): readonly Bar[] {
    return this.retained.list;
  }

  /** Number of bars that must be fed before the first live one. */
  get warmUpLength(): number {
    const { warmUp } = this.subscription;
    return this.indicators.reduce((most, { settledAfter }) => Math.max(most, settledAfter), warmUp);
  }

  addIndicator(indicator: Indicator): void {
    this.indicators.push(indicator);
  }

  /** The last bar, a new object at each read; null before the first. */
  get bar(): Bar | null {
    return this.last === null ? null : barOf(this.last);
  }

  isOf(market: string, timeframe: string): boolean {
    return this.subscription.market === market && this.subscription.timeframe === timeframe;
  }

  /**
   * Adds a bar, feeds the indicators with it and returns true. Returns false and changes nothing if the bar
   * is not later than the last one, since averages can not undo it.
   */
  add(candle: ClosedCandle): boolean {
    if (candle.openTimeMs <= this.lastOpenMs) return false;
    this.lastOpenMs = candle.openTimeMs;
    this.last = candle;
    this.retained.add(candle);
    if (!this.addRead(candle)) for (const indicator of this.indicators) indicator.add(candle);
    return true;
  }

  /**
   * Feeds the indicators with later bars, of which they show nothing until `add` comes to them. Returns the
   * rows that were read: at most these, and at most `MOST_AHEAD` bars.
   */
  readAhead(rows: BarRows): StoredRows {
    const { source, from, to } = rows;
    const read = this.ahead;
    if (read?.source === source && from >= read.from && from < read.to)
      return { source, from, to: Math.min(to, read.to), slot: from - read.from + 1 };
    if (read !== null && read.fault !== null) return { source, from, to: from, slot: 0 };
    const { indicators, last } = this;
    const end = Math.min(to, from + MOST_AHEAD);
    for (const indicator of indicators) indicator.store(0);
    let [row, fed, error] = [from, 0, undefined as unknown];
    try {
      for (; row < end; row += 1) {
        const candle = new ColumnCandle(source, row);
        for (fed = 0; fed < indicators.length; fed += 1) indicators[fed]?.add(candle);
        for (const indicator of indicators) indicator.store(row - from + 1);
      }
    } catch (caught) {
      error = caught;
      for (const indicator of indicators.slice(0, fed)) indicator.store(row - from + 1);
    }
    this.ahead = { source, from, to: row, fault: row === end ? null : { error, fed } };
    for (const indicator of indicators) indicator.show(0, last);
    return { source, from, to: row, slot: 1 };
  }

  /** Adds bars that were read ahead, or those of them that are still to be seen. */
  addAll({ source, from, to }: BarRows): void {
    const first = Math.max(from, to - Math.max(1, this.subscription.warmUp));
    for (let row = first; row < to; row += 1) this.add(new ColumnCandle(source, row));
  }

  /** Shows the stored values of a bar that was read ahead. Returns false for another bar. */
  private addRead(candle: ClosedCandle): boolean {
    const { ahead, indicators } = this;
    if (ahead === null) return false;
    const row = ColumnCandle.rowOf(candle, ahead.source);
    if (row < ahead.from || row > ahead.to) return false;
    const slot = row - ahead.from + 1;
    if (row < ahead.to) {
      for (const indicator of indicators) indicator.show(slot, candle);
      return true;
    }
    this.ahead = null;
    if (ahead.fault === null) return false;
    for (const indicator of indicators.slice(0, ahead.fault.fed)) indicator.show(slot, candle);
    throw ahead.fault.error;
  }
}

const NO_BARS: readonly Bar[] = Object.freeze([]);

/** The last candles of a series as bars, which are made when they are read. */
export class BarHistory {
  private readonly most: number;
  /** Ring buffer: the next candle replaces the oldest. */
  private readonly candles: ClosedCandle[] = [];
  /** Bars of the candles at the same indices; null until they are read. */
  private readonly bars: (Bar | null)[] = [];
  private next = 0;
  private shown: readonly Bar[] | null = NO_BARS;

  constructor(most: number) {
    this.most = most;
  }

  add(candle: ClosedCandle): void {
    if (this.most === 0) return;
    this.candles[this.next] = candle;
    this.bars[this.next] = null;
    this.next = (this.next + 1) % this.most;
    this.shown = null;
  }

  /** The last bars, at most `most`, oldest first, frozen. The same list until another bar is added. */
  get list(): readonly Bar[] {
    this.shown ??= Object.freeze([...this.from(this.next), ...this.from(0, this.next)]);
    return this.shown;
  }

  /** Returns the bars at the indices from `start` up to `end` (exclusive). */
  private from(start: number, end: number = this.candles.length): readonly Bar[] {
    return this.candles.slice(start, end).map((candle, place) => {
      const bar = this.bars[start + place] ?? Object.freeze(barOf(candle));
      this.bars[start + place] = bar;
      return bar;
    });
  }
}
