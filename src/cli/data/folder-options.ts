import type { MarketSymbol } from '../../domain/market-symbol.ts';
import type { Timeframe } from '../../domain/timeframe.ts';
import type { FolderKey, RecordKind } from '../../recording/folder-key.ts';
import { wrongInput } from '../command-error.ts';

/** Options that name one folder of the catalogue. */
export interface FolderOptions {
  readonly market: MarketSymbol;
  readonly kind: RecordKind;
  readonly timeframe?: Timeframe;
}

export const RECORD_KINDS: readonly RecordKind[] = ['candles', 'trades', 'books', 'stats'];

/** The folder that options name. */
export function folderOf({ market, kind, timeframe }: FolderOptions): FolderKey {
  if (kind !== 'candles') return { market, kind };
  if (timeframe === undefined) throw wrongInput('expected --timeframe for candles, such as --timeframe 1h');
  return { market, kind, timeframe };
}
