import { statSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { SarrafError } from '../domain/errors.ts';
import { sentence } from '../language/sentence.ts';
import type { ControlCommand, SignalCommand } from '../engine/engine-event.ts';
import { payloadSizeProblem } from '../engine/signal-record.ts';
import {
  keyOfCommand,
  readCommand,
  readProgress,
  readResult,
  type ControlProgress,
  type ControlResult,
} from './control-command.ts';
import { controlPath, openControlFile, readHalt, writeHalt, type HaltState } from './control-file.ts';

/**
 * Maximum number of commands waiting for a daemon; one more is refused, since nothing seems to accept them.
 */
const MOST_WAITING = 100;

/** Maximum number of signals among these. */
const MOST_SIGNALS_WAITING = 50;

/** Maximum number of completed commands stored for viewing; older ones are deleted when one is posted. */
const MOST_RETAINED = 500;

/** Maximum wait of a write for another process. */
const BUSY_TIMEOUT_MS = 2_000;

/** Poll interval for a posted command. */
const POLL_INTERVAL_MS = 100;

/** The present state of a command. */
export interface PostedCommand {
  readonly id: number;
  readonly takenAtMs: number | null;
  readonly progress: ControlProgress | null;
  /** Result; null until it has ended. */
  readonly result: ControlResult | null;
}

interface CommandRow {
  readonly taken_at_ms: number | null;
  readonly progress: string | null;
  readonly done_at_ms: number | null;
  readonly result: string | null;
}

interface FollowOptions {
  readonly id: number;
  /** Gives up when the time is reached, or the daemon is gone. Asked before each look. */
  readonly isOver: (state: PostedCommand) => boolean;
  /** Called when something changed. */
  readonly onChange?: (state: PostedCommand) => void;
}

const SUPERSEDED: ControlResult = { ok: false, message: sentence('control-replaced'), left: [] };

/** The operator's end of the control database of a data folder: posts commands and follows them. */
export class ControlClient {
  private readonly database: Database.Database;
  private readonly nowMs: () => number;

  private readonly path: string;
  private readonly inode: number | null;

  /** Opens it, or makes it. Throws `DATA_UNUSABLE`. */
  constructor(dataFolder: string, nowMs: () => number = Date.now) {
    this.database = openControlFile(dataFolder, BUSY_TIMEOUT_MS);
    this.path = controlPath(dataFolder);
    this.inode = this.inodeNow();
    this.nowMs = nowMs;
  }

  /**
   * Writes a command down and returns its id. A halt holds, and a resume ends it, from this moment on for
   * every daemon that begins; either takes the place of an earlier one that is not done. A command with the
   * key of an earlier one is that one, and is not written again. Throws `DATA_UNUSABLE` when too many others
   * wait or the file can not be written to, and `INVALID_OPTIONS` for the key of another command. `key`: that
   * of a command that has none in itself.
   */
  post(command: ControlCommand, otherKey: string | null = null): number {
    const problem = command.kind === 'signal' ? payloadSizeProblem(command.payload) : null;
    if (problem !== null) throw new SarrafError('INVALID_OPTIONS', problem);
    const work = (): number => {
      const atMs = this.nowMs();
      const key = keyOfCommand(command) ?? otherKey;
      const known = key === null ? null : this.idOf(key, command);
      if (known !== null) return known;
      if (command.kind === 'halt') {
        writeHalt(this.database, {
          sinceMs: atMs,
          reason: command.reason,
          wholeAccount: command.wholeAccount,
        });
      }
      if (command.kind === 'resume') writeHalt(this.database, null);
      // Of these one waits at most, so that however many others wait, they are never refused.
      if (command.kind === 'halt' || command.kind === 'resume') this.supersede(atMs);
      else this.refuseTooMany(command.kind);
      this.deleteOld();
      const { lastInsertRowid } = this.database
        .prepare('INSERT INTO commands (posted_at_ms, kind, command, key) VALUES (?, ?, ?, ?)')
        .run(atMs, command.kind, JSON.stringify(command), key);
      return Number(lastInsertRowid);
    };
    try {
      return this.database.transaction(work).immediate();
    } catch (error) {
      if (!(error instanceof Database.SqliteError)) throw error;
      throw new SarrafError(
        'DATA_UNUSABLE',
        `expected to write a command to ${this.database.name}: ${error.message}. A daemon that runs can be ended with SIGTERM, which needs no file`,
        { cause: error },
      );
    }
  }

  /** The state of a command; null where there is none of that id. */
  read(id: number): PostedCommand | null {
    const row = this.database
      .prepare<[number], CommandRow>(
        'SELECT taken_at_ms, progress, done_at_ms, result FROM commands WHERE id = ?',
      )
      .get(id);
    if (row === undefined) return null;
    const unreadable: ControlResult = { ok: false, message: sentence('control-unreadable'), left: [] };
    return {
      id,
      takenAtMs: row.taken_at_ms,
      progress: readProgress(row.progress),
      result: row.done_at_ms === null ? null : (readResult(row.result) ?? unreadable),
    };
  }

  /** The state of the command that has a key; null where none has it. */
  find(key: string): PostedCommand | null {
    const row = this.rowOf(key);
    return row === undefined ? null : this.read(row.id);
  }

  /** Looks at a command until it is done or `isOver` says so, and returns its state then. */
  async follow(options: FollowOptions): Promise<PostedCommand> {
    for (let seen = ''; ; await setTimeout(POLL_INTERVAL_MS)) {
      if (this.inodeNow() !== this.inode) {
        throw new SarrafError(
          'DATA_UNUSABLE',
          `expected ${this.path} to stay, it was deleted or replaced: whether the bot has the command is not known. Give it again`,
        );
      }
      const state = this.read(options.id);
      if (state === null) {
        throw new SarrafError(
          'DATA_UNUSABLE',
          `expected command ${options.id} in ${this.database.name}, found it deleted`,
        );
      }
      const text = JSON.stringify(state);
      if (text !== seen) options.onChange?.(state);
      seen = text;
      if (state.result !== null || options.isOver(state)) return state;
    }
  }

  /** Takes back a command that no daemon has taken; answers whether that was so. */
  withdraw(id: number, result: ControlResult): boolean {
    const { changes } = this.database
      .prepare(
        `UPDATE commands SET done_at_ms = ?, result = ?
         WHERE id = ? AND taken_at_ms IS NULL AND done_at_ms IS NULL`,
      )
      .run(this.nowMs(), JSON.stringify(result), id);
    return changes === 1;
  }

  /** Ends a command here, where no daemon lives to do it. */
  finish(id: number, result: ControlResult): void {
    this.database
      .prepare('UPDATE commands SET done_at_ms = ?, result = ? WHERE id = ? AND done_at_ms IS NULL')
      .run(this.nowMs(), JSON.stringify(result), id);
  }

  /** The halt that holds; null when none does. */
  isHalted(): HaltState | null {
    return readHalt(this.database);
  }

  private inodeNow(): number | null {
    return statSync(this.path, { throwIfNoEntry: false })?.ino ?? null;
  }

  close(): void {
    this.database.close();
  }

  [Symbol.dispose](): void {
    this.close();
  }

  private idOf(key: string, command: ControlCommand): number | null {
    const row = this.rowOf(key);
    if (row === undefined) return null;
    const isSame = withoutEnd(row.command) === withoutEnd(JSON.stringify(command));
    if (isSame || isSameSignal(row.command, command)) return row.id;
    throw new SarrafError(
      'INVALID_OPTIONS',
      `expected the key ${key} for one command alone, it is that of ${row.command}: give this one another key`,
    );
  }

  private rowOf(key: string): { readonly id: number; readonly command: string } | undefined {
    return this.database
      .prepare<[string], { readonly id: number; readonly command: string }>(
        'SELECT id, command FROM commands WHERE key = ?',
      )
      .get(key);
  }

  private supersede(atMs: number): void {
    this.database
      .prepare(
        `UPDATE commands SET done_at_ms = ?, result = ?
         WHERE done_at_ms IS NULL AND kind IN ('halt', 'resume')`,
      )
      .run(atMs, JSON.stringify(SUPERSEDED));
  }

  /** Signals are of many senders, and never take all the room. */
  private refuseTooMany(kind: ControlCommand['kind']): void {
    const { waiting } = this.database
      .prepare<[string | null], { readonly waiting: number }>(
        'SELECT count(*) AS waiting FROM commands WHERE done_at_ms IS NULL AND kind = ifnull(?, kind)',
      )
      .get(kind === 'signal' ? kind : null) ?? { waiting: 0 };
    const most = kind === 'signal' ? MOST_SIGNALS_WAITING : MOST_WAITING;
    if (waiting >= most) {
      throw new SarrafError(
        'DATA_UNUSABLE',
        `expected at most ${most} commands that wait in ${this.database.name}: no daemon takes them; start it, or move the file away while none runs`,
      );
    }
  }

  private deleteOld(): void {
    this.database
      .prepare(
        `DELETE FROM commands WHERE id IN
         (SELECT id FROM commands WHERE done_at_ms IS NOT NULL ORDER BY id DESC LIMIT -1 OFFSET ?)`,
      )
      .run(MOST_RETAINED);
  }
}

/** A sender that says a signal again may say another time, or come in by another way. */
function isSameSignal(stored: string, command: ControlCommand): boolean {
  if (command.kind !== 'signal') return false;
  const before = readCommand(stored);
  return before?.kind === 'signal' && payloadText(before) === payloadText(command);
}

function payloadText({ payload }: SignalCommand): string {
  return JSON.stringify(payload);
}

/** A lock that is given again for two hours ends a moment later than the first, and is the same. */
function withoutEnd(command: string): string {
  return command.replace(/"untilMs":\d+,?/, '');
}
