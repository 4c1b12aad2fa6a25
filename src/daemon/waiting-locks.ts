import type { LockCommand } from '../engine/engine-event.ts';
import { waitingCommands } from './waiting-commands.ts';

/** Locks and unlocks that no bot has taken yet, oldest first: those that the next start takes. */
export function waitingLocks(dataFolder: string): readonly LockCommand[] {
  return waitingCommands(dataFolder, ['lock', 'unlock']).map(({ command }) => command);
}
