import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { SarrafError } from '../domain/errors.ts';
import type { MarketSymbol } from '../domain/market-symbol.ts';
import { parseMarket } from '../exchange/market-names.ts';
import { TIMEFRAMES, type Timeframe } from '../domain/timeframe.ts';

/** Kind of the records in a folder of the catalogue. */
export type RecordKind = 'candles' | 'trades' | 'books' | 'stats';

/** One folder of the catalogue: a market and a kind, and for candles their timeframe. */
export type FolderKey =
  | { readonly market: MarketSymbol; readonly kind: 'candles'; readonly timeframe: Timeframe }
  | { readonly market: MarketSymbol; readonly kind: 'trades' | 'books' | 'stats' };

/** The folder's own name below that of its market: `candles-1h`, `trades`. */
export function folderName(key: FolderKey): string {
  return key.kind === 'candles' ? `candles-${key.timeframe}` : key.kind;
}

/** Market and kind for people: `BTCIRT candles-1h`. */
export function folderTitle(key: FolderKey): string {
  return `${key.market} ${folderName(key)}`;
}

/** Returns the path of the folder below the catalogue's root. */
export function folderPath(root: string, key: FolderKey): string {
  return join(root, key.market, folderName(key));
}

/** The folder that two names stand for; null where they are none of the catalogue's. */
export function parseFolder(market: string, name: string): FolderKey | null {
  const symbol = symbolOf(market);
  if (symbol === null) return null;
  if (name === 'trades' || name === 'books' || name === 'stats') return { market: symbol, kind: name };
  const timeframe = TIMEFRAMES.find((known) => name === `candles-${known}`);
  return timeframe === undefined ? null : { market: symbol, kind: 'candles', timeframe };
}

/**
 * Throws `DATA_UNUSABLE` where a market has candles in a folder that names no timeframe: they could not be
 * found.
 */
export function refuseUnknownCandles(root: string, market: string): void {
  const path = join(root, market);
  if (!existsSync(path)) return;
  const unknown = readdirSync(path).find(
    (name) => name.startsWith('candles-') && parseFolder(market, name) === null,
  );
  if (unknown === undefined) return;
  throw new SarrafError(
    'DATA_UNUSABLE',
    `expected folders of candles named by a timeframe, such as candles-1h, found ${join(path, unknown)}: ` +
      'the catalogue is of an older version. Move it away, and import again',
  );
}

/** Only the one spelling that folders have: another would be a second folder of one market. */
function symbolOf(name: string): MarketSymbol | null {
  try {
    const { symbol } = parseMarket(name);
    return symbol === name ? symbol : null;
  } catch {
    return null;
  }
}
