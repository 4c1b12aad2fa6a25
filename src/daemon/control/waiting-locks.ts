import type { LockCommand } from '../../engine/engine-event.ts';
import { readCommand } from './control-command.ts';
import { openControlReadOnly } from './control-file.ts';

/** How long a look waits for another process. */
const LOCK_WAIT_MS = 2_000;

/**
 * Locks and unlocks that no bot has taken yet, oldest first: those that the next start takes. None where
 * there is no control database. Throws `DATA_UNUSABLE` where it can not be read.
 */
export function waitingLocks(dataFolder: string): readonly LockCommand[] {
  const database = openControlReadOnly(dataFolder, LOCK_WAIT_MS);
  if (database === null) return [];
  try {
    return database
      .prepare<[], { readonly command: string }>(
        `SELECT command FROM commands WHERE done_at_ms IS NULL AND kind IN ('lock', 'unlock') ORDER BY id`,
      )
      .all()
      .flatMap((row) => {
        const command = readCommand(row.command);
        return command?.kind === 'lock' || command?.kind === 'unlock' ? [command] : [];
      });
  } finally {
    database.close();
  }
}
