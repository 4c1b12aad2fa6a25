import { createHash } from 'node:crypto';
import { statSync, closeSync, openSync, readSync, writeSync } from 'node:fs';
import type Database from 'better-sqlite3';
import { messageOf, SarrafError } from '../domain/errors.ts';
import type { MirrorChange, MirrorState } from '../engine/mirror-change.ts';
import { ReserveFile } from './reserve-file.ts';
import { checkMirror } from './check-mirror.ts';
import { ChangeWriter, PendingChanges, type TimedChange, loadState } from './change-writer.ts';
import { Identity } from './identity.ts';
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

/** Time a write waits for another process that writes to the file: beyond it the loop would stand still. */
const FIRST_WAIT_MS = 250;

export interface MirrorStoreOptions {
  readonly path: string;
  readonly retention: RetentionLimits;
  readonly nowMs: number;
  /**
   * Gives a random mark of four of [a-z0-9]; called when a mirror is made, and when it was put back from a
   * copy.
   */
  readonly epoch: () => string;
  /**
   * `off` leaves to the system when a commit reaches the disk: for runs in virtual time, whose crashes are
   * not those of a machine.
   */
  readonly durability: 'full' | 'off';
  /** Called when the disk was full and the reserve file was deleted for what had to be written. */
  readonly onRelief?: (message: string) => void;
}

/**
 * Commits after which the log is checkpointed between two steps, and flushes after which a freed reserve file
 * is made again.
 */
const COMMITS_A_CHECKPOINT = 100;
const FLUSHES_A_RESERVE_FILE = 60;

/**
 * Stores the bot's decisions, actions and observations in one SQLite file with one writer; others can read it
 * meanwhile. Changes that have to be durable are on the disk when `apply` returns. The rest is gathered and
 * written with the next durable ones, or when it has grown to a bound, or with `flush`; what is gathered is
 * lost in a crash. Nothing is ever written out of order.
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
  /** The time of the last change: the mirror has no other clock. */
  private nowMs: number;
  private writable = true;
  /** Reason the last attempt to write failed, while it is not writable. */
  private failure: unknown = null;
  /** The error of a write that met another process, until one succeeds. */
  private heldBy: unknown = null;
  private isRelieved = false;
  /** Of its file; null for runs in virtual time, whose files nobody touches. */
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
    database.transaction(() => this.identity.settle(this.mark.found)).immediate();
    this.reserveFile.fill();
    this.inode = options.durability === 'full' ? statSync(path).ino : null;
    this.waitForOthers(FIRST_WAIT_MS);
  }

  /**
   * Opens the mirror, or makes it, and brings it up to date. Throws `DATA_UNUSABLE`, with what to do and
   * nothing changed, when it is another program's, of a newer version, damaged, held by another bot, or can
   * not be written; `INVALID_OPTIONS` for a retention out of bounds.
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

  /** Keeps it, at once. Throws `DATA_UNUSABLE` where it can not be written. */
  persistAccount(text: string): void {
    try {
      this.identity.persistAccount(text);
    } catch (error) {
      throw this.cannotWrite(error, isFullDisk(error));
    }
  }

  /**
   * Writes changes, all or none, after everything that was given before. Throws `DATA_UNUSABLE` when that can
   * not be done, with `isFull` in the details where the disk is the reason; the changes of this call are then
   * not written and the caller keeps them to try again.
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
   * Writes what was gathered and does a little housekeeping. To be called about once a second, between two
   * steps. A full disk is no error here.
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
   * True if the disk was full and writes use the room that was reserved for cancels. Ends once there is room
   * for the reserve file again.
   */
  isRunningOut(): boolean {
    return this.isRelieved;
  }

  /**
   * True if the last attempt to write succeeded; a mirror that could not be written is tried again with every
   * flush.
   */
  isWritable(): boolean {
    return this.writable;
  }

  /** Returns the reason it can not be written to now, for people; null while it can. */
  writeFault(): string | null {
    if (this.writable) return null;
    if (isFullDisk(this.failure)) return 'the disk is full';
    return isHeldByOther(this.failure) ? 'another program holds the file' : messageOf(this.failure);
  }

  /** Values of a series that the engine wrote, as `MirrorReader.figures` has them. */
  figures(name: string, range: SeriesRange): readonly FigureValue[] {
    return readSeries(this.database, name, range);
  }

  figureNames(prefix: string): readonly string[] {
    return readSeriesNames(this.database, prefix);
  }

  /** The size of its file and of its log of changes; null while the file can not be found. */
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

  /** Draws a new epoch, for a mirror that its owner has restored from a copy. */
  renewEpoch(): void {
    this.database.transaction(() => this.identity.renew()).immediate();
  }

  /**
   * SHA-256 of every line that the journal has, in order, in hexadecimal: equal journals have equal hashes.
   */
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
   * Writes what was gathered and gives the file back. Throws `DATA_UNUSABLE` where another process holds it
   * all the time, so that something is lost.
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

  /** Gives the file back as a process would leave it that ends now: what was gathered is lost. */
  abandon(): void {
    this.mark.close();
    this.database.close();
    this.lock.release();
  }

  /** On a full disk the reserve file is freed and everything tried once more. */
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

  /** The freed room is for these changes, not for what can be read again. */
  private commitAfterRelief(changes: readonly TimedChange[]): void {
    this.pending.dropReadable();
    try {
      this.commit(changes, { prune: false });
    } catch (error) {
      throw this.cannotWrite(error, isFullDisk(error));
    }
  }

  /**
   * A full disk, a file that another process locks and one that is gone are no errors here: the gathered
   * changes wait for the next attempt, and the reserve file is left for durable changes.
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
   * The first write that meets another process waits for it; as long as that goes on, the others do not, or
   * the loop would stand still.
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

  /** SQLite would write on into a file that nobody finds any more. */
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
    return new SarrafError(
      'DATA_UNUSABLE',
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
 * forced to the disk, so it may lag; then a copy may stay unnoticed.
 */
class ProgressMark {
  private readonly file: number;
  private written: number;
  /** Value in the file when it was opened: 0 without a file, infinity for one that can not be read. */
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

  /** Notes the last line of the journal. A disk that does not take it leaves the old mark. */
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
