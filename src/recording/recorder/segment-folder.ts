import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { SarrafError } from '../../domain/errors.ts';
import type { MarketSymbol } from '../../domain/market-symbol.ts';
import { parseMarket } from '../../exchange/market-names.ts';
import type { TakeLock } from '../append-rows.ts';
import type { Segment } from '../read-segment.ts';
import { segmentKind } from './segment-writer.ts';

/** The folder of the catalogue in which segments lie: it has no market's name. */
const SEGMENTS = 'segments';

/** Folder of the segments of one market, for one process at a time. */
export interface SegmentFolder {
  readonly market: MarketSymbol;
  readonly path: string;
  /** Segments that are complete, oldest first for each kind. */
  segments(): readonly Segment[];
  release(): void;
}

/**
 * Takes the folder of a market. Throws `DATA_UNUSABLE` when another process records the market into this
 * catalogue.
 */
export function takeSegmentFolder(root: string, market: MarketSymbol, takeLock: TakeLock): SegmentFolder {
  const path = join(root, SEGMENTS, market);
  mkdirSync(path, { recursive: true });
  const lock = takeLock(join(path, '.lock'));
  return {
    market,
    path,
    segments: () =>
      readdirSync(path)
        .toSorted()
        .flatMap((name) => {
          const kind = segmentKind(name);
          return kind === null ? [] : [{ path: join(path, name), kind, market }];
        }),
    release: () => lock.release(),
  };
}

/** Takes the folders of all other markets in which a process that is no more has left segments. */
export function takeLeftFolders(
  root: string,
  others: ReadonlySet<MarketSymbol>,
  takeLock: TakeLock,
): readonly SegmentFolder[] {
  const folder = join(root, SEGMENTS);
  if (!existsSync(folder)) return [];
  return readdirSync(folder).flatMap((name) => {
    const market = marketNamed(name);
    const isLeft = market !== null && !others.has(market) && readdirSync(join(folder, name)).some(isSegment);
    if (!isLeft) return [];
    try {
      return [takeSegmentFolder(root, market, takeLock)];
    } catch (error) {
      // Its recorder is alive.
      if (error instanceof SarrafError && error.code === 'DATA_UNUSABLE') return [];
      throw error;
    }
  });
}

function isSegment(name: string): boolean {
  return segmentKind(name) !== null;
}

function marketNamed(name: string): MarketSymbol | null {
  try {
    const { symbol } = parseMarket(name);
    return symbol === name ? symbol : null;
  } catch {
    return null;
  }
}
