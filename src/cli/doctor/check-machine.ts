import { readFileSync, accessSync, constants, existsSync, statfsSync, statSync } from 'node:fs';
import { notChecked, ok, problem, warning, type CheckFinding } from './check-finding.ts';
import { dirname } from 'node:path';
import { DAY_MS, agoText } from '../../domain/time-text.ts';
import type { BotConfig } from '../../daemon/create-bot-config.ts';
import { lastBackup } from '../../daemon/make-backup.ts';
import { readProcessLockOwner, isProcessLockHeld } from '../../daemon/process-locks.ts';
import { watchdogProcessLockPath } from '../../daemon/watchdog.ts';
import { SarrafError } from '../../domain/errors.ts';
import { mirrorFileOf } from './check-mirror-file.ts';

interface MachineFacts {
  readonly nodeVersion: string;
  /** Memory this process may still use, in bytes. */
  readonly freeMemoryBytes: number;
  /** Maximum number of open files of this process; null if the system does not report it. */
  readonly openFiles: number | null;
  /** Writes a known time as the machine does in a time zone and calendar. */
  readonly write: (locale: string, timeZone: string) => string;
}

const MEGABYTE = 1_048_576;

/** Memory below which there is too little, in bytes: a bot with some strategies needs about 200 MB. */
const LITTLE_MEMORY_BYTES = 300 * MEGABYTE;

/** Limit of open files that is too low; sockets, databases and threads of a bot are fewer than 100. */
const FEW_OPEN_FILES = 256;

/** Known time: 2024-03-19 21:00 UTC, in Tehran (3:30 ahead) the first day of 1403 of the Jalali calendar. */
const KNOWN_TIME_MS = 1_710_882_000_000;

/** Returns the machine's own facts. */
export function machineFacts(): MachineFacts {
  return {
    nodeVersion: process.versions.node,
    freeMemoryBytes: process.availableMemory(),
    openFiles: openFilesOf(limitsText()),
    write: (locale, timeZone) =>
      new Intl.DateTimeFormat(locale, { timeZone, dateStyle: 'short', timeStyle: 'short' }).format(
        KNOWN_TIME_MS,
      ),
  };
}

/** Returns the limits of this process; empty if the system is not Linux. */
function limitsText(): string {
  try {
    return readFileSync('/proc/self/limits', 'utf8');
  } catch {
    return '';
  }
}

/** Reads the soft limit of open files from a Linux `limits` file; null if it has none. */
export function openFilesOf(limits: string): number | null {
  const [, soft] = /^Max open files +(\d+|unlimited)/m.exec(limits) ?? [];
  if (soft === undefined) return null;
  return soft === 'unlimited' ? Number.POSITIVE_INFINITY : Number(soft);
}

/** Checks that the machine can run a bot. The launcher itself refuses a Node that is too old. */
export const checkMachine = (facts: MachineFacts): readonly CheckFinding[] => [
  ok('Node', `version ${facts.nodeVersion}`),
  memory(facts),
  openFiles(facts),
  timeZones(facts),
];

function memory({ freeMemoryBytes }: MachineFacts): CheckFinding {
  const text = `${Math.floor(freeMemoryBytes / MEGABYTE)} MB are free for a bot`;
  if (freeMemoryBytes >= LITTLE_MEMORY_BYTES) return ok('memory', text);
  return warning(
    'memory',
    `${text}, and one needs about 200 MB`,
    "end other programs, or raise the container's memory limit: a machine without memory kills the bot",
  );
}

function openFiles({ openFiles: most }: MachineFacts): CheckFinding {
  if (most === null) return notChecked('open files', 'this system does not say how many a process may open');
  if (most >= FEW_OPEN_FILES) return ok('open files', `a process may open ${most}`);
  return warning(
    'open files',
    `a process may open ${most}, and a bot with several markets opens up to 100`,
    `raise the limit before the start: ulimit -n ${FEW_OPEN_FILES * 4}, or LimitNOFILE of the service`,
  );
}

function timeZones({ write }: MachineFacts): CheckFinding {
  const remedy =
    'install an official build of Node, which has all time zones and calendars (full ICU), and unset NODE_ICU_DATA';
  try {
    const [zone, calendar] = [write('en-GB', 'Asia/Tehran'), write('en-u-ca-persian', 'Asia/Tehran')];
    if (zone.includes('00:30') && calendar.includes('1403'))
      return ok('time zone data', 'Tehran days and the Jalali calendar are there');
    return problem(
      'time zone data',
      `expected 00:30 and the year 1403 in Tehran, found ${zone} and ${calendar}`,
      remedy,
    );
  } catch (error) {
    return problem('time zone data', `it can not be used: ${String(error)}`, remedy);
  }
}

/** Free space of a file system; the numbers of `statfs`. */
export interface Room {
  readonly freeBytes: number;
  /** Number of files that can still be created; null if the file system does not count them. */
  readonly freeFiles: number | null;
  /** Number of its kind in `statfs`. */
  readonly type: number;
}

/** Space below which a bot cannot run, in bytes: the mirror reserves 8 MB, and its log may need 64 MB. */
const NO_ROOM_BYTES = 100 * MEGABYTE;
/** Space below which a warning is given, in bytes: about three times a mirror with the default retention. */
const LITTLE_ROOM_BYTES = 1_000 * MEGABYTE;
const NO_FILES = 20;
const FEW_FILES = 1_000;

/** Reads the free space of the file system of a folder. */
export function roomOf(folder: string): Room {
  const { bavail, bsize, files, ffree, type } = statfsSync(folder);
  return { freeBytes: bavail * bsize, freeFiles: files === 0 ? null : ffree, type };
}

/** Returns the folder itself, or the nearest one above it that exists. */
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

const codeOf = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? String(error);

/** Age from which a backup is old, in ms: one is made each night, and a week may pass unnoticed. */
const OLD_BACKUP_MS = 7 * DAY_MS;

interface Retention {
  readonly mode: BotConfig['mode'];
  readonly configFile: string;
}

/** Checks that a process watches the bot of a data folder from outside. */
export function checkWatchdog(
  { data: { folder }, watchdog }: Pick<BotConfig, 'data' | 'watchdog'>,
  { mode, configFile }: Retention,
): CheckFinding {
  const path = watchdogProcessLockPath(folder);
  try {
    if (isProcessLockHeld(path)) {
      const owner = readProcessLockOwner(path);
      const who = owner === null ? 'one' : `pid ${owner.pid} on ${owner.host}`;
      return ok('watchdog', `${who} watches ${folder}`);
    }
  } catch (error) {
    if (!(error instanceof SarrafError)) throw error;
    return notChecked('watchdog', `whether one runs is not known: ${error.message}`);
  }
  if (mode !== 'live' && watchdog.cancelEntriesAfterMs === null)
    return ok('watchdog', `none runs, which is fine in the mode ${mode}`);
  return warning(
    'watchdog',
    `none watches ${folder}, so nobody will say that the bot stands still or is gone`,
    `run "sarraf watchdog --config ${configFile}" beside the bot, and have it restarted: docs/operate.md, "A watchdog"`,
  );
}

/** Checks that a live bot with something to lose has a backup, and how old it is. */
export function checkBackup(
  { data: { folder } }: Pick<BotConfig, 'data'>,
  { mode, nowMs }: Pick<Retention, 'mode'> & { readonly nowMs: number },
): readonly CheckFinding[] {
  if (mode !== 'live' || !existsSync(mirrorFileOf(folder, mode))) return [];
  const last = lastBackup(folder);
  const remedy = `have a scheduler run "sarraf backup --data ${folder} --keep 14" every night: docs/backup.md, "Backup and restore"`;
  if (last === null) return [warning('backup', `none was ever made of ${folder}`, remedy)];
  const text = `the last one was made ${agoText(last.madeAtMs, nowMs)}: ${last.folder}`;
  return [nowMs - last.madeAtMs > OLD_BACKUP_MS ? warning('backup', text, remedy) : ok('backup', text)];
}
