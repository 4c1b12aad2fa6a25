import type { ControlCommand, LockCommand } from '../engine/engine-event.ts';
import { readCommand, readProgress } from './control-command.ts';
import { openControlReadOnly } from './control-file.ts';
import type { Sentence } from '../language/sentence.ts';

/** Maximum wait of a read for another process. */
const BUSY_TIMEOUT_MS = 2_000;

/** A command that is not done. */
export interface WaitingCommand<Command> {
  readonly command: Command;
  readonly postedAtMs: number;
  /** True if a bot has accepted it; that bot may have ended since. */
  readonly isApplied: boolean;
}

interface WaitingRow {
  readonly command: string;
  readonly posted_at_ms: number;
  readonly taken_at_ms: number | null;
}

/**
 * Commands of some kinds that are not done, oldest first. None where there is no control database. Throws
 * `DATA_UNUSABLE` where it can not be read.
 */
export function waitingCommands<Kind extends ControlCommand['kind']>(
  dataFolder: string,
  kinds: readonly Kind[],
): readonly WaitingCommand<Extract<ControlCommand, { readonly kind: Kind }>>[] {
  const database = openControlReadOnly(dataFolder, BUSY_TIMEOUT_MS);
  if (database === null) return [];
  type Command = Extract<ControlCommand, { readonly kind: Kind }>;
  const isWanted = (command: ControlCommand | null): command is Command =>
    kinds.some((kind) => kind === command?.kind);
  try {
    return database
      .prepare<[string], WaitingRow>(
        `SELECT command, posted_at_ms, taken_at_ms FROM commands
         WHERE done_at_ms IS NULL AND kind IN (SELECT value FROM json_each(?)) ORDER BY id`,
      )
      .all(JSON.stringify(kinds))
      .flatMap((row) => {
        const command = readCommand(row.command);
        return isWanted(command)
          ? [{ command, postedAtMs: row.posted_at_ms, isApplied: row.taken_at_ms !== null }]
          : [];
      });
  } finally {
    database.close();
  }
}

/** Returns why the cancels of a running halt wait, in a sentence; null if they do not wait long. */
export function readHaltWait(dataFolder: string): Sentence | null {
  let database: ReturnType<typeof openControlReadOnly> = null;
  try {
    database = openControlReadOnly(dataFolder, BUSY_TIMEOUT_MS);
    const row = database
      ?.prepare<[], { readonly progress: string | null }>(
        "SELECT progress FROM commands WHERE kind = 'halt' AND done_at_ms IS NULL ORDER BY id DESC LIMIT 1",
      )
      .get();
    return readProgress(row?.progress ?? null)?.waitsFor ?? null;
  } catch {
    // Somebody writes; the next look has it.
    return null;
  } finally {
    database?.close();
  }
}

/** Locks and unlocks that no bot has taken yet, oldest first: those that the next start takes. */
export function waitingLocks(dataFolder: string): readonly LockCommand[] {
  return waitingCommands(dataFolder, ['lock', 'unlock']).map(({ command }) => command);
}
