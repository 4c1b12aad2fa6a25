import { join } from 'node:path';
import { RESOLUTIONS, type Resolution } from '../domain/candle.ts';
import { parseMarket, type MarketSymbol } from '../domain/market-symbol.ts';

/** What a folder of the catalogue holds. */
export type RecordKind = 'candles' | 'trades' | 'books' | 'stats';

/** One folder of the catalogue: a market and a kind, and for candles their resolution. */
export type FolderKey =
  | { readonly market: MarketSymbol; readonly kind: 'candles'; readonly resolution: Resolution }
  | { readonly market: MarketSymbol; readonly kind: 'trades' | 'books' | 'stats' };

/** The folder's own name below that of its market: `candles-60`, `trades`. */
export function folderName(key: FolderKey): string {
  return key.kind === 'candles' ? `candles-${key.resolution}` : key.kind;
}

/** Market and kind for people: `BTCIRT candles-60`. */
export function folderTitle(key: FolderKey): string {
  return `${key.market} ${folderName(key)}`;
}

/** Where the folder is below the catalogue's root. */
export function folderPath(root: string, key: FolderKey): string {
  return join(root, key.market, folderName(key));
}

/** The folder that two names stand for; null where they are none of the catalogue's. */
export function parseFolder(market: string, name: string): FolderKey | null {
  const symbol = symbolOf(market);
  if (symbol === null) return null;
  if (name === 'trades' || name === 'books' || name === 'stats') return { market: symbol, kind: name };
  const resolution = RESOLUTIONS.find((known) => name === `candles-${known}`);
  return resolution === undefined ? null : { market: symbol, kind: 'candles', resolution };
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
