import type { CandleColumns } from '../domain/candle-columns.ts';
import type { MarketSymbol } from '../domain/market-symbol.ts';
import { SarrafError, tooLarge } from '../domain/errors.ts';
import type { Catalogue, MarketQuestion } from './catalogue.ts';
import type { FolderKey, LevelLists, TimeRange } from './records.ts';
import { EARLIEST_MS, LATEST_MS, partitionsWithin } from './read-rows.ts';
import type { DecimalText } from '../domain/decimal-text.ts';
import type { PackedBooks, PackedTrades, PackedStats, PackedCandles, PackedMarket } from './column-file.ts';

/**
 * Loads all recordings of a market before a time into memory; null if it has no books. Throws
 * `INVALID_OPTIONS` if none are before that time, `TOO_LARGE` for decimals that do not fit a column, and
 * `DATA_UNUSABLE` for a damaged file.
 */
export async function packMarket(
  catalogue: Catalogue,
  { market, toMs }: { readonly market: MarketSymbol; readonly toMs: number | null },
): Promise<PackedMarket | null> {
  const all = catalogue.manifest({ market, kind: 'books' })?.partitions ?? [];
  const [first, last] = [all[0], all.at(-1)];
  if (first === undefined || last === undefined) return null;
  const question = { market, fromMs: EARLIEST_MS, toMs: toMs ?? LATEST_MS };
  const isThere = (kind: 'trades' | 'stats'): boolean =>
    partsOf(catalogue, { market, kind }, question).length > 0;
  return {
    market,
    span: { fromMs: first.fromMs, toMs: last.toMs },
    books: await packBooks(catalogue, question),
    trades: isThere('trades') ? await packTrades(catalogue, question) : null,
    stats: isThere('stats') ? await packStats(catalogue, question) : null,
    candles: await packCandles(catalogue, question),
  };
}

function partsOf(
  catalogue: Catalogue,
  key: FolderKey,
  range: TimeRange,
): ReturnType<typeof partitionsWithin> {
  return partitionsWithin(catalogue.root, key, range);
}

/** Returns the decimals of the most precise file within a range. */
function decimalsOf(
  catalogue: Catalogue,
  key: FolderKey,
  range: TimeRange,
): {
  readonly priceDecimals: number;
  readonly amountDecimals: number;
} {
  const parts = partsOf(catalogue, key, range);
  return {
    priceDecimals: Math.max(0, ...parts.map(({ priceDecimals }) => priceDecimals)),
    amountDecimals: Math.max(0, ...parts.map(({ amountDecimals }) => amountDecimals)),
  };
}

async function packBooks(catalogue: Catalogue, question: MarketQuestion): Promise<PackedBooks> {
  const decimals = decimalsOf(catalogue, { market: question.market, kind: 'books' }, question);
  const [prices, amounts] = [new CellReader(decimals.priceDecimals), new CellReader(decimals.amountDecimals)];
  const [venueTimeMs, seenMs] = [new GrowingColumn(doubles), new GrowingColumn(doubles)];
  const [levelFrom, bids] = [new GrowingColumn(words), new GrowingColumn(bytes)];
  const [price, amount] = [new GrowingColumn(doubles), new GrowingColumn(doubles)];
  const addSide = (side: LevelLists, row: number): void => {
    for (const [levelPrice, levelAmount] of side.levelsOf(row)) {
      price.push(prices.of(levelPrice));
      amount.push(amounts.of(levelAmount));
    }
  };
  for await (const chunk of catalogue.readBookColumns(question)) {
    for (let row = 0; row < chunk.length; row += 1) {
      venueTimeMs.push(chunk.venueTimeMs[row] ?? Number.NaN);
      seenMs.push(chunk.seenMs[row] ?? Number.NaN);
      levelFrom.push(price.length);
      bids.push(chunk.bids.lengthOf(row));
      addSide(chunk.bids, row);
      addSide(chunk.asks, row);
    }
  }
  levelFrom.push(price.length);
  return {
    length: seenMs.length,
    ...decimals,
    venueTimeMs: venueTimeMs.done(),
    seenMs: seenMs.done(),
    levelFrom: levelFrom.done(),
    bids: bids.done(),
    price: price.done(),
    amount: amount.done(),
  };
}

async function packTrades(catalogue: Catalogue, question: MarketQuestion): Promise<PackedTrades> {
  const decimals = decimalsOf(catalogue, { market: question.market, kind: 'trades' }, question);
  const [prices, amounts] = [new CellReader(decimals.priceDecimals), new CellReader(decimals.amountDecimals)];
  const [timeMs, seenMs] = [new GrowingColumn(doubles), new GrowingColumn(doubles)];
  const [price, amount] = [new GrowingColumn(doubles), new GrowingColumn(doubles)];
  const isBuy = new GrowingColumn(bytes);
  for await (const chunk of catalogue.readTradeColumns(question)) {
    for (const [row, text] of chunk.price.entries()) {
      timeMs.push(chunk.timeMs[row] ?? Number.NaN);
      seenMs.push(chunk.seenMs[row] ?? Number.NaN);
      price.push(prices.of(text));
      amount.push(amounts.of(chunk.amount[row] ?? text));
      isBuy.push(chunk.side[row] === 'buy' ? 1 : 0);
    }
  }
  return {
    length: seenMs.length,
    ...decimals,
    timeMs: timeMs.done(),
    seenMs: seenMs.done(),
    price: price.done(),
    amount: amount.done(),
    isBuy: isBuy.done(),
  };
}

async function packStats(catalogue: Catalogue, question: MarketQuestion): Promise<PackedStats> {
  const [seenMs, textFrom] = [new GrowingColumn(doubles), new GrowingColumn(words)];
  const texts: Buffer[] = [];
  let at = 0;
  for await (const rows of catalogue.readStats(question)) {
    for (const { seenMs: rowMs, stats } of rows) {
      const { market: _market, ...rest } = stats;
      const text = Buffer.from(JSON.stringify(rest));
      seenMs.push(rowMs);
      textFrom.push(at);
      texts.push(text);
      at += text.length;
    }
  }
  textFrom.push(at);
  return {
    length: seenMs.length,
    seenMs: seenMs.done(),
    textFrom: textFrom.done(),
    texts: new Uint8Array(Buffer.concat(texts)),
  };
}

async function packCandles(
  catalogue: Catalogue,
  question: MarketQuestion,
): Promise<readonly PackedCandles[]> {
  const { market } = question;
  const keys = catalogue
    .keys()
    .flatMap((key) => (key.kind === 'candles' && key.market === market ? [key] : []));
  const packed: PackedCandles[] = [];
  for (const key of keys) {
    const parts = partsOf(catalogue, key, question).map(({ fromMs, toMs }) => ({ fromMs, toMs }));
    if (parts.length === 0) continue;
    const columns = await candlesOrNone(catalogue, { ...question, timeframe: key.timeframe });
    const { covered } = catalogue.manifest(key) ?? { covered: [] };
    if (columns !== null) packed.push({ columns, covered, parts });
  }
  return packed;
}

/** Returns the candles of a range; null if there are none. */
export async function candlesOrNone(
  catalogue: Pick<Catalogue, 'readCandles'>,
  question: Parameters<Catalogue['readCandles']>[0],
): Promise<CandleColumns | null> {
  try {
    return await catalogue.readCandles(question);
  } catch (error) {
    if (error instanceof SarrafError && error.code === 'INVALID_OPTIONS') return null;
    throw error;
  }
}

/** Maximum number of cached cells; then the cache is cleared. */
const MOST_REMEMBERED = 20_000;

/** Converts decimal texts into whole numbers of 10^-decimals; cached, since a book repeats them often. */
export class CellReader {
  private readonly decimals: number;
  private readonly known = new Map<DecimalText, number>();

  constructor(decimals: number) {
    this.decimals = decimals;
  }

  /** Throws `TOO_LARGE` for a number beyond 2^53, or with more decimals. */
  of(text: DecimalText): number {
    const known = this.known.get(text);
    if (known !== undefined) return known;
    const [whole = '', fraction = ''] = text.split('.');
    const cell = Number(whole + fraction.padEnd(this.decimals, '0'));
    if (fraction.length > this.decimals || !Number.isSafeInteger(cell))
      throw tooLarge(`expected a number within 2^53 of ${this.decimals} decimals at most, was ${text}`);
    if (this.known.size >= MOST_REMEMBERED) this.known.clear();
    this.known.set(text, cell);
    return cell;
  }
}

type Column = Float64Array | Uint32Array | Uint8Array;

const FIRST_LENGTH = 1_024;

/** Growing typed array, whose size doubles when it is full. */
class GrowingColumn<Kind extends Column> {
  /** Number of values. */
  length = 0;
  private column: Kind;
  private readonly make: (length: number) => Kind;

  constructor(make: (length: number) => Kind) {
    this.make = make;
    this.column = make(FIRST_LENGTH);
  }

  push(value: number): void {
    if (this.length === this.column.length) {
      const longer = this.make(2 * this.length);
      longer.set(this.column);
      this.column = longer;
    }
    this.column[this.length] = value;
    this.length += 1;
  }

  /** Returns all values. Nothing may be added afterwards. */
  done(): Kind {
    return this.column.subarray(0, this.length) as Kind;
  }
}

const doubles = (length: number): Float64Array => new Float64Array(length);
const words = (length: number): Uint32Array => new Uint32Array(length);
const bytes = (length: number): Uint8Array => new Uint8Array(length);
