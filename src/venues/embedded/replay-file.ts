import { basename } from 'node:path';
import { decimalText, fractionDigits, type DecimalText } from '../../domain/decimal-text.ts';
import { SarrafError } from '../../domain/errors.ts';
import { parseMarket } from '../../domain/market-symbol.ts';
import { rowTimeMs, type ReplayRow } from '../../simulator/flow/replay-row.ts';
import { CsvReader } from './replay-csv.ts';
import { readFeedLine } from './replay-feed.ts';
import { badLine, readLines, type FileLine } from './replay-lines.ts';

/** What a recording says of a market: decimals as texts. */
export interface ReplayedMarket {
  readonly symbol: string;
  readonly priceStep: string;
  readonly amountStep: string;
  readonly initialPrice: string;
}

/** A recording, read whole: rows in the order of time. */
export interface ReplayFile {
  readonly path: string;
  readonly kind: 'candles' | 'trades';
  readonly rows: readonly ReplayRow[];
  /** Length of the candles; 0 for trades. */
  readonly lengthMs: number;
  readonly market: ReplayedMarket;
}

/** Rows that the steps are guessed from. */
const ROWS_FOR_STEPS = 5_000;
const MAX_DECIMALS = 8;

/**
 * Reads a recording of candles or trades: CSV with a header, or JSON lines of a feed, either one gzipped. Its market's name is found in the
 * file, or in the file's name; its steps are the decimals that its numbers have.
 * Throws `INVALID_FILE`, naming the line where there is one; nothing is skipped silently but messages of a feed that are no trades.
 */
export async function readReplayFile(path: string): Promise<ReplayFile> {
  const rows: ReplayRow[] = [];
  let symbol = '';
  let csv: CsvReader | null = null;
  let isFeed = false;
  for await (const line of readLines(path)) {
    if (csv === null && !isFeed) {
      isFeed = /^\s*(?:\d+\s+)?\{/.test(line.text);
      if (!isFeed) {
        csv = new CsvReader(path, line);
        continue;
      }
    }
    if (csv !== null) {
      add(rows, csv.read(line), { path, line });
      continue;
    }
    const read = readFeedLine(path, line);
    if (read === null) continue;
    add(rows, read.row, { path, line });
    if (symbol === '') ({ symbol } = read);
  }
  if (rows.length < 2)
    throw new SarrafError('INVALID_FILE', `expected at least two rows in ${path}, found ${rows.length}`);
  const kind = csv?.kind ?? 'trades';
  const lengthMs = kind === 'candles' ? commonDifferenceMs(rows) : 0;
  return {
    path,
    kind,
    rows: kind === 'candles' ? withLengths(rows, lengthMs) : rows,
    lengthMs,
    market: describeMarket(rows, symbol === '' ? symbolIn(path) : symbol),
  };
}

/** Adds a row that must not be before the last. */
function add(rows: ReplayRow[], row: ReplayRow, at: { readonly path: string; readonly line: FileLine }): void {
  const last = rows.at(-1);
  const isLater =
    last === undefined ||
    rowTimeMs(row) > rowTimeMs(last) ||
    (row.kind === 'trade' && rowTimeMs(row) === rowTimeMs(last));
  if (!isLater) {
    throw badLine(
      at.path,
      at.line,
      `expected rows in the order of time, found ${rowTimeMs(row)} after ${rowTimeMs(last)}`,
    );
  }
  rows.push(row);
}

/** The most frequent time between two rows: gaps are rarer than bars. */
function commonDifferenceMs(rows: readonly ReplayRow[]): number {
  const counts = new Map<number, number>();
  for (const [index, row] of rows.entries()) {
    const previous = rows[index - 1];
    if (previous === undefined) continue;
    const difference = rowTimeMs(row) - rowTimeMs(previous);
    counts.set(difference, (counts.get(difference) ?? 0) + 1);
  }
  return [...counts].reduce((most, entry) => (entry[1] > most[1] ? entry : most), [0, 0])[0];
}

/** Bars as long as is usual in the file, but none longer than until the next. */
function withLengths(rows: readonly ReplayRow[], usualMs: number): readonly ReplayRow[] {
  return rows.map((row, index) => {
    const next = rows[index + 1];
    const untilNextMs = next === undefined ? usualMs : rowTimeMs(next) - rowTimeMs(row);
    return row.kind === 'candle' ? { ...row, lengthMs: Math.min(usualMs, untilNextMs) } : row;
  });
}

function describeMarket(rows: readonly ReplayRow[], symbol: string): ReplayedMarket {
  const prices: DecimalText[] = [];
  const amounts: DecimalText[] = [];
  for (const row of rows.slice(0, ROWS_FOR_STEPS)) {
    if (row.kind === 'candle') {
      prices.push(row.open, row.high, row.low, row.close);
      amounts.push(row.volume);
    } else if (row.kind === 'trade') {
      prices.push(row.price);
      amounts.push(row.amount);
    }
  }
  return {
    symbol,
    priceStep: stepOf(prices),
    amountStep: stepOf(amounts),
    initialPrice: onStep(prices[0] ?? decimalText('1')),
  };
}

/** The coarsest decimal step that holds all the numbers, no finer than eight decimals. */
function stepOf(numbers: readonly DecimalText[]): string {
  const digits = Math.min(MAX_DECIMALS, Math.max(0, ...numbers.map(fractionDigits)));
  return digits === 0 ? '1' : `0.${'1'.padStart(digits, '0')}`;
}

/** Recorded floats can have more decimals than a step. */
function onStep(price: DecimalText): DecimalText {
  const excess = fractionDigits(price) - MAX_DECIMALS;
  return excess > 0 ? decimalText(price.slice(0, -excess)) : price;
}

/** The market that a file's name names, as `binance_BTCUSDT_1h.csv` does; bitcoin in tether where it names none. */
function symbolIn(path: string): string {
  for (const word of basename(path).split(/[^A-Za-z0-9-]+/)) {
    try {
      return parseMarket(word).symbol;
    } catch {
      // Not this word.
    }
  }
  return 'BTCUSDT';
}
