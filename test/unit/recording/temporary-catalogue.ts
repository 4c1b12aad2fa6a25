import { acquireProcessLock } from '../../../src/daemon/process-locks.ts';
import type { Candle } from '../../../src/domain/candle.ts';
import { decimalText } from '../../../src/domain/decimal-text.ts';
import { parseMarket } from '../../../src/exchange/market-names.ts';
import { Catalogue } from '../../../src/recording/catalogue.ts';
import type { LockFile } from '../../../src/recording/append-rows.ts';
import type { RecordedBook, RecordedTrade } from '../../../src/recording/records.ts';
import { folderOfEachTest, folderOfThisTest } from '../../support/temporary-folder.ts';

export const BTCIRT = parseMarket('BTCIRT').symbol;

/** Options for importing a file that describes its own content. */
export const USUAL_IMPORT = {
  market: BTCIRT,
  kind: null,
  timeframe: null,
  mayResample: false,
  preset: null,
  columns: new Map<never, never>(),
  skipBadRows: false,
} as const;

/** Takes locks as the commands do. */
export const takeLock: LockFile = (path) => acquireProcessLock({ path, what: path, otherwise: 'wait' });

export const temporaryCatalogue = (root = folderOfThisTest()): Catalogue =>
  new Catalogue({ root, lockFile: takeLock });

/** Catalogue that is empty before each test of the file. */
export const catalogueOfEachTest = (): Catalogue => temporaryCatalogue(folderOfEachTest());

/** Adds bars of a minute, or of another timeframe. */
export const addCandles = (
  catalogue: Catalogue,
  bars: readonly Candle[],
  change: Partial<Parameters<Catalogue['appendCandles']>[0]> = {},
): ReturnType<Catalogue['appendCandles']> =>
  catalogue.appendCandles({ market: BTCIRT, timeframe: '1m', source: 'test', candles: [bars], ...change });

/** Makes a bar at a time, with a price in rial that depends on the time of day. */
export function candle(
  openTimeMs: number,
  change: Partial<Record<keyof Candle, string | number>> = {},
): Candle {
  const open = 12_600_000_000 + ((openTimeMs / 60_000) % 100) * 10;
  const bar = { open, high: open + 500, low: open - 500, close: open + 10, volume: '0.123456', ...change };
  const { high, low, close, volume } = bar;
  return {
    openTimeMs,
    open: decimalText(bar.open),
    high: decimalText(high),
    low: decimalText(low),
    close: decimalText(close),
    volume: decimalText(volume),
  };
}

/** Makes consecutive bars. */
export const candles = (fromMs: number, count: number, stepMs = 60_000): Candle[] =>
  Array.from({ length: count }, (_, index) => candle(fromMs + index * stepMs));

export function trade(timeMs: number, change: Partial<RecordedTrade> = {}): RecordedTrade {
  return {
    timeMs,
    seenMs: timeMs + 300,
    price: decimalText('12600000010'),
    amount: decimalText('0.000001'),
    side: 'buy',
    id: null,
    ...change,
  };
}

export function book(timeMs: number, levels = 2): RecordedBook {
  const side = (direction: 1 | -1): RecordedBook['bids'] =>
    Array.from({ length: levels }, (_, level) => [
      decimalText(12_600_000_000 + direction * (level + 1) * 10),
      decimalText(`0.0000${level + 1}1`),
    ]);
  return { venueTimeMs: timeMs, seenMs: timeMs + 200, bids: side(-1), asks: side(1) };
}

/** Collects all rows of an iteration. */
export async function gather<Row>(parts: AsyncIterable<readonly Row[]>): Promise<Row[]> {
  const rows: Row[] = [];
  for await (const part of parts) rows.push(...part);
  return rows;
}
