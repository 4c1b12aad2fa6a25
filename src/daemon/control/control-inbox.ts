import { statSync } from 'node:fs';
import Database from 'better-sqlite3';
import { isBusy } from '../../budget/ledger-file.ts';
import { SarrafError, dataUnusable } from '../../domain/errors.ts';
import { lengthText } from '../../domain/time-text.ts';
import { sentence, type Sentence } from '../../language/sentence.ts';
import type { ControlCommand } from '../../engine/engine-event.ts';
import {
  MOST_LEFT_NAMED,
  readCommand,
  type ControlProgress,
  type ControlResult,
} from '../control-command.ts';
import { controlPath, openControlFile, readHalt, writeHalt, type HaltState } from '../control-file.ts';
import type { QueueWait } from '../../budget/budget-queue.ts';
import type { Venue } from '../../venues/venue.ts';

/**
 * Interval of the daemon's polls for commands, in ms. With the time to accept one, it is well below the
 * promised 250 ms.
 */
const POLL_EVERY_MS = 100;

/** Maximum number of commands that are accepted in one poll; the next poll accepts the rest. */
const MOST_AT_ONCE = 20;

/** Longest wait of a write for an operator's process, in ms: a longer one would block the loop. */
const BUSY_TIMEOUT_MS = 50;

/**
 * Longest wait of commands about current orders and positions, in ms. After it they are not executed: the
 * market has moved on. A bot that hangs may be started again days later.
 */
const DONE_WITHIN_MS: Readonly<Partial<Record<ControlCommand['kind'], number>>> = {
  place: 60_000,
  approve: 60_000,
  decline: 600_000,
  cancel: 600_000,
  close: 600_000,
  position: 600_000,
  reload: 60_000,
  promote: 60_000,
};

/** Bytes reserved in the write-ahead log, so that a halt can be posted when the disk is full. */
const SPARE_BYTES = 256 * 1024;

/** A command that the daemon must execute. */
export interface ReceivedCommand {
  readonly id: number;
  readonly postedAtMs: number;
  readonly command: ControlCommand;
  /** True if an earlier run accepted it, and may have executed it. */
  readonly isRepeated: boolean;
}

interface WaitingRow {
  readonly id: number;
  readonly posted_at_ms: number;
  readonly taken_at_ms: number | null;
  readonly command: string;
}

/**
 * The daemon's side of the control database of its data folder. A poll costs a few microseconds while nothing
 * was posted. A write that fails (another process writes, the disk is full) is tried again at the next poll;
 * the command is executed all the same.
 */
export class ControlInbox {
  private readonly dataFolder: string;
  private database: Database.Database;
  private inode: number;
  private readonly nowMs: () => number;
  /** The halt that holds, so that a file that is created anew has it too. */
  private halt: HaltState | null;
  /** Highest id of the commands that this process has accepted. */
  private appliedId = 0;
  private version: unknown = null;
  /** Newest unwritten row of each command, by command id: at most as many as commands are running. */
  private readonly unwritten = new Map<number, () => void>();
  /** Last reported progress of each running command. */
  private readonly progressTexts = new Map<number, string>();
  private goneTimes = 0;

  /**
   * Opens or creates the database, for the one daemon that has the folder's lock. Commands that an earlier
   * daemon did not finish are executed again, except those meant for that run alone. Throws `DATA_UNUSABLE`.
   */
  constructor(dataFolder: string, nowMs: () => number = Date.now) {
    this.dataFolder = dataFolder;
    this.database = openControlFile(dataFolder, BUSY_TIMEOUT_MS);
    this.inode = statSync(controlPath(dataFolder)).ino;
    this.nowMs = nowMs;
    this.endOfEarlierRun();
    this.makeRoom();
    this.halt = readHalt(this.database);
  }

  /** Returns the commands posted since the last call, oldest first, each once. */
  poll(): readonly ReceivedCommand[] {
    this.openAnewIfGone();
    this.writeDown();
    const version = this.database.pragma('data_version', { simple: true });
    if (version === this.version) return [];
    const rows = this.database
      .prepare<[number, number], WaitingRow>(
        'SELECT id, posted_at_ms, taken_at_ms, command FROM commands WHERE id > ? AND done_at_ms IS NULL ORDER BY id LIMIT ?',
      )
      .all(this.appliedId, MOST_AT_ONCE);
    // A full poll may have left some behind: the next poll reads again, even without a new version.
    this.version = rows.length === MOST_AT_ONCE ? null : version;
    this.halt = readHalt(this.database);
    const commands: ReceivedCommand[] = [];
    for (const row of rows) {
      const command = readCommand(row.command);
      const isRepeated = row.taken_at_ms !== null;
      // A command that is not marked as accepted could be executed twice: the next poll tries again.
      if (command?.kind === 'place' && !isRepeated && !this.markApplied(row.id)) {
        this.version = null;
        break;
      }
      this.appliedId = row.id;
      if (command === null) {
        this.done(row.id, {
          ok: false,
          message: sentence('control-unknown'),
          left: [],
        });
        continue;
      }
      const tooLate = isRepeated ? null : this.tooLateText(command, row.posted_at_ms);
      if (tooLate !== null) {
        this.done(row.id, { ok: false, message: tooLate, left: [] });
        continue;
      }
      this.write(row.id, 'UPDATE commands SET taken_at_ms = @atMs WHERE id = @id', null);
      commands.push({ id: row.id, postedAtMs: row.posted_at_ms, command, isRepeated });
    }
    return commands;
  }

  /**
   * Polls for commands at its interval until the returned function is called. An error of a poll is passed to
   * `onError`, and polling goes on.
   */
  listen(onCommand: (command: ReceivedCommand) => void, onError: (error: unknown) => void): () => void {
    let goneTimes = this.goneTimes;
    const poll = (): void => {
      try {
        const commands = this.poll();
        if (this.goneTimes > goneTimes) onError(this.goneError());
        ({ goneTimes } = this);
        for (const command of commands) onCommand(command);
      } catch (error) {
        if (!isBusy(error)) onError(error);
      }
    };
    const timer = setInterval(poll, POLL_EVERY_MS);
    return () => clearInterval(timer);
  }

  /** Stores a command's progress if it has changed; does nothing after the command's end. */
  progress(id: number, progress: ControlProgress): void {
    const text = JSON.stringify(progress);
    if (this.progressTexts.get(id) === text) return;
    this.progressTexts.set(id, text);
    this.write(
      id,
      'UPDATE commands SET taken_at_ms = ifnull(taken_at_ms, @atMs), progress = @json WHERE id = @id AND done_at_ms IS NULL',
      progress,
    );
  }

  /** Stores a command's result. A command that a later one replaced keeps the result that says so. */
  done(id: number, result: ControlResult): void {
    this.progressTexts.delete(id);
    this.write(
      id,
      `UPDATE commands SET taken_at_ms = ifnull(taken_at_ms, @atMs), done_at_ms = @atMs, result = @json
       WHERE id = @id AND done_at_ms IS NULL`,
      { ...result, left: result.left.slice(0, MOST_LEFT_NAMED) },
    );
  }

  /** Returns the halt that holds, to be read at the start whatever the mirror says; null if none does. */
  isHalted(): HaltState | null {
    return readHalt(this.database);
  }

  /** Returns the time since a moment, in ms, by the clock of the commands. */
  sinceMs(atMs: number): number {
    return this.nowMs() - atMs;
  }

  /** Returns why a command posted at a time is no longer started; null if it is still started. */
  tooLateText({ kind }: ControlCommand, postedAtMs: number): Sentence | null {
    const waitedMs = this.sinceMs(postedAtMs);
    if (waitedMs <= (DONE_WITHIN_MS[kind] ?? Number.POSITIVE_INFINITY)) return null;
    const waited = lengthText(waitedMs);
    return sentence(kind === 'place' ? 'control-too-late' : 'control-stale', { waited });
  }

  /** True if every report about commands is written. */
  get isWritten(): boolean {
    return this.unwritten.size === 0;
  }

  close(): void {
    this.writeDown();
    this.database.close();
  }

  /**
   * Opens the file again if it was deleted or replaced: the open one would be seen by nobody else, and
   * commands would go to the new one. A missing file is created. The halt that held is stored in it.
   */
  private openAnewIfGone(): void {
    if (inodeOf(controlPath(this.dataFolder)) === this.inode) return;
    const anew = openControlFile(this.dataFolder, BUSY_TIMEOUT_MS);
    this.database.close();
    this.database = anew;
    this.inode = statSync(controlPath(this.dataFolder)).ino;
    this.goneTimes += 1;
    this.appliedId = 0;
    this.version = null;
    // Unwritten reports are about commands in the other file.
    this.unwritten.clear();
    this.progressTexts.clear();
    this.makeRoom();
    if (this.halt !== null && readHalt(anew) === null) writeHalt(anew, this.halt);
  }

  private goneError(): SarrafError {
    return dataUnusable(
      `expected the control database at ${controlPath(this.dataFolder)} to stay while the bot runs, it was deleted or replaced. ` +
        'The bot made it again: repeat commands that you gave meanwhile',
    );
  }

  /** Marks a command as accepted; returns true if this is on the disk. */
  private markApplied(id: number): boolean {
    try {
      this.database.prepare('UPDATE commands SET taken_at_ms = ? WHERE id = ?').run(this.nowMs(), id);
      return true;
    } catch {
      // Busy, or a full disk.
      return false;
    }
  }

  private write(id: number, sql: string, value: unknown): void {
    const row = { id, atMs: this.nowMs(), ...(value === null ? {} : { json: JSON.stringify(value) }) };
    this.unwritten.set(id, () => this.database.prepare(sql).run(row));
    this.writeDown();
  }

  private writeDown(): void {
    for (const [id, work] of this.unwritten) {
      try {
        work();
        this.unwritten.delete(id);
      } catch {
        // Busy, or a full disk: the next poll tries again.
        return;
      }
    }
  }

  /** Ends commands of an earlier run that were for a past situation, such as a drain or a reload. */
  private endOfEarlierRun(): void {
    const ended: ControlResult = {
      ok: false,
      message: sentence('control-run-ended'),
      left: [],
    };
    this.database
      .prepare(
        `UPDATE commands SET done_at_ms = ?, result = ? WHERE done_at_ms IS NULL
         AND (kind IN ('drain', 'reload', 'promote') OR (kind = 'accept-balances' AND taken_at_ms IS NOT NULL))`,
      )
      .run(this.nowMs(), JSON.stringify(ended));
  }

  /**
   * Lets the write-ahead log grow once and start again: it keeps its size while this connection is open. On a
   * full disk this does nothing.
   */
  private makeRoom(): void {
    this.database.pragma(`journal_size_limit = ${SPARE_BYTES * 4}`);
    try {
      this.database.exec(`INSERT INTO room VALUES (zeroblob(${SPARE_BYTES})); DELETE FROM room`);
      this.database.pragma('wal_checkpoint(RESTART)');
    } catch (error) {
      if (!isBusy(error) && !isFull(error)) throw error;
    }
  }
}

/** Returns the inode of a file; null if there is no file. */
function inodeOf(path: string): number | null {
  return statSync(path, { throwIfNoEntry: false })?.ino ?? null;
}

function isFull(error: unknown): boolean {
  return error instanceof Database.SqliteError && error.code === 'SQLITE_FULL';
}

/** Time without a closed order after which the wait counts as long, in ms. */
const LONG_MS = 5_000;

/** Polls the reason why the cancels of a halt wait, while no order closes. */
export class CancelWait {
  private readonly venue: Pick<Venue, 'commits' | 'cancelWait'>;
  private readonly ledgerFault: () => string | null;
  private readonly onWait: (why: Sentence) => void;
  private left = -1;
  private polledMs = 0;
  private text: Sentence | undefined;

  /** `onWait` is called with the text at each poll that finds a reason. */
  constructor(
    venue: Pick<Venue, 'commits' | 'cancelWait'>,
    of: { readonly ledgerFault?: () => string | null; readonly onWait: (why: Sentence) => void },
  ) {
    this.venue = venue;
    this.ledgerFault = of.ledgerFault ?? (() => null);
    this.onWait = of.onWait;
  }

  /** Notes that `left` orders are open. Returns why they wait; undefined while the wait is short. */
  update(left: number, nowMs: number): Sentence | undefined {
    if (left !== this.left) {
      this.left = left;
      this.polledMs = nowMs;
      this.text = undefined;
    }
    if (nowMs - this.polledMs < LONG_MS) return this.text;
    this.polledMs = nowMs;
    const { cancelWait, commits } = this.venue;
    const wait = cancelWait?.() ?? null;
    const longestCommitMs = commits?.longestMs ?? 0;
    this.text =
      wait === null ? undefined : cancelWaitText(wait, { ledgerFault: this.ledgerFault(), longestCommitMs });
    if (this.text !== undefined) this.onWait(this.text);
    return this.text;
  }
}

/** Commits that one cancel waits for: one of the ledger, one of the mirror, and part of one of others. */
const COMMITS_A_CANCEL = 3;

/**
 * Describes why cancels wait, in a sentence. `ledgerFault`: why the ledger gives no slot; null if it does.
 */
export function cancelWaitText(
  { waiting, inFlight, heldBy, forMs }: QueueWait,
  of: { readonly ledgerFault: string | null; readonly longestCommitMs: number },
): Sentence {
  if (waiting === 0) return sentence('cancels-wait-answers', { count: inFlight });
  const wait = lengthText(forMs);
  if (heldBy === 'locked out') return sentence('cancels-wait-lockout', { count: waiting, wait });
  if (heldBy === 'credential refused') return sentence('cancels-wait-credential', { count: waiting });
  if (of.ledgerFault !== null)
    return sentence('cancels-wait-ledger', { count: waiting, reason: of.ledgerFault });
  if (heldBy === 'full') return sentence('cancels-wait-limit', { count: waiting, wait });
  return sentence('cancels-wait-turn', { count: waiting, took: lengthText(of.longestCommitMs) });
}

/** Returns why the end of a run could not cancel the open orders on this disk; null if it could. */
export function slowDiskFault(
  { commits }: Pick<Venue, 'commits'>,
  of: { readonly openOrders: number; readonly withinMs: number },
): Sentence | null {
  const { openOrders, withinMs } = of;
  const longestMs = commits?.longestMs ?? 0;
  if (longestMs * COMMITS_A_CANCEL * openOrders <= withinMs) return null;
  return sentence('disk-slow', {
    took: lengthText(longestMs),
    orders: openOrders,
    within: lengthText(withinMs),
  });
}
