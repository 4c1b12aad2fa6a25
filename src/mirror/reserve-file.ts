import { randomFillSync } from 'node:crypto';
import { closeSync, openSync, rmSync, statfsSync, statSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';

/** Enough for the cancels and the last reconciliation of a bot that has to stop because the disk is full. */
const RESERVE_FILE_BYTES = 8 * 1_048_576;
const CHUNK_BYTES = 1_048_576;

/** It is only made where this many times its size is free, so that it never fills a disk itself. */
const ROOM_FACTOR = 4;

/** Space that has to stay free on the disk of a mirror, so that its reserve file can be made. */
export const RESERVE_FILE_ROOM_BYTES = RESERVE_FILE_BYTES * ROOM_FACTOR;

/** A file that reserves room: when the disk is full, it is deleted and its room is written to. */
export class ReserveFile {
  private readonly path: string;

  constructor(mirrorPath: string) {
    this.path = `${mirrorPath}.ballast`;
  }

  get isThere(): boolean {
    return statSync(this.path, { throwIfNoEntry: false })?.size === RESERVE_FILE_BYTES;
  }

  /** Makes it where there is room. A lack of room is no error. */
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

  /** Deletes it; answers whether there was one. */
  release(): boolean {
    const wasThere = this.isThere;
    rmSync(this.path, { force: true });
    return wasThere;
  }

  /** Noise rather than zeros, which some file systems keep without using any room. */
  private write(): void {
    const chunk = randomFillSync(Buffer.alloc(CHUNK_BYTES));
    const file = openSync(this.path, 'w', 0o600);
    try {
      for (let written = 0; written < RESERVE_FILE_BYTES; written += CHUNK_BYTES) writeSync(file, chunk);
    } finally {
      closeSync(file);
    }
  }
}
