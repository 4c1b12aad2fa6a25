import { basename } from 'node:path';
import { UTC_BARS, type BarAnchors, type Timeframe } from '../domain/candle.ts';
import { candleAt, gridOfColumns, type CandleColumns } from '../domain/candle-columns.ts';
import { fractionDigits, type DecimalText } from '../domain/decimal-text.ts';
import { invalidFile } from '../domain/errors.ts';
import type { MarketSymbol } from '../domain/market-symbol.ts';
import { parseMarket } from '../exchange/market-names.ts';
import { readDataFile, timeOf } from '../recording/read-file.ts';
import type { RecordedTrade } from '../recording/records.ts';
import { type ReplayRow, rowTimeMs } from '../simulator/replay-flow.ts';

/** Rows from which the steps are guessed, and the most decimals of a step. */
const ROWS_FOR_STEPS = 5_000;
const MAX_DECIMALS = 8;

/**
 * Reads a recording of candles or trades, as `sarraf data import` does. The market's name comes from the file
 * or its name, and its steps from the decimals of its numbers. Throws `INVALID_FILE`, with the line if there
 * is one.
 */
export async function readReplayFile(path: string): Promise<ReplayFile> {
  const symbol = symbolIn(path);
  const read = await readDataFile(path, {
    market: symbol,
    kind: null,
    timeframe: null,
    form: { roundPrices: MAX_DECIMALS },
  });
  const { rows, timeframe, barAnchors } =
    read.kind === 'candles' ? candleRows(read.columns) : tradeRows(read.trades);
  if (rows.length < 2) throw invalidFile(`expected at least two rows in ${path}, found ${rows.length}`);
  const named = read.kind === 'trades' && read.symbol !== null ? parseMarket(read.symbol).symbol : symbol;
  return { path, rows, timeframe, barAnchors, market: describeMarket(rows, named) };
}

type Rows = Pick<ReplayFile, 'rows' | 'timeframe' | 'barAnchors'>;

function candleRows(columns: CandleColumns): Rows {
  const { length, timeframe, anchors } = columns;
  const grid = gridOfColumns(columns);
  const rows = Array.from({ length }, (_, index) => {
    const candle = candleAt(columns, index);
    const lengthMs = grid.endOf(candle.openTimeMs) - candle.openTimeMs;
    return { kind: 'candle', timeframe, lengthMs, ...candle } as const;
  });
  return { rows, timeframe, barAnchors: anchors ?? UTC_BARS };
}

function tradeRows(trades: readonly RecordedTrade[]): Rows {
  const rows = trades.map((trade) => {
    const { price, amount, side } = trade;
    return { kind: 'trade', timeMs: timeOf(trade), price, amount, side } as const;
  });
  return { rows, timeframe: null, barAnchors: null };
}

function describeMarket(rows: readonly ReplayRow[], symbol: MarketSymbol): ReplayedMarket {
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
  const [initialPrice] = prices;
  if (initialPrice === undefined) throw new RangeError('expected a price in the rows of a replay, was none');
  return { symbol, priceStep: stepOf(prices), amountStep: stepOf(amounts), initialPrice };
}

/** Returns the coarsest decimal step of all the numbers, at most eight decimals. */
function stepOf(numbers: readonly DecimalText[]): string {
  const digits = Math.min(MAX_DECIMALS, Math.max(0, ...numbers.map(fractionDigits)));
  return digits === 0 ? '1' : `0.${'1'.padStart(digits, '0')}`;
}

/** Returns the market in a file's name, such as `binance_BTCUSDT_1h.csv`; else bitcoin in tether. */
function symbolIn(path: string): MarketSymbol {
  for (const word of basename(path).split(/[^A-Za-z0-9-]+/)) {
    try {
      return parseMarket(word).symbol;
    } catch {
      // This word names no market.
    }
  }
  return parseMarket('BTCUSDT').symbol;
}

/** Market data of a recording, with decimals as texts. */
interface ReplayedMarket {
  readonly symbol: MarketSymbol;
  readonly priceStep: string;
  readonly amountStep: string;
  readonly initialPrice: string;
}

/** A whole recording, with rows in the order of time. */
export interface ReplayFile {
  readonly path: string;
  readonly rows: readonly ReplayRow[];
  /** Timeframe of its candles; null for trades. */
  readonly timeframe: Timeframe | null;
  /** Anchors of its candles, and of longer ones built from them; null for trades. */
  readonly barAnchors: BarAnchors | null;
  readonly market: ReplayedMarket;
}

/** Rows that serve as the past, so that strategies start with candles: a count, or a share of trades. */
const WARM_UP_CANDLES = 200;
const WARM_UP_SHARE = 0.2;

/** Returns the start of a replay: earlier rows serve as the past. At least half of it is played. */
export function replayStart({ rows, timeframe, path }: ReplayFile): {
  readonly warmUpRows: number;
  readonly startMs: number;
} {
  const wanted = timeframe === null ? Math.floor(rows.length * WARM_UP_SHARE) : WARM_UP_CANDLES;
  const warmUpRows = Math.min(wanted, Math.floor(rows.length / 2));
  const first = rows[warmUpRows];
  if (first === undefined) throw invalidFile(`expected at least one row in ${path}, was none`);
  return { warmUpRows, startMs: rowTimeMs(first) };
}
