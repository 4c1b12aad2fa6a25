import { statfsSync } from 'node:fs';
import { SarrafError } from '../domain/errors.ts';
import { RESERVE_FILE_ROOM_BYTES } from '../mirror/reserve-file.ts';
import { sqliteCode } from '../mirror/unusable.ts';

/** Advice for a full disk. */
const ADVICE = 'Nothing was kept of the copy: make room there, or name a folder on another disk';

export const megabytesOf = (bytes: number): number => Math.ceil(bytes / 1_048_576);

/**
 * Throws `DATA_UNUSABLE` where the disk of a folder has no room for a copy. A bot may write to the same disk:
 * what its reserve file needs stays free.
 */
export function expectRoom(folder: string, bytes: number): void {
  const { bavail, bsize } = statfsSync(folder);
  const neededBytes = bytes + RESERVE_FILE_ROOM_BYTES;
  if (bavail * bsize >= neededBytes) return;
  throw new SarrafError(
    'DATA_UNUSABLE',
    `expected ${megabytesOf(neededBytes)} MB free for a copy in ${folder}, with what a bot needs besides, found ${megabytesOf(bavail * bsize)} MB. ${ADVICE}`,
  );
}

/** The error of a disk that was filled up amid a copy; null for any other error. */
export function fullDisk(folder: string, error: unknown): SarrafError | null {
  const { code = '' } = error as NodeJS.ErrnoException;
  if (sqliteCode(error) !== 'SQLITE_FULL' && code !== 'ENOSPC' && code !== 'EDQUOT') return null;
  return new SarrafError(
    'DATA_UNUSABLE',
    `expected room for a copy in ${folder}, found a full disk. ${ADVICE}`,
    {
      cause: error,
    },
  );
}
