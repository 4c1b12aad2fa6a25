import { existsSync } from 'node:fs';
import { copyDatabase } from '../copy-database.ts';
import { controlPath, openControlFile } from '../control-file.ts';

/** Maximum wait of the copy for another process that writes. */
const LOCK_WAIT_MS = 2_000;

/**
 * Copies the control database of a data folder, with the halt that holds and what waits for the next start.
 * What was meant for the state of things of then is left out: an acceptance of the books, and a cancel or
 * a close that was not done, which would sell weeks later, and what was said of a position. Answers whether
 * there is one. Throws `DATA_UNUSABLE` where it can not be read.
 */
export function copyControlFile(dataFolder: string, to: string): boolean {
  if (!existsSync(controlPath(dataFolder))) return false;
  const change = `DELETE FROM commands WHERE kind IN ('drain', 'accept-balances')
    OR (kind IN ('cancel', 'close', 'position') AND done_at_ms IS NULL)`;
  copyDatabase(openControlFile(dataFolder, LOCK_WAIT_MS), to, change);
  return true;
}
