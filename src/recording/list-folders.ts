import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseFolder, refuseUnknownCandles, type FolderKey } from './folder-key.ts';

/**
 * The folders of a catalogue, by market and kind, whatever state they are in. Throws `DATA_UNUSABLE` where a
 * market has candles in a folder that names no timeframe.
 */
export function listFolders(root: string): readonly FolderKey[] {
  return folders(root).flatMap((market) => {
    refuseUnknownCandles(root, market);
    return folders(join(root, market)).flatMap((name) => parseFolder(market, name) ?? []);
  });
}

function folders(path: string): string[] {
  if (!existsSync(path)) return [];
  return readdirSync(path, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .toSorted();
}
