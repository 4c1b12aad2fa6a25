import { closeSync, fstatSync, mkdirSync, openSync, renameSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { SarrafError } from '../../domain/errors.ts';

const LARGEST_BYTES = 50 * 1024 * 1024;

/**
 * A log on the disk, written at once, so that no line is lost when the process ends. At its largest size it
 * is renamed to end in `.1`, in place of the one that had that name: at most two files, and twice that size.
 * A line that can not be written is left out, for a full disk must not stop trading.
 */
export class LogFile {
  private readonly path: string;
  private readonly largestBytes: number;
  private descriptor: number;
  private bytes: number;
  /** Lines that could not be written. */
  lost = 0;

  /** Throws `DATA_UNUSABLE` where the file can not be written to. */
  constructor(path: string, largestBytes = LARGEST_BYTES) {
    this.path = path;
    this.largestBytes = largestBytes;
    try {
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
      this.descriptor = openSync(path, 'a', 0o600);
      this.bytes = fstatSync(this.descriptor).size;
    } catch (error) {
      const { code = 'unknown error' } = error as NodeJS.ErrnoException;
      throw new SarrafError(
        'DATA_UNUSABLE',
        `expected a log file that can be written at ${path}, was refused (${code}): set log.file to another path`,
        { cause: error },
      );
    }
  }

  write(line: string): void {
    try {
      if (this.bytes > 0 && this.bytes + Buffer.byteLength(line) > this.largestBytes) this.begin();
      this.bytes += writeSync(this.descriptor, line);
    } catch {
      this.lost += 1;
    }
  }

  close(): void {
    closeSync(this.descriptor);
  }

  private begin(): void {
    renameSync(this.path, `${this.path}.1`);
    const before = this.descriptor;
    this.descriptor = openSync(this.path, 'a', 0o600);
    this.bytes = 0;
    closeSync(before);
  }
}
