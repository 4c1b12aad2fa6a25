import { createHash, randomFillSync } from 'node:crypto';
import { statSync, closeSync, openSync, readSync, rmSync, statfsSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import type Database from 'better-sqlite3';
import { disposable } from '../domain/closing.ts';
import { messageOf, SarrafError, dataUnusable } from '../domain/errors.ts';
import type { MirrorChange, MirrorState } from '../engine/mirror-change.ts';
import { checkMirror } from './check-mirror.ts';
import { ChangeWriter, PendingChanges, type TimedChange, loadState } from './change-writer.ts';
import { Identity } from './identity.ts';
import { FIRST_VENUE } from './mirror-path.ts';
import { makeFolderOf, openMirrorFile, PATIENT_MS } from './mirror-file.ts';
import { Pruner, checkRetention, type RetentionLimits } from './pruner.ts';
import { readSeries, readSeriesNames, type FigureValue, type SeriesRange } from './read-series.ts';
import {
  GoneMirror,
  isFullDisk,
  isHeldByOther,
  openingFailed,
  sqliteCode,
  writeAdvice,
  WriteLock,
} from './unusable.ts';

/** Time the first blocked write waits for another process, in ms: a longer wait would stop the main loop. */
const FIRST_WAIT_MS = 250;

export interface MirrorStoreOptions {
  readonly path: string;
  /** Name of the venue whose data it stores; the default is `service`. */
  readonly venue?: string;
  readonly retention: RetentionLimits;
  readonly nowMs: number;
  /** Returns a random epoch of four of [a-z0-9]; called when a mirror is made or was restored from a copy. */
  readonly epoch: () => string;
  /**
   * `off` lets the system decide when a commit reaches the disk: for runs in virtual time, whose simulated
   * crashes are not those of a machine.
   */
  readonly durability: 'full' | 'off';
  /** Called when the disk was full and the reserve file was deleted to make room for a durable write. */
  readonly onRelief?: (message: string) => void;
}

/**
 * Commits after which the log is checkpointed between two steps, and flushes after which a deleted reserve
 * file is made again.
 */
const COMMITS_A_CHECKPOINT = 100;
const FLUSHES_A_RESERVE_FILE = 60;

/**
 * Stores the bot's decisions, actions and observations in one SQLite file with one writer; others can read it
 * meanwhile. Durable changes are on the disk when `apply` returns. Other changes are collected and written
 * with the next durable ones, at a bound of their number, or with `flush`; a crash loses those not yet
 * written. Changes are never written out of order.
 */
export class MirrorStore {
  readonly path: string;
  private readonly database: Database.Database;
  private readonly lock: WriteLock;
  private readonly identity: Identity;
  private readonly mark: ProgressMark;
  private readonly reserveFile: ReserveFile;
  private readonly writer: ChangeWriter;
  private readonly pruner: Pruner;
  private readonly pending = new PendingChanges();
  private readonly probe: Database.Statement<[string]>;
  private readonly lastSeq: Database.Statement<[], number>;
  private readonly openedAtMs: number;
  private readonly onRelief: (message: string) => void;
  /** Time of the last change: the mirror has no other clock. */
  private nowMs: number;
  private writable = true;
  /** Error of the last failed write, while the mirror is not writable. */
  private failure: unknown = null;
  /** Error of a write that another process blocked, until a write succeeds. */
  private heldBy: unknown = null;
  private isRelieved = false;
  /** Inode of its file; null for runs in virtual time, whose files nobody touches. */
  private readonly inode: number | null;
  private commits = 0;
  private flushes = 0;

  private constructor(options: MirrorStoreOptions, parts: { lock: WriteLock; database: Database.Database }) {
    const { path, nowMs } = options;
    const { database } = parts;
    this.path = path;
    this.openedAtMs = nowMs;
    this.onRelief = options.onRelief ?? (() => undefined);
    this.nowMs = nowMs;
    this.database = database;
    this.lock = parts.lock;
    this.identity = new Identity(database, options.epoch);
    this.writer = new ChangeWriter(database);
    this.pruner = new Pruner(database, options.retention);
    this.probe = database.prepare("INSERT OR REPLACE INTO meta VALUES ('probe', ?)");
    this.lastSeq = database.prepare<[], number>('SELECT ifnull(max(seq), 0) FROM journal').pluck();
    this.reserveFile = new ReserveFile(path);
    this.mark = new ProgressMark(path);
    database
      .transaction(() => {
        this.identity.claimVenue(options.venue ?? FIRST_VENUE);
        this.identity.settle(this.mark.found);
      })
      .immediate();
    this.reserveFile.fill();
    this.inode = options.durability === 'full' ? statSync(path).ino : null;
    this.waitForOthers(FIRST_WAIT_MS);
  }

  /**
   * Opens or makes the mirror and migrates it. Throws `DATA_UNUSABLE`, with advice and nothing changed, if it
   * is another program's, of a newer version, damaged, held by another bot, or not writable;
   * `INVALID_OPTIONS` for a retention out of bounds.
   */
  static open(options: MirrorStoreOptions): MirrorStore {
    checkRetention(options.retention);
    makeFolderOf(options.path);
    const lock = WriteLock.acquire(options.path);
    let database: Database.Database | null = null;
    try {
      database = openMirrorFile(options.path, options.durability);
      return new MirrorStore(options, { lock, database });
    } catch (error) {
      database?.close();
      lock.release();
      throw openingFailed(options.path, error);
    }
  }

  get epoch(): string {
    return this.identity.epoch;
  }

  /** Returns the stored data of this mirror's account; null before any. */
  account(): string | null {
    return this.identity.account;
  }

  /** Stores the account's data at once. Throws `DATA_UNUSABLE` if it can not be written. */
  persistAccount(text: string): void {
    try {
      this.identity.persistAccount(text);
    } catch (error) {
      throw this.cannotWrite(error, isFullDisk(error));
    }
  }

  /**
   * Writes all of these changes or none, after those given before. Throws `DATA_UNUSABLE` if that fails, with
   * `isFull` in the details if the disk is full; the changes of this call are then not written, and the
   * caller keeps them to try again.
   */
  apply(
    changes: readonly MirrorChange[],
    options: { readonly atMs: number; readonly isDurable: boolean },
  ): void {
    const { atMs, isDurable } = options;
    this.nowMs = atMs;
    const timed = changes.map((change): TimedChange => ({ change, atMs }));
    if (isDurable) {
      this.commitSurely(timed);
      return;
    }
    if (!this.pending.add(timed, { isStuck: !this.writable })) throw this.cannotWrite(null, true);
    if (this.pending.isLarge && this.writable) this.tryToCommit({ prune: false });
  }

  /**
   * Writes the collected changes and does a little housekeeping. The caller does so about once a second,
   * between two steps. A full disk is no error here.
   */
  flush(): void {
    this.flushes += 1;
    if (!this.writable || this.pending.size > 0 || this.pruner.isDue) this.tryToCommit({ prune: true });
    this.mark.write(this.lastSeq.get() ?? 0);
    if (this.commits >= COMMITS_A_CHECKPOINT) {
      this.commits = 0;
      this.database.pragma('wal_checkpoint(PASSIVE)');
    }
    if (!this.writable) return;
    // Orders wait for it.
    if (this.isRelieved || this.flushes % FLUSHES_A_RESERVE_FILE === 0) this.reserveFile.fill();
    if (this.isRelieved) this.isRelieved = !this.reserveFile.isThere;
  }

  /**
   * True if the disk was full and writes use the room reserved for cancels, until there is room for the
   * reserve file again.
   */
  isRunningOut(): boolean {
    return this.isRelieved;
  }

  /**
   * Returns the reason that the mirror can not be written now, for people; null while it can. Each flush
   * tries again.
   */
  writeFault(): string | null {
    if (this.writable) return null;
    if (isFullDisk(this.failure)) return 'the disk is full';
    return isHeldByOther(this.failure) ? 'another program holds the file' : messageOf(this.failure);
  }

  /** Returns the values of a series that the engine wrote, as `MirrorReader.figures` does. */
  figures(name: string, range: SeriesRange): readonly FigureValue[] {
    return readSeries(this.database, name, range);
  }

  figureNames(prefix: string): readonly string[] {
    return readSeriesNames(this.database, prefix);
  }

  /** Returns the size of its file and its log together; null if the file does not exist. */
  bytes(): number | null {
    const main = statSync(this.path, { throwIfNoEntry: false });
    const log = statSync(`${this.path}-wal`, { throwIfNoEntry: false });
    return main === undefined ? null : main.size + (log?.size ?? 0);
  }

  /** Returns the data for a restart. Throws `DATA_UNUSABLE` if a row of it is damaged. */
  load(): MirrorState {
    this.flush();
    checkMirror(this.database);
    return loadState(this.database, { epoch: this.epoch, nowMs: this.openedAtMs });
  }

  /** Returns the SHA-256 in hex of all lines of the journal, in order: equal journals have equal hashes. */
  journalHash(): string {
    this.flush();
    const hash = createHash('sha256');
    const lines = this.database.prepare<[], unknown[]>(
      'SELECT seq, at_ms, kind, subject, json FROM journal ORDER BY seq',
    );
    for (const line of lines.raw().iterate()) hash.update(`${JSON.stringify(line)}\n`);
    return hash.digest('hex');
  }

  /**
   * Writes the collected changes and closes the file. Throws `DATA_UNUSABLE` if something is lost because
   * another process holds the file all the time.
   */
  close(): void {
    this.waitForOthers(PATIENT_MS);
    try {
      this.flush();
      const isLost = this.heldBy !== null || this.failure instanceof GoneMirror;
      if (!this.writable && isLost && this.pending.size > 0) throw this.cannotWrite(this.failure, false);
    } finally {
      this.abandon();
    }
  }

  /** Closes the file as a sudden end of the process would leave it: the collected changes are lost. */
  abandon(): void {
    this.mark.close();
    this.database.close();
    this.lock.release();
  }

  /** Commits changes; on a full disk it deletes the reserve file and tries once more. */
  private commitSurely(changes: readonly TimedChange[]): void {
    try {
      this.commit(changes, { prune: false });
    } catch (error) {
      this.noteFailure(error);
      if (!isFullDisk(error)) throw this.cannotWrite(error, false);
      if (!this.reserveFile.release()) throw this.cannotWrite(error, true);
      this.isRelieved = true;
      try {
        this.commitAfterRelief(changes);
      } finally {
        this.onRelief(
          `the disk of ${this.path} is full: what was kept back for that was given up, and lasts for cancels only; no orders are placed until there is room again`,
        );
      }
    }
  }

  /** Commits again with the room of the reserve file, which is not for changes that can be read again. */
  private commitAfterRelief(changes: readonly TimedChange[]): void {
    this.pending.dropReadable();
    try {
      this.commit(changes, { prune: false });
    } catch (error) {
      throw this.cannotWrite(error, isFullDisk(error));
    }
  }

  /**
   * Commits what is collected. A full disk, a locked file and a missing file are no errors here: the changes
   * wait for the next attempt, and the reserve file is left for durable changes.
   */
  private tryToCommit(options: { readonly prune: boolean }): void {
    try {
      this.commit([], options);
    } catch (error) {
      this.noteFailure(error);
      const isTransient = isFullDisk(error) || isHeldByOther(error) || error instanceof GoneMirror;
      if (!isTransient) throw this.cannotWrite(error, false);
    }
  }

  /**
   * Notes a failed write. The first write that another process blocks waits for it; the next ones do not, or
   * the main loop would stand still.
   */
  private noteFailure(error: unknown): void {
    this.writable = false;
    this.failure = error;
    if (!isHeldByOther(error)) return;
    this.heldBy = error;
    this.waitForOthers(0);
  }

  private waitForOthers(waitMs: number): void {
    this.database.pragma(`busy_timeout = ${waitMs}`);
  }

  /** True if the file was removed or replaced: SQLite would go on writing to a file that nobody finds. */
  private isGone(): boolean {
    return this.inode !== null && statSync(this.path, { throwIfNoEntry: false })?.ino !== this.inode;
  }

  private commit(changes: readonly TimedChange[], options: { readonly prune: boolean }): void {
    if (this.isGone()) throw new GoneMirror();
    const wasWritable = this.writable;
    const pruned = this.database
      .transaction(() => {
        for (const { change, atMs } of this.pending.all) this.writer.write(change, atMs);
        for (const { change, atMs } of changes) this.writer.write(change, atMs);
        if (!wasWritable) this.probe.run(String(this.nowMs));
        return options.prune ? this.pruner.step(this.nowMs) : null;
      })
      .immediate();
    this.writable = true;
    if (this.heldBy !== null) this.waitForOthers(FIRST_WAIT_MS);
    this.heldBy = null;
    this.commits += 1;
    pruned?.done();
    for (const { change } of this.pending.all) this.pruner.note(change);
    for (const { change } of changes) this.pruner.note(change);
    this.pending.clear();
  }

  private cannotWrite(cause: unknown, isFull: boolean): SarrafError {
    const found = cause === null ? 'more to write than may wait' : messageOf(cause);
    return dataUnusable(
      `expected to be able to write ${this.path}, found ${found}: ${writeAdvice(cause, isFull)}`,
      {
        cause,
        details: { path: this.path, isFull, sqliteCode: sqliteCode(cause) },
      },
    );
  }
}

const DIGITS = 16;

/**
 * Progress of the journal, in a small file beside the mirror. A mirror that is behind its mark was restored
 * from a copy, even if the copy was written over the same file. The mark is written now and then and never
 * forced to the disk, so it may lag; a copy can then stay unnoticed.
 */
class ProgressMark {
  private readonly file: number;
  private written: number;
  /** Value in the file when it was opened: 0 without a file, infinity if it can not be read. */
  readonly found: number;

  constructor(mirrorPath: string) {
    this.file = openSync(`${mirrorPath}.mark`, 'a+', 0o600);
    closeSync(this.file);
    this.file = openSync(`${mirrorPath}.mark`, 'r+');
    const bytes = Buffer.alloc(DIGITS);
    const text = bytes.toString('latin1', 0, readSync(this.file, bytes, 0, DIGITS, 0));
    this.found = text === '' ? 0 : /^\d{16}$/.test(text) ? Number(text) : Number.POSITIVE_INFINITY;
    this.written = this.found;
  }

  /** Writes the number of the last journal line. If the disk refuses it, the old mark stays. */
  write(seq: number): void {
    if (seq === this.written) return;
    try {
      writeSync(this.file, String(seq).padStart(DIGITS, '0'), 0, 'latin1');
      this.written = seq;
    } catch {
      // Only the detection of copies gets less exact.
    }
  }

  close(): void {
    closeSync(this.file);
  }
}

/** Enough bytes for the cancels and the last reconciliation of a bot that stops on a full disk. */
const RESERVE_FILE_BYTES = 8 * 1_048_576;
const CHUNK_BYTES = 1_048_576;

/** Multiple of its size that must be free before it is made, so that it never fills a disk itself. */
const ROOM_FACTOR = 4;

/** Free bytes that the disk of a mirror needs, so that its reserve file can be made. */
export const RESERVE_FILE_ROOM_BYTES = RESERVE_FILE_BYTES * ROOM_FACTOR;

/** A file that reserves disk space: on a full disk it is deleted, and its space is written to. */
class ReserveFile {
  private readonly path: string;

  constructor(mirrorPath: string) {
    this.path = `${mirrorPath}.ballast`;
  }

  get isThere(): boolean {
    return statSync(this.path, { throwIfNoEntry: false })?.size === RESERVE_FILE_BYTES;
  }

  /** Makes the file if there is room. A lack of room is no error. */
  fill(): void {
    if (this.isThere) return;
    try {
      const { bavail, bsize } = statfsSync(dirname(this.path));
      if (bavail * bsize < RESERVE_FILE_ROOM_BYTES) return;
      this.write();
    } catch {
      rmSync(this.path, { force: true });
    }
  }

  /** Deletes the file; returns true if it existed. */
  release(): boolean {
    const wasThere = this.isThere;
    rmSync(this.path, { force: true });
    return wasThere;
  }

  /** Writes noise, since some file systems store zeros without using any room. */
  private write(): void {
    const chunk = randomFillSync(Buffer.alloc(CHUNK_BYTES));
    using file = disposable(openSync(this.path, 'w', 0o600), closeSync);
    for (let written = 0; written < RESERVE_FILE_BYTES; written += CHUNK_BYTES) writeSync(file.value, chunk);
  }
}
