import { execFileSync } from 'node:child_process';
import { join, resolve } from 'node:path';

/**
 * The environment of a program whose disk takes longer for each fsync. It is outside of the program: a
 * library that stands before the C library, compiled here.
 */
export class SlowDisk {
  private readonly library: string;

  private constructor(library: string) {
    this.library = library;
  }

  /** Compiles the library into a folder; answers why not where there is no compiler. */
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

  /**
   * Of a program that is killed right after so many commits of its databases as a file says, from when that
   * is there.
   */
  endingAfter(file: string): Readonly<Record<string, string>> {
    return { LD_PRELOAD: this.library, LAST_SYNC: file };
  }

  /** Of a program whose every fsync takes so much longer. */
  environment(fsyncMs: number): Readonly<Record<string, string>> {
    return { LD_PRELOAD: this.library, SLOW_DISK_MS: String(fsyncMs) };
  }
}
