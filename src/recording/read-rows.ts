import type { DuckDBDataChunk, DuckDBListVector, DuckDBVector } from '@duckdb/node-api';
import type { DecimalText } from '../domain/decimal-text.ts';
import type { MarketStats, BookLevel } from '../domain/order-book.ts';
import { parseMarket } from '../exchange/market-names.ts';
import { present, type SarrafError, invalidOptions } from '../domain/errors.ts';
import { formatUnits } from '../domain/money.ts';
import type { Side } from '../domain/order.ts';
import { CellTexts, MoneyCells, type TextColumn, type TableShape, STATS_COLUMNS } from './table-shape.ts';
import { openDatabase, sqlFiles, streamChunks, type Database } from './duckdb.ts';
import {
  type FolderKey,
  type RecordedBook,
  type RecordedStats,
  type RecordedTrade,
  type TimeRange,
  knownTime,
  type BookColumns,
  type LevelLists,
  type TradeColumns,
  folderPath,
  folderTitle,
} from './records.ts';
import { type Partition, anchorsOf, readManifest } from './manifest.ts';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { gridOf, liesInside, TIMEFRAMES } from '../domain/candle.ts';
import { isoText } from '../domain/time-text.ts';

interface RowReading<Row, Part> {
  readonly root: string;
  readonly key: FolderKey;
  readonly shape: TableShape<Row>;
  readonly range: TimeRange;
  readonly decode: (chunk: DuckDBDataChunk, texts: PartitionTexts) => Part;
}

/** Caches of price and amount texts of a partition. */
interface PartitionTexts {
  readonly price: CellTexts;
  readonly amount: CellTexts;
}

/**
 * Reads the rows of a time range, oldest first, in parts of some thousand, so that memory stays bounded. If a
 * writer replaces a partition meanwhile, the new one is read. Throws as `readCandles` does.
 */
export async function* readRows<Row, Part>(reading: RowReading<Row, Part>): AsyncGenerator<Part> {
  const { root, key, shape, range, decode } = reading;
  const columns = shape.columns.map(({ name, type }) => (type === 'time' ? `${name}::DOUBLE` : name));
  using database = await openDatabase();
  for (const planned of partitionsOfData(root, key, range)) {
    const partition = latest(reading, planned);
    const texts = {
      price: new CellTexts(partition.priceDecimals),
      amount: new CellTexts(partition.amountDecimals),
    };
    for await (const chunk of partitionChunks(database, {
      root,
      key,
      shape,
      partitions: [partition],
      range,
      select: columns.join(', '),
    })) {
      yield decode(chunk, texts);
    }
  }
}

function latest<Row, Part>({ root, key, range }: RowReading<Row, Part>, planned: Partition): Partition {
  if (!isReplaced(root, key, planned)) return planned;
  return partitionsWithin(root, key, range).find(({ name }) => name === planned.name) ?? planned;
}

const rowsOf = <Row>(chunk: DuckDBDataChunk, make: (row: number) => Row): Row[] =>
  Array.from({ length: chunk.rowCount }, (_, row) => make(row));

export function decodeTrades(chunk: DuckDBDataChunk, texts: PartitionTexts): readonly RecordedTrade[] {
  const { timeMs, seenMs, price, amount, side } = decodeTradeColumns(chunk, texts);
  const ids = chunk.getColumnVector(5);
  return rowsOf(chunk, (row) => {
    const id = ids.getItem(row) as bigint | null;
    return {
      timeMs: knownTime(present(timeMs[row], 'the time of a trade')),
      seenMs: present(seenMs[row], 'when a trade was seen'),
      price: present(price[row], 'the price of a trade'),
      amount: present(amount[row], 'the amount of a trade'),
      side: present(side[row], 'the side of a trade'),
      id: id === null ? null : Number(id),
    };
  });
}

/** Decodes trades as columns, without their ids. */
export function decodeTradeColumns(chunk: DuckDBDataChunk, texts: PartitionTexts): TradeColumns {
  const [times, seen, prices, amounts, sides] = columnsOf(chunk);
  const price = new MoneyCells(present(prices, 'prices')).texts(chunk.rowCount, texts.price);
  const amount = new MoneyCells(present(amounts, 'amounts')).texts(chunk.rowCount, texts.amount);
  return {
    length: chunk.rowCount,
    timeMs: timesOf(times, chunk.rowCount),
    seenMs: timesOf(seen, chunk.rowCount),
    price: rowsOf(chunk, (row) => price.at(row)),
    amount: rowsOf(chunk, (row) => amount.at(row)),
    side: rowsOf(chunk, (row) => sides?.getItem(row) as Side),
  };
}

export function decodeBooks(chunk: DuckDBDataChunk, texts: PartitionTexts): readonly RecordedBook[] {
  const { venueTimeMs, seenMs, bids, asks } = decodeBookColumns(chunk, texts);
  return rowsOf(chunk, (row) => ({
    venueTimeMs: knownTime(present(venueTimeMs[row], 'the time of a book')),
    seenMs: present(seenMs[row], 'when a book was seen'),
    bids: bids.levelsOf(row),
    asks: asks.levelsOf(row),
  }));
}

/** Decodes books as columns. */
export function decodeBookColumns(chunk: DuckDBDataChunk, texts: PartitionTexts): BookColumns {
  const [times, seen, bidPrices, bidAmounts, askPrices, askAmounts] = columnsOf(chunk);
  const { rowCount } = chunk;
  return {
    length: rowCount,
    venueTimeMs: timesOf(times, rowCount),
    seenMs: timesOf(seen, rowCount),
    bids: new CellLevels(rowCount, { prices: bidPrices, amounts: bidAmounts, texts }),
    asks: new CellLevels(rowCount, { prices: askPrices, amounts: askAmounts, texts }),
  };
}

/** Returns the times of a column; NaN for missing ones. */
function timesOf(vector: DuckDBVector | undefined, count: number): Float64Array {
  const times = new Float64Array(count);
  for (let row = 0; row < count; row += 1)
    times[row] = (vector?.getItem(row) as number | null | undefined) ?? Number.NaN;
  return times;
}

/** Lists of decimals, one for each row. */
class MoneyLists {
  private readonly from: Int32Array;
  private readonly values: TextColumn;
  readonly lengths: Int32Array;

  constructor(vector: unknown, count: number, texts: CellTexts) {
    const lists = vector as DuckDBListVector;
    const { childVector } = lists;
    this.values = new MoneyCells(childVector).texts(childVector.itemCount, texts);
    this.from = Int32Array.from({ length: count }, (_, row) => lists.getEntryOffset(row));
    this.lengths = Int32Array.from({ length: count }, (_, row) => lists.getEntryLength(row));
  }

  at(row: number, place: number): DecimalText {
    return this.values.at((this.from[row] ?? 0) + place);
  }
}

/** One side of the books of a chunk. */
class CellLevels implements LevelLists {
  private readonly prices: MoneyLists;
  private readonly amounts: MoneyLists;

  constructor(
    count: number,
    of: { readonly prices: unknown; readonly amounts: unknown; readonly texts: PartitionTexts },
  ) {
    this.prices = new MoneyLists(of.prices, count, of.texts.price);
    this.amounts = new MoneyLists(of.amounts, count, of.texts.amount);
  }

  lengthOf(row: number): number {
    return Math.min(this.prices.lengths[row] ?? 0, this.amounts.lengths[row] ?? 0);
  }

  priceAt(row: number, place: number): DecimalText | undefined {
    return place < this.lengthOf(row) ? this.prices.at(row, place) : undefined;
  }

  amountAt(row: number, place: number): DecimalText | undefined {
    return place < this.lengthOf(row) ? this.amounts.at(row, place) : undefined;
  }

  levelsOf(row: number): readonly BookLevel[] {
    return Array.from({ length: this.lengthOf(row) }, (_, place) => [
      this.prices.at(row, place),
      this.amounts.at(row, place),
    ]);
  }
}

export function decodeStats(chunk: DuckDBDataChunk, market: string): readonly RecordedStats[] {
  const name = parseMarket(market);
  const [seen, closed, reason, ...numbers] = columnsOf(chunk);
  return rowsOf(chunk, (row) => {
    const decimals = Object.values(STATS_COLUMNS).map((field, index) => {
      const value = numbers[index]?.getItem(row) as { readonly value: bigint } | null;
      return [field, value === null ? null : formatUnits(value.value)] as const;
    });
    const stats = {
      market: name,
      isClosed: closed?.getItem(row) === true,
      closedReason: reason?.getItem(row) as string | null,
      ...Object.fromEntries(decimals),
    } as unknown as MarketStats;
    return { seenMs: seen?.getItem(row) as number, stats };
  });
}

const columnsOf = (chunk: DuckDBDataChunk): ReturnType<DuckDBDataChunk['getColumnVector']>[] =>
  Array.from({ length: chunk.columnCount }, (_, index) => chunk.getColumnVector(index));

/** Returns the partitions of a folder that overlap a time range, oldest first. */
export function partitionsWithin(root: string, key: FolderKey, range: TimeRange): readonly Partition[] {
  const manifest = readManifest(root, key);
  return (manifest?.partitions ?? []).filter(
    ({ fromMs, toMs }) => fromMs < range.toMs && toMs >= range.fromMs,
  );
}

/** Returns the partitions of a range. Throws `INVALID_OPTIONS`, which says what exists, if it has none. */
export function partitionsOfData(root: string, key: FolderKey, range: TimeRange): readonly Partition[] {
  if (range.fromMs >= range.toMs)
    throw invalidOptions(
      `expected a range of time that begins before it ends, was ${timeText(range.fromMs)} to ${timeText(range.toMs)}`,
    );
  const within = partitionsWithin(root, key, range);
  if (within.length > 0) return within;
  throw noneThere(root, key, range);
}

/** Creates the error for a range without data, which says what exists. */
export function noneThere(root: string, key: FolderKey, range: TimeRange): SarrafError {
  const all = readManifest(root, key)?.partitions ?? [];
  const [first, last] = [all[0], all.at(-1)];
  const found =
    first === undefined || last === undefined
      ? `there are none in ${root}${otherCandles(root, key)}; see "sarraf data list --catalogue ${root}"`
      : `those there reach from ${timeText(first.fromMs)} to ${timeText(last.toMs)}`;
  return invalidOptions(
    `expected data of ${folderTitle(key)} from ${timeText(range.fromMs)} to ${timeText(range.toMs)}: ${found}`,
  );
}

/** Writes which other timeframes exist, and how to get the missing candles from them; empty if none. */
function otherCandles(root: string, key: FolderKey): string {
  if (key.kind !== 'candles') return '';
  const there = TIMEFRAMES.filter(
    (timeframe) => readManifest(root, { ...key, timeframe })?.partitions[0] !== undefined,
  );
  if (there.length === 0) return '';
  const isMade = there.some((finer) => {
    const anchors = anchorsOf(readManifest(root, { ...key, timeframe: finer }), finer);
    return liesInside(gridOf(finer, anchors), gridOf(key.timeframe, anchors));
  });
  const how = isMade
    ? `make them with "sarraf data resample --market ${key.market} --timeframe ${key.timeframe} --catalogue ${root}"`
    : 'of which these can not be made';
  return `, but those of ${there.join(', ')} are: ${how}`;
}

/** Writes a time for people; the ends of all time, defaults of `--from` and `--to`, become words. */
export function timeText(timeMs: number): string {
  if (timeMs <= EARLIEST_MS) return 'the beginning';
  if (timeMs >= LATEST_MS) return 'the end';
  return isoText(timeMs);
}

/** First and last time that can be requested: the start of year 1 and the end of year 9999. */
export const EARLIEST_MS = -62_135_596_800_000;
export const LATEST_MS = 253_402_300_799_999;

export const ALL_TIME: TimeRange = { fromMs: EARLIEST_MS, toMs: LATEST_MS };

/** Yields the rows of partitions within a range, in the order of the files. */
export function partitionChunks<Row>(
  database: Database,
  options: {
    readonly root: string;
    readonly key: FolderKey;
    readonly shape: TableShape<Row>;
    readonly partitions: readonly Partition[];
    readonly range: TimeRange;
    readonly select: string;
  },
): AsyncGenerator<DuckDBDataChunk> {
  const { root, key, shape, partitions, range, select } = options;
  const folder = folderPath(root, key);
  const files = partitions.map(({ file }) => join(folder, file));
  const sql = `SELECT ${select} FROM read_parquet(${sqlFiles(files)})
    WHERE ${shape.timeSql} >= ${range.fromMs} AND ${shape.timeSql} < ${range.toMs}`;
  return streamChunks(database, sql, `read ${files.length === 1 ? files[0] : folder}`);
}

/** True if a partition was replaced since the manifest was read, which must be read again. */
export function isReplaced(root: string, key: FolderKey, { file }: Partition): boolean {
  return (
    !existsSync(join(folderPath(root, key), file)) &&
    readManifest(root, key)?.partitions.find((partition) => partition.file === file) === undefined
  );
}
