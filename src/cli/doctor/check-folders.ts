import { accessSync, constants, existsSync, statfsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { notChecked, ok, problem, warning, type CheckFinding } from './check-finding.ts';

/** Free space of a file system; the numbers of `statfs`. */
export interface Room {
  readonly freeBytes: number;
  /** Files that can still be made; null where the file system does not count them. */
  readonly freeFiles: number | null;
  /** Its number in `statfs`, which says what kind it is. */
  readonly type: number;
}

const MEGABYTE = 1_048_576;

/** The mirror keeps 8 MB aside, and its log may take 64 MB. */
const NO_ROOM_BYTES = 100 * MEGABYTE;
/** About what a mirror grows to with the retention of the defaults, three times over. */
const LITTLE_ROOM_BYTES = 1_000 * MEGABYTE;
const NO_FILES = 20;
const FEW_FILES = 1_000;

/** Asks the system for the room where a folder is. */
export function roomOf(folder: string): Room {
  const { bavail, bsize, files, ffree, type } = statfsSync(folder);
  return { freeBytes: bavail * bsize, freeFiles: files === 0 ? null : ffree, type };
}

/** The folder itself, or the nearest above it that is there. */
export function nearestFolder(folder: string): string {
  let nearest = folder;
  while (!existsSync(nearest) && dirname(nearest) !== nearest) nearest = dirname(nearest);
  return nearest;
}

export function checkWritable(check: string, folder: string): CheckFinding {
  const nearest = nearestFolder(folder);
  const remedy = `give this user the right to write to ${nearest} (chown, chmod), or name another folder`;
  try {
    if (!statSync(nearest).isDirectory())
      return problem(
        check,
        `expected a folder at ${nearest}, found a file`,
        'move it away, or name another folder',
      );
    accessSync(nearest, constants.W_OK | constants.X_OK);
  } catch (error) {
    return problem(check, `${nearest} can not be written to (${codeOf(error)})`, remedy);
  }
  return ok(check, nearest === folder ? `${folder} can be written to` : `${folder} can be made`);
}

/** Checks that there is room for a bot's data: bytes, and files. */
export function checkRoom(
  folder: string,
  readRoom: (folder: string) => Room = roomOf,
): readonly CheckFinding[] {
  const at = nearestFolder(folder);
  let room: Room;
  try {
    room = readRoom(at);
  } catch (error) {
    return [notChecked('disk', `the system does not say how much room ${at} has (${codeOf(error)})`)];
  }
  return [bytes(at, room), ...files(at, room)];
}

const FREE_IT = 'remove what is not needed there, or put data.folder on a larger disk';

function bytes(at: string, { freeBytes }: Room): CheckFinding {
  const text = `${Math.floor(freeBytes / MEGABYTE)} MB are free at ${at}`;
  if (freeBytes < NO_ROOM_BYTES)
    return problem('disk', `${text}; with a full disk a bot places no order`, FREE_IT);
  if (freeBytes < LITTLE_ROOM_BYTES)
    return warning('disk', `${text}; a mirror grows to about 300 MB, and a log to 100 MB`, FREE_IT);
  return ok('disk', text);
}

function files(at: string, { freeFiles }: Room): readonly CheckFinding[] {
  if (freeFiles === null) return [];
  const text = `${freeFiles} more files can be made at ${at}`;
  const remedy = 'remove small files there (df -i shows the use), or put data.folder on another file system';
  if (freeFiles < NO_FILES)
    return [problem('inodes', `${text}; without any a bot can not write its mirror`, remedy)];
  return [freeFiles < FEW_FILES ? warning('inodes', text, remedy) : ok('inodes', text)];
}

function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? String(error);
}
