import { execFileSync } from 'node:child_process';
import { join, resolve } from 'node:path';

/**
 * Environment variables of a program whose fsync takes longer. It works from outside of the program: a
 * library compiled here is loaded before the C library.
 */
export class SlowDisk {
  private readonly library: string;

  private constructor(library: string) {
    this.library = library;
  }

  /** Compiles the library into a folder; returns the reason if there is no compiler. */
  static compile(folder: string): SlowDisk | string {
    const library = join(folder, 'slow-disk.so');
    try {
      execFileSync('cc', ['-shared', '-fPIC', '-O1', '-o', library, resolve('test/process/slow-disk.c')], {
        stdio: 'pipe',
      });
      return new SlowDisk(library);
    } catch (error) {
      return `no C compiler is here: ${error instanceof Error ? error.message : String(error)}`;
    }
  }

  /** Environment of a program that is killed right after a number of database commits, read from a file. */
  endingAfter(file: string): Readonly<Record<string, string>> {
    return { LD_PRELOAD: this.library, LAST_SYNC: file };
  }

  /** Environment of a program whose every fsync takes `fsyncMs` longer. */
  environment(fsyncMs: number): Readonly<Record<string, string>> {
    return { LD_PRELOAD: this.library, SLOW_DISK_MS: String(fsyncMs) };
  }
}
