import { createHash } from 'node:crypto';
import { disposable } from '../domain/closing.ts';
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
  writeFileSync,
  rmSync,
} from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { finished } from 'node:stream/promises';
import { promisify } from 'node:util';
import { constants, createGzip } from 'node:zlib';

/** Flushes an open file to the disk. Node's permissions, under which the lab runs strategies, refuse it. */
export function flushOpen(descriptor: number): void {
  if (process.permission === undefined) fsyncSync(descriptor);
}

/** Flushes a file's content to the disk. */
export function syncFile(path: string): void {
  using file = disposable(openSync(path, 'r+'), closeSync);
  flushOpen(file.value);
}

/** Flushes the names in a folder to the disk, so that a rename there survives a crash. */
export function syncFolder(path: string): void {
  using folder = disposable(openSync(path, 'r'), closeSync);
  flushOpen(folder.value);
}

/** Replaces a file by a text; after a crash it has either the old or the new content, complete. */
export function replaceFile(path: string, text: string): void {
  const draft = `${path}.tmp`;
  writeFileSync(draft, text, { flush: true });
  renameSync(draft, path);
  syncFolder(dirname(path));
}

/** Bytes that are read at a time for a checksum. */
const CHECKED_BYTES = 262_144;

/** Returns the SHA-256 of a file in hexadecimal. */
export async function checksum(path: string): Promise<string> {
  const hash = createHash('sha256');
  // One buffer is reused: a stream creates new ones faster than they are collected.
  const buffer = Buffer.allocUnsafe(CHECKED_BYTES);
  await using file = await open(path);
  for (;;) {
    const { bytesRead } = await file.read(buffer);
    if (bytesRead === 0) return hash.digest('hex');
    hash.update(buffer.subarray(0, bytesRead));
  }
}

/** Folder in which DuckDB stores data that does not fit into memory, below the folder that is written to. */
export const SPILL_FOLDER = '.spill';

/** Moves the existing files of a list into a new folder and returns the folder; null if there are none. */
export function moveAside(paths: readonly string[], folder: string): string | null {
  const there = paths.filter((path) => existsSync(path));
  if (there.length === 0) return null;
  mkdirSync(folder, { mode: 0o700 });
  for (const path of there) renameSync(path, join(folder, path.slice(dirname(path).length + 1)));
  syncFolder(folder);
  return folder;
}

/** Size of the buffer at which it is written at once, in bytes; it is never larger. */
const MOST_BUFFERED_BYTES = 256 * 1024;

/** Runs work after a delay in real ms; the returned function cancels it. */
export type After = (delayMs: number, work: () => void) => () => void;

/** Timers of the machine, which do not keep the process alive. */
export const afterOnMachine: After = (delayMs, work) => {
  const timer = setTimeout(work, delayMs).unref();
  return () => clearTimeout(timer);
};

interface AppendFileOptions {
  /** Path of a file that must not exist yet. */
  readonly path: string;
  readonly after: After;
  /** Longest time until appended data is on the disk, and shortest time between two syncs, in ms. */
  readonly syncEveryMs: number;
  /** Called once when writing fails. Data appended before may or may not be on the disk. */
  readonly onError: (error: unknown) => void;
}

/**
 * File for appending whose data is soon on the disk, even if the process crashes. Writes are synchronous,
 * since they only fill system memory; the sync to the disk runs in the background, one at a time.
 */
export class AppendFile {
  readonly path: string;
  /** Bytes appended so far. */
  bytes = 0;
  private readonly options: AppendFileOptions;
  private readonly file: number;
  private buffered: Buffer[] = [];
  private bufferedBytes = 0;
  private unsyncedBytes = 0;
  private cancelSync: (() => void) | null = null;
  private syncing: Promise<void> | null = null;
  private hasFailed = false;

  /** Throws if the file cannot be created or already exists. */
  constructor(options: AppendFileOptions) {
    this.options = options;
    this.path = options.path;
    this.file = openSync(options.path, 'wx');
    syncFolder(dirname(options.path));
  }

  append(text: string | Buffer): void {
    if (this.hasFailed) return;
    const data = typeof text === 'string' ? Buffer.from(text) : text;
    this.buffered.push(data);
    this.bufferedBytes += data.length;
    this.bytes += data.length;
    if (this.bufferedBytes >= MOST_BUFFERED_BYTES) this.write();
    this.syncLater();
  }

  /** Passes buffered data to the operating system, which keeps it even if this process crashes. */
  flush(): void {
    this.write();
  }

  /** Flushes everything to the disk and closes the file. Throws if that fails. */
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

/** Maximum number of bytes that wait to be compressed: a machine that is slower stores nothing more. */
const MOST_WAITING_BYTES = 32_000_000;

/**
 * File of lines as one gzip stream, which a thread of Node compresses: alike lines take a tenth of what they
 * take apart. Each second what was added goes to the disk, and can be read without what follows: a killed
 * process loses about two seconds.
 */
export class PackedFile {
  private readonly file: AppendFile;
  private readonly options: AppendFileOptions;
  private readonly packer = createGzip();
  private cancelFlush: (() => void) | null = null;

  /** Throws if the file cannot be created or already exists. */
  constructor(options: AppendFileOptions) {
    this.options = options;
    this.file = new AppendFile(options);
    this.packer.on('data', (packed: Buffer) => this.file.append(packed)).on('error', options.onError);
  }

  get path(): string {
    return this.file.path;
  }

  /** Compressed bytes so far. */
  get bytes(): number {
    return this.file.bytes;
  }

  /** Adds a line; nothing once it is being closed. */
  append(line: string): void {
    const { after, syncEveryMs, onError } = this.options;
    if (this.packer.writableEnded) return;
    if (this.packer.writableLength > MOST_WAITING_BYTES)
      onError(new Error('this machine is too slow to compress it'));
    else this.packer.write(line);
    this.cancelFlush ??= after(syncEveryMs, () => {
      this.cancelFlush = null;
      this.flush();
    });
  }

  /** Compresses what waits soon, so that it can be read without what follows. */
  flush(): void {
    this.packer.flush(constants.Z_SYNC_FLUSH);
  }

  /** Flushes everything to the disk and closes the file, at the first call. Throws if that fails. */
  async close(): Promise<void> {
    if (this.packer.writableEnded) return;
    this.cancelFlush?.();
    await finished(this.packer.end());
    await this.file.close();
  }
}

/**
 * Writes a file under a draft name and renames it once it is complete: readers see the old file or the new
 * one. `mayReplace` is called before the rename, and throws if the name must not be replaced.
 */
export async function asWholeFile<Value>(
  path: string,
  write: (draft: string) => Promise<Value> | Value,
  mayReplace: () => void = () => {},
): Promise<Value> {
  const draft = `${path}.${process.pid}.tmp`;
  using _draft = disposable(draft, () => rmSync(draft, { force: true }));
  const written = await write(draft);
  mayReplace();
  renameSync(draft, path);
  return written;
}
