import type { BarGrid } from '../../domain/candle.ts';
import { cellUnits, columnScale, gridOfColumns, type CandleColumns } from '../../domain/candle-columns.ts';
import type { Units } from '../../domain/money.ts';
import type { PriceOf } from '../../portfolio/holding.ts';

/** A price, from this moment on. */
export interface PricePoint {
  readonly atMs: number;
  readonly price: Units;
}

/** The prices of one market that are known, over time. */
interface MarketPrices {
  readonly market: string;
  readonly candles: CandleColumns;
  /** Those of own trades and of the last readings, by their time. */
  readonly traded: readonly PricePoint[];
}

/**
 * Price of each market at a moment that only goes forward: the close of the last bar that had ended, or a
 * trade after it. Before the first of them it is the first price that there is.
 */
export class PriceHistory {
  private readonly cursors: ReadonlyMap<string, MarketCursor>;

  constructor(markets: readonly MarketPrices[]) {
    this.cursors = new Map(markets.map((one) => [one.market, new MarketCursor(one)]));
  }

  /** Null where nothing is ever known of the market. */
  readonly priceOf: PriceOf = (market) => this.cursors.get(market)?.price ?? null;

  /** A bar that ends at the moment, and trades of it, are in the price. */
  advance(timeMs: number): void {
    for (const cursor of this.cursors.values()) cursor.advance(timeMs);
  }
}

class MarketCursor {
  price: Units | null;
  private readonly candles: CandleColumns;
  private readonly traded: readonly PricePoint[];
  private readonly grid: BarGrid;
  private readonly scale: bigint;
  private bar = 0;
  private trade = 0;

  constructor({ candles, traded }: MarketPrices) {
    this.candles = candles;
    this.traded = traded;
    this.grid = gridOfColumns(candles);
    this.scale = columnScale(candles.priceDecimals);
    this.price = firstPrice(candles, traded);
  }

  advance(timeMs: number): void {
    const { openTimeMs, close, length } = this.candles;
    let closedAtMs = Number.NEGATIVE_INFINITY;
    while (this.bar < length) {
      const endMs = this.grid.endOf(openTimeMs[this.bar] ?? 0);
      if (endMs > timeMs) break;
      closedAtMs = endMs;
      this.price = cellUnits(close[this.bar] ?? 0, this.scale);
      this.bar += 1;
    }
    for (;;) {
      const next = this.traded[this.trade];
      if (next === undefined || next.atMs > timeMs) return;
      if (next.atMs >= closedAtMs) this.price = next.price;
      this.trade += 1;
    }
  }
}

/** The first price that is known of a market; null where none is. */
function firstPrice(candles: CandleColumns, traded: readonly PricePoint[]): Units | null {
  const [first] = traded;
  const openMs = candles.length === 0 ? Number.POSITIVE_INFINITY : (candles.openTimeMs[0] ?? 0);
  if (first !== undefined && first.atMs < openMs) return first.price;
  if (candles.length === 0) return null;
  return cellUnits(candles.open[0] ?? 0, columnScale(candles.priceDecimals));
}
