import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

const CHUNKS = [1_048_576, 65_536, 4_096].map((bytes) => Buffer.alloc(bytes, 1));

/** Interval at which freed room is filled again, in ms. */
const FILL_EVERY_MS = 20;

/** A file system of a few megabytes in memory, which a test can fill up. */
export class SmallDisk {
  readonly path: string;
  private filler: NodeJS.Timeout | null = null;

  private constructor(path: string) {
    this.path = path;
  }

  /** Mounts a small disk at a path; returns the reason if that is not allowed. */
  static mount(path: string, megabytes: number): SmallDisk | string {
    mkdirSync(path, { recursive: true });
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', path], { stdio: 'pipe' });
      return new SmallDisk(path);
    } catch (error) {
      return `no tmpfs can be mounted here: ${error instanceof Error ? error.message : String(error)}`;
    }
  }

  /** Fills the disk, and fills freed room again, until `free` is called. */
  fill(): void {
    // A second timer would go on after `free`, and fill the disk below this one.
    if (this.filler !== null) return;
    this.takeAll();
    this.filler = setInterval(() => this.takeAll(), FILL_EVERY_MS);
  }

  /** Stops filling, and frees the room. */
  free(): void {
    if (this.filler !== null) clearInterval(this.filler);
    this.filler = null;
    rmSync(this.fillerPath, { force: true });
  }

  unmount(): void {
    this.free();
    execFileSync('umount', [this.path]);
  }

  private get fillerPath(): string {
    return join(this.path, 'filler');
  }

  private takeAll(): void {
    for (const chunk of CHUNKS) {
      try {
        for (;;) appendFileSync(this.fillerPath, chunk);
      } catch {
        // No room for a chunk of this size; a smaller one may still fit.
      }
    }
  }
}
