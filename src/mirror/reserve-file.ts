import { randomFillSync } from 'node:crypto';
import { disposable } from '../domain/closing.ts';
import { rmSync, statfsSync, statSync, writeSync, openSync, closeSync } from 'node:fs';
import { dirname } from 'node:path';

/** Enough bytes for the cancels and the last reconciliation of a bot that stops on a full disk. */
const RESERVE_FILE_BYTES = 8 * 1_048_576;
const CHUNK_BYTES = 1_048_576;

/** Multiple of its size that must be free before it is made, so that it never fills a disk itself. */
const ROOM_FACTOR = 4;

/** Free bytes that the disk of a mirror needs, so that its reserve file can be made. */
export const RESERVE_FILE_ROOM_BYTES = RESERVE_FILE_BYTES * ROOM_FACTOR;

/** A file that reserves disk space: on a full disk it is deleted, and its space is written to. */
export class ReserveFile {
  private readonly path: string;

  constructor(mirrorPath: string) {
    this.path = `${mirrorPath}.ballast`;
  }

  get isThere(): boolean {
    return statSync(this.path, { throwIfNoEntry: false })?.size === RESERVE_FILE_BYTES;
  }

  /** Makes the file if there is room. A lack of room is no error. */
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

  /** Deletes the file; returns true if it existed. */
  release(): boolean {
    const wasThere = this.isThere;
    rmSync(this.path, { force: true });
    return wasThere;
  }

  /** Writes noise, since some file systems store zeros without using any room. */
  private write(): void {
    const chunk = randomFillSync(Buffer.alloc(CHUNK_BYTES));
    using file = disposable(openSync(this.path, 'w', 0o600), closeSync);
    for (let written = 0; written < RESERVE_FILE_BYTES; written += CHUNK_BYTES) writeSync(file.value, chunk);
  }
}
