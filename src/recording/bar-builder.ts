import type { BarGrid } from '../domain/bar-grid.ts';
import type { Candle, BarValues } from '../domain/candle.ts';
import { formatUnits, unitsOf, type Units } from '../domain/money.ts';

type Bar = { -readonly [Name in Exclude<keyof BarValues<Units>, 'volume'>]: Units } & {
  firstMs: number;
  lastMs: number;
  volume: bigint;
};

/** Bars that are built at once: ten years of minutes. */
export const MOST_BUILT_BARS = 6_000_000;

/**
 * Puts finer bars, or trades, together to bars of one timeframe, exactly. They may come newest first; of two
 * at one time the one that came first opens.
 */
export class BarBuilder {
  private readonly grid: BarGrid;
  private readonly bars = new Map<number, Bar>();

  constructor(grid: BarGrid) {
    this.grid = grid;
  }

  /** Bars so far. */
  get count(): number {
    return this.bars.size;
  }

  /** Adds a finer bar. A trade is one whose four prices are its own. */
  add(piece: Candle): void {
    const { openTimeMs: timeMs } = piece;
    const start = this.grid.startOf(timeMs);
    const [open, high, low, close] = [
      unitsOf(piece.open),
      unitsOf(piece.high),
      unitsOf(piece.low),
      unitsOf(piece.close),
    ];
    const volume = unitsOf(piece.volume);
    const bar = this.bars.get(start);
    if (bar === undefined) {
      this.bars.set(start, { firstMs: timeMs, lastMs: timeMs, open, high, low, close, volume });
      return;
    }
    if (timeMs < bar.firstMs) [bar.firstMs, bar.open] = [timeMs, open];
    if (timeMs >= bar.lastMs) [bar.lastMs, bar.close] = [timeMs, close];
    if (high > bar.high) bar.high = high;
    if (low < bar.low) bar.low = low;
    bar.volume += volume;
  }

  /** The bars, oldest first. */
  candles(): Candle[] {
    return [...this.bars]
      .toSorted(([left], [right]) => left - right)
      .map(([openTimeMs, bar]) => ({
        openTimeMs,
        open: formatUnits(bar.open),
        high: formatUnits(bar.high),
        low: formatUnits(bar.low),
        close: formatUnits(bar.close),
        volume: formatUnits(bar.volume),
      }));
  }
}

/** The last trades of a bar may show for a moment after its end. */
export const SETTLE_MS = 5_000;

/** True if a bar that ends at a time was seen late enough to be final. */
export function isSettled(endMs: number, seenMs: number): boolean {
  return seenMs >= endMs + SETTLE_MS;
}
