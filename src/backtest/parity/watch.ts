import type { Candle } from '../../domain/candle.ts';
import type { OrderBook } from '../../domain/order-book.ts';
import { timeframeMs, type Timeframe } from '../../domain/timeframe.ts';
import type { KnownBars } from './read-session.ts';
import type { SeenData, WantedThing } from './session-view.ts';

/** Takes down what the bot of the second run sees and wants. */
export class Watch {
  readonly books: SeenData[] = [];
  readonly intents: WantedThing[] = [];
  private readonly known = new Set<string>();
  private readonly candlesBySeries = new Map<string, Map<number, Candle>>();
  private readonly series: readonly KnownBars[];

  constructor(series: readonly KnownBars[]) {
    this.series = series;
  }

  /** A book that is as it was before is not another one: recorded books are those that changed. */
  book(market: string, book: OrderBook, atMs: number): void {
    const text = bookText(book);
    if (this.books.findLast((seen) => seen.market === market)?.text !== text) this.books.push({ market, atMs, text });
  }

  candles(of: { readonly market: string; readonly timeframe: Timeframe }, page: readonly Candle[], atMs: number): void {
    const key = `${of.market} ${of.timeframe}`;
    const bars = this.candlesBySeries.get(key) ?? new Map<number, Candle>();
    this.candlesBySeries.set(key, bars);
    for (const candle of page) {
      const isClosed = candle.openTimeMs + timeframeMs(of.timeframe) <= atMs;
      if (isClosed) bars.set(candle.openTimeMs, candle);
    }
  }

  /** An intent's first line in the journal says what it is; later ones how it ended. */
  intent(id: string, json: string, atMs: number): void {
    const { strategy, kind } = JSON.parse(json) as { readonly strategy?: string; readonly kind?: string };
    if (strategy === undefined || kind === undefined || this.known.has(id)) return;
    this.known.add(id);
    this.intents.push({ id, strategy, kind, atMs });
  }

  /** Bars of the series that the session had, as they were seen at last. */
  bars(): readonly SeenData[] {
    return this.series.flatMap(({ market, timeframe }) => {
      const bars = this.candlesBySeries.get(`${market} ${timeframe}`)?.values() ?? [];
      return closedBars({ market, timeframe, candles: [...bars] });
    });
  }
}

/** Bars as things that are seen when they close. */
export function closedBars({ market, timeframe, candles }: KnownBars): readonly SeenData[] {
  return candles
    .map(({ openTimeMs, open, high, low, close, volume }) => ({
      market,
      atMs: openTimeMs + timeframeMs(timeframe),
      text: `${timeframe} ${open} ${high} ${low} ${close} ${volume}`,
    }))
    .toSorted((left, right) => left.atMs - right.atMs);
}

/** All of a book. */
export function bookText({ bids, asks }: Pick<OrderBook, 'bids' | 'asks'>): string {
  return JSON.stringify([bids, asks]);
}
