import { barOf, type Bar } from './bar.ts';
import type { ClosedCandle } from './strategy-event.ts';

const NO_BARS: readonly Bar[] = Object.freeze([]);

/** The last candles of a series as bars, which are made when somebody looks at them. */
export class BarHistory {
  private readonly most: number;
  /** In a ring: the oldest is where the next one goes. */
  private readonly candles: ClosedCandle[] = [];
  /** Bars of the same places; null where nobody has looked yet. */
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

  /** At most so many, oldest first, frozen: the same until another is added. */
  get list(): readonly Bar[] {
    this.shown ??= Object.freeze([...this.from(this.next), ...this.from(0, this.next)]);
    return this.shown;
  }

  /** Bars from one place up to another, which is not among them. */
  private from(start: number, end: number = this.candles.length): readonly Bar[] {
    return this.candles.slice(start, end).map((candle, place) => {
      const bar = this.bars[start + place] ?? Object.freeze(barOf(candle));
      this.bars[start + place] = bar;
      return bar;
    });
  }
}
