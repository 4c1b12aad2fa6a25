import type { DuckDBDataChunk, DuckDBListVector } from '@duckdb/node-api';
import type { DecimalText } from '../domain/decimal-text.ts';
import type { MarketStats } from '../domain/market-stats.ts';
import { parseMarket } from '../exchange/market-names.ts';
import { formatUnits } from '../domain/money.ts';
import type { BookLevel } from '../domain/order-book.ts';
import type { Side } from '../domain/order.ts';
import { CellTexts, MoneyCells } from './money-cells.ts';
import { openDatabase } from './duckdb.ts';
import type { FolderKey } from './folder-key.ts';
import type { Partition } from './manifest.ts';
import { isReplaced, partitionChunks, partitionsOfData, partitionsWithin } from './read-partitions.ts';
import type { RecordedBook, RecordedStats, RecordedTrade, TimeRange } from './records.ts';
import type { TableShape } from './table-shape.ts';
import { STATS_COLUMNS } from './table-shapes.ts';

export interface RowReading<Row> {
  readonly root: string;
  readonly key: FolderKey;
  readonly shape: TableShape<Row>;
  readonly range: TimeRange;
  readonly decode: (chunk: DuckDBDataChunk, texts: PartitionTexts) => readonly Row[];
}

/** Texts of the prices and the amounts of a partition. */
export interface PartitionTexts {
  readonly price: CellTexts;
  readonly amount: CellTexts;
}

/**
 * The rows of a stretch of time, oldest first, in parts of some thousand: memory does not grow with the
 * stretch. A partition that a writer replaces while another is read is read as it is then. Throws as
 * `readCandles` does.
 */
export async function* readRows<Row>(reading: RowReading<Row>): AsyncGenerator<readonly Row[]> {
  const { root, key, shape, range, decode } = reading;
  const columns = shape.columns.map(({ name, type }) => (type === 'time' ? `${name}::DOUBLE` : name));
  const database = await openDatabase();
  try {
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
  } finally {
    database.close();
  }
}

function latest<Row>({ root, key, range }: RowReading<Row>, planned: Partition): Partition {
  if (!isReplaced(root, key, planned)) return planned;
  return partitionsWithin(root, key, range).find(({ name }) => name === planned.name) ?? planned;
}

const rowsOf = <Row>(chunk: DuckDBDataChunk, make: (row: number) => Row): Row[] =>
  Array.from({ length: chunk.rowCount }, (_, row) => make(row));

/** Trades of a chunk. */
export function decodeTrades(chunk: DuckDBDataChunk, texts: PartitionTexts): readonly RecordedTrade[] {
  const [times, seen, , , sides, ids] = columnsOf(chunk);
  const prices = new MoneyCells(chunk.getColumnVector(2)).texts(chunk.rowCount, texts.price);
  const amounts = new MoneyCells(chunk.getColumnVector(3)).texts(chunk.rowCount, texts.amount);
  return rowsOf(chunk, (row) => {
    const id = ids?.getItem(row) as bigint | null;
    return {
      timeMs: times?.getItem(row) as number | null,
      seenMs: seen?.getItem(row) as number,
      price: prices[row] as DecimalText,
      amount: amounts[row] as DecimalText,
      side: sides?.getItem(row) as Side,
      id: id === null ? null : Number(id),
    };
  });
}

function levels(prices: MoneyLists | undefined, amounts: MoneyLists | undefined, row: number): BookLevel[] {
  const amountsOf = amounts?.texts(row) ?? [];
  return (prices?.texts(row) ?? []).flatMap((price, index) => {
    const amount = amountsOf[index];
    return amount === undefined ? [] : [[price, amount] as const];
  });
}

/** Books of a chunk. */
export function decodeBooks(chunk: DuckDBDataChunk, texts: PartitionTexts): readonly RecordedBook[] {
  const [times, seen, ...lists] = columnsOf(chunk);
  const [bidPrices, bidAmounts, askPrices, askAmounts] = lists.map(
    (vector, index) => new MoneyLists(vector, index % 2 === 0 ? texts.price : texts.amount),
  );
  return rowsOf(chunk, (row) => ({
    venueTimeMs: times?.getItem(row) as number | null,
    seenMs: seen?.getItem(row) as number,
    bids: levels(bidPrices, bidAmounts, row),
    asks: levels(askPrices, askAmounts, row),
  }));
}

/** Lists of decimals in one column. */
class MoneyLists {
  private readonly lists: DuckDBListVector;
  private readonly values: readonly DecimalText[];

  constructor(vector: unknown, texts: CellTexts) {
    this.lists = vector as DuckDBListVector;
    const { childVector } = this.lists;
    this.values = new MoneyCells(childVector).texts(childVector.itemCount, texts);
  }

  texts(row: number): readonly DecimalText[] {
    const from = this.lists.getEntryOffset(row);
    return this.values.slice(from, from + this.lists.getEntryLength(row));
  }
}

/** Statistics of a chunk of a market's folder. */
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

function columnsOf(chunk: DuckDBDataChunk): ReturnType<DuckDBDataChunk['getColumnVector']>[] {
  return Array.from({ length: chunk.columnCount }, (_, index) => chunk.getColumnVector(index));
}
