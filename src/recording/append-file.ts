import { closeSync, fdatasync, fdatasyncSync, openSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { syncFolder } from './durable-file.ts';

/**
 * Size limit of the buffer for the next write; at this size it is written at once, so there is never more.
 */
const MOST_BUFFERED_BYTES = 256 * 1024;

/** Has something done after a time, of the wall's; what it answers takes that back. */
export type After = (delayMs: number, work: () => void) => () => void;

/** The machine's timers, which keep no process alive. */
export const afterOnMachine: After = (delayMs, work) => {
  const timer = setTimeout(work, delayMs).unref();
  return () => clearTimeout(timer);
};

interface AppendFileOptions {
  /** Of a file that is not there yet. */
  readonly path: string;
  readonly after: After;
  /** Longest time until appended data is on the disk, and the shortest between two syncs. */
  readonly syncEveryMs: number;
  /** Called once when the disk takes no more. What was appended before may be on it or not. */
  readonly onError: (error: unknown) => void;
}

/**
 * A file that only grows, and what was appended to it is on the disk soon, whatever becomes of the process.
 * It writes without waiting, as a page of the system's memory takes it at once; putting that on the disk
 * happens beside everything else, once at a time.
 */
export class AppendFile {
  readonly path: string;
  /** Bytes that were appended. */
  bytes = 0;
  private readonly options: AppendFileOptions;
  private readonly file: number;
  private buffered: Buffer[] = [];
  private bufferedBytes = 0;
  private unsyncedBytes = 0;
  private cancelSync: (() => void) | null = null;
  private syncing: Promise<void> | null = null;
  private hasFailed = false;

  /** Throws where the file can not be made, and where it is there. */
  constructor(options: AppendFileOptions) {
    this.options = options;
    this.path = options.path;
    this.file = openSync(options.path, 'wx');
    syncFolder(dirname(options.path));
  }

  append(data: Buffer): void {
    if (this.hasFailed) return;
    this.buffered.push(data);
    this.bufferedBytes += data.length;
    this.bytes += data.length;
    if (this.bufferedBytes >= MOST_BUFFERED_BYTES) this.write();
    this.syncLater();
  }

  /** Hands what waits to the system, which keeps it whatever becomes of this process. */
  flush(): void {
    this.write();
  }

  /** Puts everything on the disk and closes the file. Throws where that fails. */
  async close(): Promise<void> {
    this.cancelSync?.();
    await this.syncing;
    try {
      this.write();
      if (!this.hasFailed) fdatasyncSync(this.file);
    } finally {
      this.hasFailed = true;
      closeSync(this.file);
    }
  }

  private syncLater(): void {
    if (this.cancelSync !== null || this.syncing !== null || this.hasFailed) return;
    this.cancelSync = this.options.after(this.options.syncEveryMs, () => {
      this.cancelSync = null;
      this.syncing = this.sync();
    });
  }

  private async sync(): Promise<void> {
    try {
      this.write();
      this.unsyncedBytes = 0;
      await promisify(fdatasync)(this.file);
    } catch (error) {
      this.fail(error);
    }
    this.syncing = null;
    if (this.unsyncedBytes + this.bufferedBytes > 0) this.syncLater();
  }

  private write(): void {
    if (this.bufferedBytes === 0 || this.hasFailed) return;
    const data = Buffer.concat(this.buffered);
    this.buffered = [];
    this.bufferedBytes = 0;
    try {
      for (let written = 0; written < data.length;) written += writeSync(this.file, data, written);
      this.unsyncedBytes += data.length;
    } catch (error) {
      this.fail(error);
    }
  }

  private fail(error: unknown): void {
    if (this.hasFailed) return;
    this.hasFailed = true;
    this.buffered = [];
    this.bufferedBytes = 0;
    this.options.onError(error);
  }
}
