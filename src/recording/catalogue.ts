import type { BarAnchors, Candle, Timeframe } from '../domain/candle.ts';
import type { CandleColumns } from '../domain/candle-columns.ts';
import { invalidOptions, SarrafError } from '../domain/errors.ts';
import type { MarketSymbol } from '../domain/market-symbol.ts';
import { appendRows, type RowParts, type LockFile } from './append-rows.ts';
import type { AppendOutcome, StageRows } from './staging-table.ts';
import { type CandleBlocks, stageBlocks } from './stage-blocks.ts';
import {
  type FolderKey,
  type BookColumns,
  type TradeColumns,
  BOOK_LEVELS,
  type RecordedBook,
  type RecordedStats,
  type RecordedTrade,
  type TimeRange,
} from './records.ts';
import { listFolders, readManifest, type Manifest } from './manifest.ts';
import { readCandles, type CandleQuestion } from './read-candles.ts';
import {
  decodeBookColumns,
  decodeBooks,
  decodeStats,
  decodeTradeColumns,
  decodeTrades,
  readRows,
} from './read-rows.ts';
import { BOOK_SHAPE, CANDLE_SHAPE, STATS_SHAPE, TRADE_SHAPE } from './table-shape.ts';

interface CatalogueOptions {
  /** Folder that contains all recordings. */
  readonly root: string;
  /** Locks a folder for one writer; without it nothing can be written. */
  readonly lockFile?: LockFile;
}

/** Range of one market's recordings to read. */
export interface MarketQuestion extends TimeRange {
  readonly market: MarketSymbol;
}

/** Market and origin of the data of an append. */
export interface AppendSource {
  readonly market: MarketSymbol;
  /** Origin of the data, for the manifest. */
  readonly source: string;
  /** @see AppendOptions.segment */
  readonly segment?: string;
}

/** Recordings on the disk: Parquet files below one folder, with manifests: one writer, many readers. */
export class Catalogue {
  readonly root: string;
  private readonly lockFile: LockFile;

  constructor(options: CatalogueOptions) {
    this.root = options.root;
    this.lockFile =
      options.lockFile ??
      (() => {
        throw invalidOptions('expected a way to lock the catalogue, since it is to be written to');
      });
  }

  /** Returns the existing folders by market and kind, in whatever state they are. */
  keys(): readonly FolderKey[] {
    return listFolders(this.root);
  }

  /** Returns the folders that have rows and can be read; "data verify" shows what is wrong with others. */
  readable(): readonly { readonly key: FolderKey; readonly found: Manifest }[] {
    return this.keys().flatMap((key) => {
      try {
        const found = this.manifest(key);
        return found === null || found.partitions.length === 0 ? [] : [{ key, found }];
      } catch (error) {
        if (error instanceof SarrafError) return [];
        throw error;
      }
    });
  }

  /** Returns the manifest of a folder; null if there is no such folder. */
  manifest(key: FolderKey): Manifest | null {
    return readManifest(this.root, key);
  }

  /** @see readCandles */
  readCandles(question: CandleQuestion): Promise<CandleColumns> {
    return readCandles(this.root, question);
  }

  /** Reads trades in order of time, in parts. @see readRows */
  readTrades({ market, ...range }: MarketQuestion): AsyncGenerator<readonly RecordedTrade[]> {
    const key = { market, kind: 'trades' } as const;
    return readRows({ root: this.root, key, shape: TRADE_SHAPE, range, decode: decodeTrades });
  }

  /** Reads books in order of time, in parts. @see readRows */
  readBooks({ market, ...range }: MarketQuestion): AsyncGenerator<readonly RecordedBook[]> {
    const key = { market, kind: 'books' } as const;
    return readRows({ root: this.root, key, shape: BOOK_SHAPE, range, decode: decodeBooks });
  }

  /** Reads trades as columns, in order of time. @see readRows */
  readTradeColumns({ market, ...range }: MarketQuestion): AsyncGenerator<TradeColumns> {
    const key = { market, kind: 'trades' } as const;
    return readRows({ root: this.root, key, shape: TRADE_SHAPE, range, decode: decodeTradeColumns });
  }

  /** Reads books as columns, in order of time. @see readRows */
  readBookColumns({ market, ...range }: MarketQuestion): AsyncGenerator<BookColumns> {
    const key = { market, kind: 'books' } as const;
    return readRows({ root: this.root, key, shape: BOOK_SHAPE, range, decode: decodeBookColumns });
  }

  /** Reads statistics in order of time, in parts. @see readRows */
  readStats({ market, ...range }: MarketQuestion): AsyncGenerator<readonly RecordedStats[]> {
    const key = { market, kind: 'stats' } as const;
    const decode = (chunk: Parameters<typeof decodeStats>[0]): readonly RecordedStats[] =>
      decodeStats(chunk, market);
    return readRows({ root: this.root, key, shape: STATS_SHAPE, range, decode });
  }

  /**
   * Appends bars of one timeframe. A bar given twice counts once; a different bar for an existing time is a
   * conflict. @see appendRows
   */
  appendCandles(
    options: AppendSource & {
      readonly timeframe: Timeframe;
      readonly candles: RowParts<Candle>;
      readonly blocks?: CandleBlocks | null;
      /** @see AppendOptions.anchors */
      readonly anchors?: BarAnchors;
      readonly covered?: TimeRange;
    },
  ): Promise<AppendOutcome> {
    const { market, timeframe, candles, blocks = null, ...rest } = options;
    const key = { market, timeframe, kind: 'candles' } as const;
    const stage: StageRows | null =
      blocks === null ? null : (database) => stageBlocks(database, blocks.read());
    return this.append({ ...rest, key, shape: CANDLE_SHAPE, rows: candles, stage });
  }

  /** Appends trades. Of equal trades without an id there are as many as in the source with the most. */
  appendTrades(
    options: AppendSource & {
      readonly trades: RowParts<RecordedTrade>;
      readonly gaps?: readonly TimeRange[];
    },
  ): Promise<AppendOutcome> {
    const { market, trades, ...rest } = options;
    return this.append({ ...rest, key: { market, kind: 'trades' }, shape: TRADE_SHAPE, rows: trades });
  }

  /** Appends books without levels beyond `BOOK_LEVELS`. `confirm` and `writeTail`: see `appendRows`. */
  appendBooks(
    options: AppendSource & {
      readonly books: RowParts<RecordedBook>;
      readonly confirm?: () => Promise<boolean>;
      readonly writeTail?: (folder: string, generation: number) => Promise<Manifest['tail']>;
    },
  ): Promise<AppendOutcome> {
    const { market, books, ...rest } = options;
    return this.append({ ...rest, key: { market, kind: 'books' }, shape: BOOK_SHAPE, rows: cut(books) });
  }

  appendStats(options: AppendSource & { readonly stats: RowParts<RecordedStats> }): Promise<AppendOutcome> {
    const { market, stats, ...rest } = options;
    return this.append({ ...rest, key: { market, kind: 'stats' }, shape: STATS_SHAPE, rows: stats });
  }

  private append<Row>(
    options: Omit<Parameters<typeof appendRows<Row>>[0], 'root' | 'lockFile' | 'market'>,
  ): Promise<AppendOutcome> {
    return appendRows({ ...options, root: this.root, lockFile: this.lockFile });
  }
}

async function* cut(parts: RowParts<RecordedBook>): AsyncGenerator<readonly RecordedBook[]> {
  for await (const books of parts) {
    yield books.map((book) => ({
      ...book,
      bids: book.bids.slice(0, BOOK_LEVELS),
      asks: book.asks.slice(0, BOOK_LEVELS),
    }));
  }
}
