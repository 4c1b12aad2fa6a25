import {
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { checksumOf } from './remote/columns-file.ts';

/** Maximum disk space of a cache. Beyond it the least recently used files are deleted. */
const MOST_BYTES = 2 * 1024 ** 3;

const NAME = /^[0-9a-f]{64}$/;

/** Files by the SHA-256 of what they say, in a folder. Several processes may use it at once. */
export class FileCache {
  private readonly folder: string;
  private readonly mostBytes: number;

  constructor(folder: string, mostBytes: number = MOST_BYTES) {
    this.folder = folder;
    this.mostBytes = mostBytes;
    mkdirSync(folder, { recursive: true });
  }

  /** Returns the content of a file; null if there is none, or if it no longer matches: then it is removed. */
  find(sha256: string): Buffer | null {
    const path = join(this.folder, sha256);
    let bytes: Buffer;
    try {
      bytes = readFileSync(path);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
      throw error;
    }
    if (checksumOf(bytes) !== sha256) {
      rmSync(path, { force: true });
      return null;
    }
    utimesSync(path, new Date(), new Date());
    return bytes;
  }

  /**
   * Keeps a file, whose checksum was looked at. Others go where there is no room for all. Throws what the
   * system says where it can not be written; nothing is left of it then.
   */
  keep(sha256: string, bytes: Uint8Array): void {
    const made = join(this.folder, `${sha256}.${process.pid}.new`);
    try {
      writeFileSync(made, bytes);
      renameSync(made, join(this.folder, sha256));
    } catch (error) {
      rmSync(made, { force: true });
      throw error;
    }
    this.trim(sha256);
  }

  private trim(newest: string): void {
    const files = readdirSync(this.folder)
      .filter((name) => NAME.test(name))
      .flatMap((name) => {
        const stat = statSync(join(this.folder, name), { throwIfNoEntry: false });
        return stat === undefined ? [] : [{ name, bytes: stat.size, usedMs: stat.mtimeMs }];
      })
      .toSorted((left, right) => left.usedMs - right.usedMs);
    let all = files.reduce((sum, { bytes }) => sum + bytes, 0);
    for (const { name, bytes } of files) {
      if (all <= this.mostBytes) return;
      if (name === newest) continue;
      rmSync(join(this.folder, name), { force: true });
      all -= bytes;
    }
  }
}
