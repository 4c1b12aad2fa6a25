import type { MarketStats, BookSides, BookLevel } from '../domain/order-book.ts';
import type { PublicTrade } from '../domain/trade.ts';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { present, dataUnusable } from '../domain/errors.ts';
import { otherMarketOf, type MarketSymbol } from '../domain/market-symbol.ts';
import { parseMarket } from '../exchange/market-names.ts';
import { TIMEFRAMES, type Timeframe } from '../domain/candle.ts';
import { type DecimalText, fractionDigits } from '../domain/decimal-text.ts';
import { formatUnits, UNIT_DECIMALS, divideHalfEven } from '../domain/money.ts';

/** Maximum number of levels on each side of a recorded book: as many as the exchange shows. */
export const BOOK_LEVELS = 24;

/** Recorded trade of the public tape. Times are in ms since 1970. */
export interface RecordedTrade extends Omit<PublicTrade, 'timeMs'> {
  /** Time given by the exchange; null if it gives none. */
  readonly timeMs: number | null;
  /** Time at which it was seen here; if a file does not have it, the time of the trade itself. */
  readonly seenMs: number;
  /** Id of the trade at the exchange; null if it has none. */
  readonly id: number | null;
}

/** Recorded book: bids falling, asks rising, at most `BOOK_LEVELS` of each. Times are in ms since 1970. */
export interface RecordedBook extends BookSides {
  readonly venueTimeMs: number | null;
  readonly seenMs: number;
}

/** Daily statistics of a market from the exchange, seen at `seenMs`. */
export interface RecordedStats {
  readonly seenMs: number;
  readonly stats: MarketStats;
}

/** Time range in ms since 1970; its end is excluded. */
export interface TimeRange {
  readonly fromMs: number;
  readonly toMs: number;
}

/** Kind of the records in a folder of the catalogue. */
export type RecordKind = 'candles' | 'trades' | 'books' | 'stats';

/** Key of one folder of the catalogue: market, kind, and for candles the timeframe. */
export type FolderKey =
  | { readonly market: MarketSymbol; readonly kind: 'candles'; readonly timeframe: Timeframe }
  | { readonly market: MarketSymbol; readonly kind: 'trades' | 'books' | 'stats' };

/** Returns the name of a folder below that of its market: `candles-1h`, `trades`. */
export const folderName = (key: FolderKey): string =>
  key.kind === 'candles' ? `candles-${key.timeframe}` : key.kind;

/** Writes market and kind for people: `BTCIRT candles-1h`. */
export const folderTitle = (key: FolderKey): string => `${key.market} ${folderName(key)}`;

/** Returns the path of the folder below the catalogue's root. */
export const folderPath = (root: string, key: FolderKey): string => join(root, key.market, folderName(key));

/** Returns the key for the names of a market folder and its subfolder; null for foreign names. */
export function parseFolder(market: string, name: string): FolderKey | null {
  const symbol = symbolOf(market);
  if (symbol === null) return null;
  if (name === 'trades' || name === 'books' || name === 'stats') return { market: symbol, kind: name };
  const timeframe = TIMEFRAMES.find((known) => name === `candles-${known}`);
  return timeframe === undefined ? null : { market: symbol, kind: 'candles', timeframe };
}

/** Throws `DATA_UNUSABLE` if a market has a folder of candles whose timeframe is none. */
export function refuseUnknownCandles(root: string, market: string): void {
  const path = join(root, market);
  if (!existsSync(path)) return;
  const unknown = readdirSync(path).find(
    (name) => name.startsWith('candles-') && parseFolder(market, name) === null,
  );
  if (unknown === undefined) return;
  throw dataUnusable(
    `expected folders of candles named by a timeframe, such as candles-1h, found ${join(path, unknown)}: ` +
      'the catalogue is of an older version. Move it away, and import again',
  );
}

/**
 * Returns the symbol, or the text of a market of another venue; null if it is not spelled as in folder names,
 * which would be a second folder.
 */
export function symbolOf(name: string): MarketSymbol | null {
  if (otherMarketOf(name) !== null) return name as MarketSymbol;
  try {
    const { symbol } = parseMarket(name);
    return symbol === name ? symbol : null;
  } catch {
    return null;
  }
}

/** List of values for each field. */
type ListsOf<Row> = { readonly [Name in keyof Row]: readonly Row[Name][] };

/** Recorded trades as columns, for millions of them. Times are in ms since 1970, NaN for none. */
export interface TradeColumns extends ListsOf<Pick<PublicTrade, 'price' | 'amount' | 'side'>> {
  readonly length: number;
  readonly timeMs: Float64Array;
  readonly seenMs: Float64Array;
}

/** One side of each book of a chunk: its levels, best first. */
export interface LevelLists {
  /** Returns the number of levels of a book. */
  lengthOf(row: number): number;
  /** Returns the price of one level; undefined if the book has no level at that index. */
  priceAt(row: number, place: number): DecimalText | undefined;
  amountAt(row: number, place: number): DecimalText | undefined;
  levelsOf(row: number): readonly BookLevel[];
}

/** Recorded books as columns. Levels are decoded only when they are read, since most never are. */
export interface BookColumns extends BookSides<LevelLists> {
  readonly length: number;
  readonly venueTimeMs: Float64Array;
  readonly seenMs: Float64Array;
}

/** Levels that already exist as lists. */
export class ListedLevels implements LevelLists {
  private readonly lists: readonly (readonly BookLevel[])[];

  constructor(lists: readonly (readonly BookLevel[])[]) {
    this.lists = lists;
  }

  lengthOf(row: number): number {
    return this.levelsOf(row).length;
  }

  priceAt(row: number, place: number): DecimalText | undefined {
    return this.levelsOf(row)[place]?.[0];
  }

  amountAt(row: number, place: number): DecimalText | undefined {
    return this.levelsOf(row)[place]?.[1];
  }

  levelsOf(row: number): readonly BookLevel[] {
    return present(this.lists[row], 'the levels of a book');
  }
}

/** Converts a time of a column; null if the exchange gave none. */
export const knownTime = (timeMs: number): number | null => (Number.isNaN(timeMs) ? null : timeMs);

export function tradeColumns(trades: readonly Omit<RecordedTrade, 'id'>[]): TradeColumns {
  return {
    length: trades.length,
    timeMs: Float64Array.from(trades, ({ timeMs }) => timeMs ?? Number.NaN),
    seenMs: Float64Array.from(trades, ({ seenMs }) => seenMs),
    price: trades.map(({ price }) => price),
    amount: trades.map(({ amount }) => amount),
    side: trades.map(({ side }) => side),
  };
}

export function bookColumns(books: readonly RecordedBook[]): BookColumns {
  return {
    length: books.length,
    venueTimeMs: Float64Array.from(books, ({ venueTimeMs }) => venueTimeMs ?? Number.NaN),
    seenMs: Float64Array.from(books, ({ seenMs }) => seenMs),
    bids: new ListedLevels(books.map(({ bids }) => bids)),
    asks: new ListedLevels(books.map(({ asks }) => asks)),
  };
}

/** Rounds a decimal half-even to at most `decimals` digits (0 to 10) after the point. */
export function roundedDecimal(decimal: DecimalText, decimals: number = UNIT_DECIMALS): DecimalText {
  const excess = fractionDigits(decimal) - decimals;
  if (excess <= 0) return decimal;
  const rounded = divideHalfEven(BigInt(decimal.replace('.', '')), 10n ** BigInt(excess));
  return formatUnits(rounded * 10n ** BigInt(UNIT_DECIMALS - decimals));
}

/** Maximum number of digits before the point in DECIMAL(38,10); with more a number would silently change. */
const MOST_WHOLE_DIGITS = 28;

/** Requirement that a number fails for storage, as the rest of "expected …"; null if it can be stored. */
export function decimalProblem(decimal: DecimalText): string | null {
  if (decimal.length <= UNIT_DECIMALS) return null;
  if (fractionDigits(decimal) > UNIT_DECIMALS) return `at most ${UNIT_DECIMALS} decimals`;
  const [whole = ''] = decimal.replace('-', '').split('.');
  return whole.length > MOST_WHOLE_DIGITS ? `at most ${MOST_WHOLE_DIGITS} digits before the point` : null;
}
