import { statSync } from 'node:fs';
import Database from 'better-sqlite3';
import { isBusy } from '../../budget/ledger-file.ts';
import { SarrafError } from '../../domain/errors.ts';
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
 * Poll interval of the daemon for commands. With the time to accept one, it stays well below the promised 250
 * ms.
 */
const POLL_EVERY_MS = 100;

/** Maximum number of commands accepted in one poll; the next poll accepts the rest. */
const MOST_AT_ONCE = 20;

/** Maximum wait of a write for an operator's command: longer would hold up the loop. */
const BUSY_TIMEOUT_MS = 50;

/**
 * Maximum wait of commands about current orders and positions. After it they are not executed: the market has
 * moved on. A bot that hangs may be started again days later.
 */
const DONE_WITHIN_MS: Readonly<Partial<Record<ControlCommand['kind'], number>>> = {
  place: 60_000,
  cancel: 600_000,
  close: 600_000,
  position: 600_000,
};

/** Room reserved in the write-ahead log, so that a halt can be posted when the disk is full. */
const SPARE_BYTES = 256 * 1024;

/** A command that the daemon is to carry out. */
export interface ReceivedCommand {
  readonly id: number;
  readonly postedAtMs: number;
  readonly command: ControlCommand;
  /** True if an earlier run had it, and may have executed it. */
  readonly isRepeated: boolean;
}

interface WaitingRow {
  readonly id: number;
  readonly posted_at_ms: number;
  readonly taken_at_ms: number | null;
  readonly command: string;
}

/**
 * The daemon's end of the control database of its data folder. Looking costs a few microseconds while nothing
 * was posted. What it can not write down at once (another process writes, the disk is full) it tries again
 * with the next look: a command is carried out all the same.
 */
export class ControlInbox {
  private readonly dataFolder: string;
  private database: Database.Database;
  private inode: number;
  private readonly nowMs: () => number;
  /** The halt that is kept, so that a file that is made anew has it too. */
  private halt: HaltState | null;
  /** Everything up to this id was taken by this process. */
  private appliedId = 0;
  private version: unknown = null;
  /**
   * The newest of each command's rows that are not written yet, by command: as many as commands are under
   * way.
   */
  private readonly unwritten = new Map<number, () => void>();
  /** The progress that was said last of each command under way. */
  private readonly progressTexts = new Map<number, string>();
  private goneTimes = 0;

  /**
   * Opens it, or makes it, for the one daemon that has the folder's lock. What an earlier daemon did not end
   * is done again, but for what was meant for that run alone. Throws `DATA_UNUSABLE`.
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

  /** The commands posted since the last call, oldest first, each once. */
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
    // A full look may have left some behind: the next one looks again, whatever the version says.
    this.version = rows.length === MOST_AT_ONCE ? null : version;
    this.halt = readHalt(this.database);
    const commands: ReceivedCommand[] = [];
    for (const row of rows) {
      const command = readCommand(row.command);
      const isRepeated = row.taken_at_ms !== null;
      // One that is not marked as taken could be done twice: the next look tries again.
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
   * Looks for commands at its pace until the returned function is called; an error of a look is passed on and
   * does not end it.
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

  /** Says how far a command has come, where that is news; not after its end. */
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

  /** Says how a command ended. One that a later command replaced keeps that as its end. */
  done(id: number, result: ControlResult): void {
    this.progressTexts.delete(id);
    this.write(
      id,
      `UPDATE commands SET taken_at_ms = ifnull(taken_at_ms, @atMs), done_at_ms = @atMs, result = @json
       WHERE id = @id AND done_at_ms IS NULL`,
      { ...result, left: result.left.slice(0, MOST_LEFT_NAMED) },
    );
  }

  /** The halt that holds, to be read at the start, whatever the mirror says; null when none does. */
  isHalted(): HaltState | null {
    return readHalt(this.database);
  }

  /**
   * Writes down a halt that the daemon came to by itself, so that it holds without the mirror too. Throws
   * when it can not be written.
   */
  persistHalt(halt: HaltState): void {
    writeHalt(this.database, halt);
    this.halt = halt;
  }

  /** Milliseconds since a moment, by the clock of the commands. */
  sinceMs(atMs: number): number {
    return this.nowMs() - atMs;
  }

  /** Returns why a command posted at a time is no longer started; null if it is. */
  tooLateText({ kind }: ControlCommand, postedAtMs: number): Sentence | null {
    const waitedMs = this.sinceMs(postedAtMs);
    if (waitedMs <= (DONE_WITHIN_MS[kind] ?? Number.POSITIVE_INFINITY)) return null;
    const waited = lengthText(waitedMs);
    return sentence(kind === 'place' ? 'control-too-late' : 'control-stale', { waited });
  }

  /** True if every report of a command is written. */
  get isWritten(): boolean {
    return this.unwritten.size === 0;
  }

  close(): void {
    this.writeDown();
    this.database.close();
  }

  /**
   * Whoever deletes the file, or puts another in its place, leaves this process with one that nobody else
   * sees: commands would go to the other. What is there now is taken, or made where there is nothing, with
   * the halt that held.
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
    // Reports that waited for commands of the other file.
    this.unwritten.clear();
    this.progressTexts.clear();
    this.makeRoom();
    if (this.halt !== null && readHalt(anew) === null) writeHalt(anew, this.halt);
  }

  private goneError(): SarrafError {
    return new SarrafError(
      'DATA_UNUSABLE',
      `expected the control database at ${controlPath(this.dataFolder)} to stay while the bot runs, it was deleted or replaced. ` +
        'The bot made it again: repeat commands that you gave meanwhile',
    );
  }

  /** Answers whether it is on the disk that a command was taken. */
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
        // Busy, or a full disk: the next look tries again.
        return;
      }
    }
  }

  /** A drain and an acceptance were for a state of things that is gone; a halt or a resume still holds. */
  private endOfEarlierRun(): void {
    const ended: ControlResult = {
      ok: false,
      message: sentence('control-run-ended'),
      left: [],
    };
    this.database
      .prepare(
        `UPDATE commands SET done_at_ms = ?, result = ? WHERE done_at_ms IS NULL
         AND (kind = 'drain' OR (kind = 'accept-balances' AND taken_at_ms IS NOT NULL))`,
      )
      .run(this.nowMs(), JSON.stringify(ended));
  }

  /**
   * Lets the write-ahead log grow once and start anew: it keeps its size while this connection is open. On a
   * full disk there is none to make.
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

/** Null where there is no file. */
function inodeOf(path: string): number | null {
  return statSync(path, { throwIfNoEntry: false })?.ino ?? null;
}

function isFull(error: unknown): boolean {
  return error instanceof Database.SqliteError && error.code === 'SQLITE_FULL';
}

/** An order that closes later than so long after the one before is waited for. */
const LONG_MS = 5_000;

/** Polls the reason the cancels of a halt wait, now and then while no order closes. */
export class CancelWait {
  private readonly venue: Pick<Venue, 'commits' | 'cancelWait'>;
  private readonly ledgerFault: () => string | null;
  private readonly onWait: (why: Sentence) => void;
  private left = -1;
  private polledMs = 0;
  private text: Sentence | undefined;

  /** `onWait` is called with each text. */
  constructor(
    venue: Pick<Venue, 'commits' | 'cancelWait'>,
    of: { readonly ledgerFault?: () => string | null; readonly onWait: (why: Sentence) => void },
  ) {
    this.venue = venue;
    this.ledgerFault = of.ledgerFault ?? (() => null);
    this.onWait = of.onWait;
  }

  /** While so many orders are left; undefined where none is waited for long. */
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

/** A cancel has a commit of the ledger, one of the mirror, and part of one that others make. */
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
