import { statSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { invalidOptions, dataUnusable } from '../domain/errors.ts';
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

/** Maximum number of signals among the waiting commands. */
const MOST_SIGNALS_WAITING = 50;

/**
 * Maximum number of completed commands that are stored for viewing; older ones are deleted when a command is
 * posted.
 */
const MOST_RETAINED = 500;

/** Longest wait of a write for another process, in ms. */
const BUSY_TIMEOUT_MS = 2_000;

/** Interval of polls for a posted command, in ms. */
const POLL_INTERVAL_MS = 100;

/** Current state of a command. */
export interface PostedCommand {
  readonly id: number;
  readonly takenAtMs: number | null;
  readonly progress: ControlProgress | null;
  /** Result of the command; null until it has ended. */
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
  /** Returns true to stop following, as after a time limit or if the daemon is gone. Called before a poll. */
  readonly isOver: (state: PostedCommand) => boolean;
  /** Called when the state has changed. */
  readonly onChange?: (state: PostedCommand) => void;
}

const SUPERSEDED: ControlResult = { ok: false, message: sentence('control-replaced'), left: [] };

/** The operator's side of the control database of a data folder: posts commands and follows them. */
export class ControlClient {
  private readonly database: Database.Database;
  private readonly nowMs: () => number;

  private readonly path: string;
  private readonly inode: number | null;

  /** Opens the database, or creates it. Throws `DATA_UNUSABLE`. */
  constructor(dataFolder: string, nowMs: () => number = Date.now) {
    this.database = openControlFile(dataFolder, BUSY_TIMEOUT_MS);
    this.path = controlPath(dataFolder);
    this.inode = this.inodeNow();
    this.nowMs = nowMs;
  }

  /**
   * Stores a command and returns its id. From then on a halt holds for every daemon that starts, until a
   * resume ends it; either replaces an earlier one that is not done. A command with the key of an earlier one
   * is not stored again: the earlier id is returned. `key`: for a command that has none in itself. Throws
   * `DATA_UNUSABLE` if too many commands wait or the file cannot be written, and `INVALID_OPTIONS` for the
   * key of a different command.
   */
  post(command: ControlCommand, otherKey: string | null = null): number {
    const problem = command.kind === 'signal' ? payloadSizeProblem(command.payload) : null;
    if (problem !== null) throw invalidOptions(problem);
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
      // At most one of these waits, so they are never refused, however many others wait.
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
      throw dataUnusable(
        `expected to write a command to ${this.database.name}: ${error.message}. A daemon that runs can be ended with SIGTERM, which needs no file`,
        { cause: error },
      );
    }
  }

  /** Returns the state of a command; null if there is none with that id. */
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

  /** Returns the state of the command with a key; null if there is none. */
  find(key: string): PostedCommand | null {
    const row = this.rowOf(key);
    return row === undefined ? null : this.read(row.id);
  }

  /** Polls a command until it is done or `isOver` returns true, and returns its state then. */
  async follow(options: FollowOptions): Promise<PostedCommand> {
    for (let seen = ''; ; await setTimeout(POLL_INTERVAL_MS)) {
      if (this.inodeNow() !== this.inode) {
        throw dataUnusable(
          `expected ${this.path} to stay, it was deleted or replaced: whether the bot has the command is not known. Give it again`,
        );
      }
      const state = this.read(options.id);
      if (state === null) {
        throw dataUnusable(`expected command ${options.id} in ${this.database.name}, found it deleted`);
      }
      const text = JSON.stringify(state);
      if (text !== seen) options.onChange?.(state);
      seen = text;
      if (state.result !== null || options.isOver(state)) return state;
    }
  }

  /** Withdraws a command that no daemon has accepted; returns true if it did. */
  withdraw(id: number, result: ControlResult): boolean {
    const { changes } = this.database
      .prepare(
        `UPDATE commands SET done_at_ms = ?, result = ?
         WHERE id = ? AND taken_at_ms IS NULL AND done_at_ms IS NULL`,
      )
      .run(this.nowMs(), JSON.stringify(result), id);
    return changes === 1;
  }

  /** Deletes a command that nobody may ask for again, such as a dry run whose result was read. */
  forget(id: number): void {
    this.database.prepare('DELETE FROM commands WHERE id = ?').run(id);
  }

  /** Ends a command without a daemon, when none runs to do it. */
  finish(id: number, result: ControlResult): void {
    this.database
      .prepare('UPDATE commands SET done_at_ms = ?, result = ? WHERE id = ? AND done_at_ms IS NULL')
      .run(this.nowMs(), JSON.stringify(result), id);
  }

  /** Returns the halt that holds; null if none does. */
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
    throw invalidOptions(
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

  /** Throws if too many commands wait. Signals have their own limit: they must not use all the space. */
  private refuseTooMany(kind: ControlCommand['kind']): void {
    const { waiting } = this.database
      .prepare<[string | null], { readonly waiting: number }>(
        'SELECT count(*) AS waiting FROM commands WHERE done_at_ms IS NULL AND kind = ifnull(?, kind)',
      )
      .get(kind === 'signal' ? kind : null) ?? { waiting: 0 };
    const most = kind === 'signal' ? MOST_SIGNALS_WAITING : MOST_WAITING;
    if (waiting >= most) {
      throw dataUnusable(
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

/** True if a command is a stored signal sent again. Its time and its sender may differ. */
function isSameSignal(stored: string, command: ControlCommand): boolean {
  if (command.kind !== 'signal') return false;
  const before = readCommand(stored);
  return before?.kind === 'signal' && payloadText(before) === payloadText(command);
}

function payloadText({ payload }: SignalCommand): string {
  return JSON.stringify(payload);
}

/** Removes the end from a lock's text: the same lock for two hours, given again, ends a moment later. */
function withoutEnd(command: string): string {
  return command.replace(/"untilMs":\d+,?/, '');
}
