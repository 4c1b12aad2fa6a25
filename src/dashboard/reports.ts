import { createHash } from 'node:crypto';
import { closeSync, openSync, readdirSync, readSync, statSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { ApiError } from './api-error.ts';
import type { ReportItem } from './schema/log.ts';

/** Folders below the data folder that are looked into, one below the other. */
const DEEPEST = 4;
const MOST_ENTRIES = 5_000;
const MOST_REPORTS = 500;
/** A report of a year on minutes is a few megabytes. */
const LARGEST_BYTES = 64 * 1_048_576;

/** Bytes at a file's start that must show that it is a page. */
const HEAD_BYTES = 1_024;

/** The folders that hold data in many small files, and no report. */
const SKIPPED = new Set(['catalogue', 'node_modules', 'backups']);

interface FoundReport extends ReportItem {
  readonly path: string;
}

/** HTML files below a data folder, newest first. Links are not followed. */
export function findReports(dataFolder: string): readonly FoundReport[] {
  const found: FoundReport[] = [];
  let entries = 0;
  const walk = (folder: string, depth: number): void => {
    for (const entry of entriesOf(folder)) {
      entries += 1;
      if (entries > MOST_ENTRIES) return;
      const path = join(folder, entry.name);
      if (entry.isDirectory()) {
        if (depth < DEEPEST && !entry.name.startsWith('.') && !SKIPPED.has(entry.name)) walk(path, depth + 1);
      } else if (entry.isFile() && entry.name.endsWith('.html')) {
        const report = reportAt(dataFolder, path);
        if (report !== null) found.push(report);
      }
    }
  };
  walk(dataFolder, 0);
  return found.toSorted((left, right) => right.atMs - left.atMs).slice(0, MOST_REPORTS);
}

export function reportItemOf({ id, name, kind, atMs, bytes }: FoundReport): ReportItem {
  return { id, name, kind, atMs, bytes };
}

/** The page of a report. Throws `ApiError` where there is none of that id. */
export function readReportPage(dataFolder: string, id: string): Buffer {
  const report = findReports(dataFolder).find((one) => one.id === id);
  if (report === undefined) throw new ApiError('not-found', 'expected the id of a report, was another');
  return readFileSync(report.path);
}

function entriesOf(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    // A folder that went away, or is somebody else's, has no reports.
    return [];
  }
}

function reportAt(dataFolder: string, path: string): FoundReport | null {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat === undefined || stat.size > LARGEST_BYTES || !beginsAsPage(path)) return null;
  const name = relative(dataFolder, path).split(sep).join('/');
  return {
    path,
    id: createHash('sha256').update(name).digest('hex').slice(0, 16),
    name,
    kind: kindOf(name),
    atMs: Math.floor(stat.mtimeMs),
    bytes: stat.size,
  };
}

function kindOf(name: string): ReportItem['kind'] {
  if (/stud/i.test(name)) return 'study';
  return /backtest|run/i.test(name) ? 'backtest' : 'report';
}

function beginsAsPage(path: string): boolean {
  const head = Buffer.alloc(HEAD_BYTES);
  try {
    const file = openSync(path, 'r');
    try {
      const length = readSync(file, head, 0, HEAD_BYTES, 0);
      return /^\s*<!doctype html/i.test(head.toString('utf8', 0, length));
    } finally {
      closeSync(file);
    }
  } catch {
    return false;
  }
}
