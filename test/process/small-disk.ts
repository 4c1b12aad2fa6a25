import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

const CHUNKS = [1_048_576, 65_536, 4_096].map((bytes) => Buffer.alloc(bytes, 1));

/** How often room that was freed is taken again. */
const FILL_EVERY_MS = 20;

/** A file system of a few megabytes in memory, which can be filled up. */
export class SmallDisk {
  readonly path: string;
  private filler: NodeJS.Timeout | null = null;

  private constructor(path: string) {
    this.path = path;
  }

  /** Mounts one at a path; answers why not where that is not allowed. */
  static mount(path: string, megabytes: number): SmallDisk | string {
    mkdirSync(path, { recursive: true });
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', path], { stdio: 'pipe' });
      return new SmallDisk(path);
    } catch (error) {
      return `no tmpfs can be mounted here: ${error instanceof Error ? error.message : String(error)}`;
    }
  }

  /** Takes all room, and again whatever is freed, until `free`. */
  fill(): void {
    // A second timer would outlive `free`, and fill the disk below this one.
    if (this.filler !== null) return;
    this.takeAll();
    this.filler = setInterval(() => this.takeAll(), FILL_EVERY_MS);
  }

  /** Gives the room back. */
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
        // Full for chunks of this size: smaller ones may still fit.
      }
    }
  }
}
