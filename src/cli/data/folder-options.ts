import type { Resolution } from '../../domain/candle.ts';
import type { MarketSymbol } from '../../domain/market-symbol.ts';
import type { FolderKey, RecordKind } from '../../recording/folder-key.ts';
import { wrongInput } from '../command-error.ts';

/** Options that name one folder of the catalogue. */
export interface FolderOptions {
  readonly market: MarketSymbol;
  readonly kind: RecordKind;
  readonly resolution?: Resolution;
}

export const RECORD_KINDS: readonly RecordKind[] = ['candles', 'trades', 'books', 'stats'];

/** The folder that options name. */
export function folderOf({ market, kind, resolution }: FolderOptions): FolderKey {
  if (kind !== 'candles') return { market, kind };
  if (resolution === undefined) throw wrongInput('expected --resolution for candles, such as --resolution 1h');
  return { market, kind, resolution };
}
