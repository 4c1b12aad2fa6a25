import { readFileSync } from 'node:fs';
import { notChecked, ok, problem, warning, type CheckFinding } from './check-finding.ts';

interface MachineFacts {
  readonly nodeVersion: string;
  /** Memory this process may still use. */
  readonly freeMemoryBytes: number;
  /** Maximum number of open files per process; null if the system does not report it. */
  readonly openFiles: number | null;
  /** A time of which the parts are known, as the machine writes it in a time zone and calendar. */
  readonly write: (locale: string, timeZone: string) => string;
}

const MEGABYTE = 1_048_576;

/** A bot with some strategies needs about 200 MB. */
const LITTLE_MEMORY_BYTES = 300 * MEGABYTE;

/** Sockets, databases with their logs, and threads: a bot has fewer than 100 open. */
const FEW_OPEN_FILES = 256;

/** 2024-03-19 21:00 UTC: in Tehran, 3:30 ahead, it is the first day of 1403 of the Jalali calendar. */
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

/** Linux alone says it to the process itself. */
function limitsText(): string {
  try {
    return readFileSync('/proc/self/limits', 'utf8');
  } catch {
    return '';
  }
}

/** The soft limit of a Linux `limits` file; null where it says none. */
export function openFilesOf(limits: string): number | null {
  const [, soft] = /^Max open files +(\d+|unlimited)/m.exec(limits) ?? [];
  if (soft === undefined) return null;
  return soft === 'unlimited' ? Number.POSITIVE_INFINITY : Number(soft);
}

/** Checks that the machine can run a bot. The launcher itself refuses a Node that is too old. */
export function checkMachine(facts: MachineFacts): readonly CheckFinding[] {
  return [ok('Node', `version ${facts.nodeVersion}`), memory(facts), openFiles(facts), timeZones(facts)];
}

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
    if (zone.includes('00:30') && calendar.includes('1403')) {
      return ok('time zone data', 'Tehran days and the Jalali calendar are there');
    }
    return problem(
      'time zone data',
      `expected 00:30 and the year 1403 in Tehran, found ${zone} and ${calendar}`,
      remedy,
    );
  } catch (error) {
    return problem('time zone data', `it can not be used: ${String(error)}`, remedy);
  }
}
