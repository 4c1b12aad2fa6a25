import { UTC_BARS, type BarAnchors, type Timeframe } from '../domain/candle.ts';
import { barsBetween, firstBarFrom, type CandleColumns } from '../domain/candle-columns.ts';
import { otherMarketOf, type MarketSymbol } from '../domain/market-symbol.ts';
import type { Catalogue } from '../recording/catalogue.ts';
import { anchorsOf } from '../recording/manifest.ts';
import { candlesOrNone } from '../recording/pack-market.ts';
import {
  packedBooks,
  packedStats,
  packedTrades,
  statsCount,
  tradeCount,
} from '../recording/packed-market.ts';
import { EARLIEST_MS, partitionsWithin } from '../recording/read-rows.ts';
import type { TimeRange } from '../recording/records.ts';
import type { MarketTracks } from './poll/recorded-feed.ts';
import { recordedMarkets } from './run-currency.ts';
import type { PackedMarket } from '../recording/column-file.ts';

/** Recorded bars of markets, by timeframe. */
export interface RecordedCandles {
  timeframes(market: MarketSymbol): readonly Timeframe[];
  /** True if a file of these bars overlaps a range. */
  reachInto(key: CandleKey, range: TimeRange): boolean;
  /** Returns the time ranges that were recorded completely. */
  covered(key: CandleKey): readonly TimeRange[];
  /** Returns where these bars and longer ones of the market begin. */
  anchors(key: CandleKey): BarAnchors;
  /** Returns the bars that open in a range; null if there are none. */
  read(key: CandleKey, range: TimeRange): Promise<CandleColumns | null>;
}

interface CandleKey {
  readonly market: MarketSymbol;
  readonly timeframe: Timeframe;
}

/** Recorded markets for a run of the whole bot: in a catalogue, or packed in memory. */
export interface Recordings {
  readonly name: string;
  /** Returns the markets with books, sorted by name. */
  readonly markets: () => readonly MarketSymbol[];
  /** Returns the range from the first to the last book of a market; null if it has none. */
  readonly span: (market: MarketSymbol) => TimeRange | null;
  /** Returns the recordings of a market before a time, except its bars. */
  readonly tracks: (market: MarketSymbol, toMs: number) => Pick<MarketTracks, 'books' | 'trades' | 'stats'>;
  readonly candles: RecordedCandles;
}

export function catalogueRecordings(catalogue: Catalogue): Recordings {
  const { root } = catalogue;
  return {
    name: root,
    markets: () => recordedMarkets(root, 'books'),
    span: (market) => {
      const parts = catalogue.manifest({ market, kind: 'books' })?.partitions ?? [];
      const [first, last] = [parts[0], parts.at(-1)];
      return first === undefined || last === undefined ? null : { fromMs: first.fromMs, toMs: last.toMs };
    },
    tracks: (market, toMs) => {
      const question = { market, fromMs: EARLIEST_MS, toMs };
      const isThere = (kind: 'trades' | 'stats'): boolean =>
        partitionsWithin(root, { market, kind }, question).length > 0;
      return {
        books: catalogue.readBookColumns(question),
        trades: isThere('trades') ? catalogue.readTradeColumns(question) : null,
        stats: isThere('stats') ? catalogue.readStats(question) : null,
      };
    },
    candles: catalogueCandles(catalogue),
  };
}

export function catalogueCandles(catalogue: Catalogue): RecordedCandles {
  return {
    timeframes: (market) =>
      catalogue
        .keys()
        .flatMap((key) => (key.kind === 'candles' && key.market === market ? [key.timeframe] : [])),
    reachInto: (key, range) => partitionsWithin(catalogue.root, folderOf(key), range).length > 0,
    covered: (key) => catalogue.manifest(folderOf(key))?.covered ?? [],
    anchors: (key) => anchorsOf(catalogue.manifest(folderOf(key)), key.timeframe),
    read: async (key, range) => candlesOrNone(catalogue, { ...key, ...range }),
  };
}

/** Returns recordings that are packed in memory, which is not modified. */
export function packedRecordings(packed: readonly PackedMarket[]): Recordings {
  const of = (market: MarketSymbol): PackedMarket | undefined => packed.find((one) => one.market === market);
  return {
    name: 'memory',
    markets: () =>
      packed.flatMap(({ market }) => (otherMarketOf(market) === null ? [market] : [])).toSorted(),
    span: (market) => of(market)?.span ?? null,
    tracks: (market, toMs) => {
      const found = of(market);
      if (found === undefined) throw new RangeError(`expected recordings of ${market}, were none`);
      const { books, trades, stats } = found;
      const hasStats = stats !== null && statsCount(stats, toMs) > 0;
      return {
        books: packedBooks(books, toMs),
        trades: trades === null || tradeCount(trades, toMs) === 0 ? null : packedTrades(trades, toMs),
        stats: hasStats ? packedStats({ market, stats }, toMs) : null,
      };
    },
    candles: packedCandles(packed),
  };
}

const folderOf = ({ market, timeframe }: CandleKey) => ({ market, timeframe, kind: 'candles' }) as const;

function packedCandles(packed: readonly PackedMarket[]): RecordedCandles {
  const all = packed.flatMap(({ candles }) => candles);
  const of = ({ market, timeframe }: CandleKey) =>
    all.find(({ columns }) => columns.market === market && columns.timeframe === timeframe);
  return {
    timeframes: (market) =>
      all.flatMap(({ columns }) => (columns.market === market ? [columns.timeframe] : [])),
    reachInto: (key, range) =>
      (of(key)?.parts ?? []).some(({ fromMs, toMs }) => fromMs < range.toMs && toMs >= range.fromMs),
    covered: (key) => of(key)?.covered ?? [],
    anchors: (key) => of(key)?.columns.anchors ?? UTC_BARS,
    read: async (key, { fromMs, toMs }) => {
      const columns = of(key)?.columns;
      if (columns === undefined) return null;
      const [first, end] = [firstBarFrom(columns, fromMs), firstBarFrom(columns, toMs)];
      return first < end ? barsBetween(columns, first, end) : null;
    },
  };
}
