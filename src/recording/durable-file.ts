import { createHash } from 'node:crypto';
import {
  closeSync,
  fsyncSync,
  openSync,
  renameSync,
  writeSync,
  existsSync,
  mkdirSync,
  fdatasync,
  fdatasyncSync,
} from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

/** Puts a file's content on the disk. */
export function syncFile(path: string): void {
  const file = openSync(path, 'r+');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** Puts the names in a folder on the disk, so that a file that was renamed there is there after a crash. */
export function syncFolder(path: string): void {
  const folder = openSync(path, 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}

/** Replaces a file by a text: after a crash it is the old one or the new one, whole. */
export function replaceFile(path: string, text: string): void {
  const draft = `${path}.tmp`;
  const file = openSync(draft, 'w');
  try {
    writeSync(file, text);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(draft, path);
  syncFolder(dirname(path));
}

/** Bytes of a file that are read at a time. */
const CHECKED_BYTES = 262_144;

/** SHA-256 of a file, as hexadecimal digits. */
export async function checksum(path: string): Promise<string> {
  const hash = createHash('sha256');
  // One buffer for all: a stream makes new ones faster than they are collected.
  const buffer = Buffer.allocUnsafe(CHECKED_BYTES);
  await using file = await open(path);
  for (;;) {
    const { bytesRead } = await file.read(buffer);
    if (bytesRead === 0) return hash.digest('hex');
    hash.update(buffer.subarray(0, bytesRead));
  }
}

/** Folder of DuckDB for data that does not fit into memory, below the folder that is written to. */
export const SPILL_FOLDER = '.spill';

/**
 * Moves those of the files that are there into a folder of their own, which is made. Answers the folder; null
 * where none of them was there.
 */
export function moveAside(paths: readonly string[], folder: string): string | null {
  const there = paths.filter((path) => existsSync(path));
  if (there.length === 0) return null;
  mkdirSync(folder, { mode: 0o700 });
  for (const path of there) renameSync(path, join(folder, path.slice(dirname(path).length + 1)));
  syncFolder(folder);
  return folder;
}

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
