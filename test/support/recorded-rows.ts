import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseMarket } from '../../src/exchange/market-names.ts';
import { Catalogue } from '../../src/recording/catalogue.ts';
import type { MarketStats } from '../../src/domain/order-book.ts';

const market = parseMarket('BTCIRT').symbol;
const ALL = { market, fromMs: 0, toMs: 4e12 };

/** Counts the books of BTCIRT in a catalogue. */
export async function booksOf(root: string): Promise<number> {
  let count = 0;
  for await (const part of new Catalogue({ root }).readBooks(ALL)) count += part.length;
  return count;
}

/** Counts the rows of a kind in the segments that a recorder is writing. */
export function rowsOnDisk(catalogue: string, kind: string): number {
  const segments = join(catalogue, 'segments', market);
  if (!existsSync(segments)) return 0;
  return readdirSync(segments)
    .filter((name) => name.startsWith(kind))
    .flatMap((name) => readFileSync(join(segments, name), 'utf8').split('\n').slice(0, -1))
    .filter((line) => line.startsWith('["row"')).length;
}

/** Statistics of a market in which every figure is missing. */
export function emptyStats(symbol: string): MarketStats {
  const prices = { bestSell: null, bestBuy: null, latest: null, mark: null };
  const day = { dayLow: null, dayHigh: null, dayOpen: null, dayClose: null, dayChange: null };
  const volumes = { baseVolume: null, quoteVolume: null };
  return { market: parseMarket(symbol), isClosed: false, closedReason: null, ...prices, ...volumes, ...day };
}
