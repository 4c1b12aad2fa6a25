import { createHash } from 'node:crypto';
import { disposable } from '../../domain/closing.ts';
import { readdirSync, readFileSync, statSync, readSync, openSync, closeSync } from 'node:fs';
import { extname, join, relative, sep } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { ApiError } from '../api-error.ts';
import type { ReportItem } from '../schema/log.ts';

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.webmanifest': 'application/manifest+json',
  '.woff2': 'font/woff2',
};

/** Maximum number and size of the page's files: a page has some dozens. */
const MOST_FILES = 500;
const LARGEST_BYTES = 4 * 1_048_576;

/** Pattern of files whose names contain a hash of their content: they never change. */
const HASHED_NAME = /-[\w-]{8,}\.\w+$/;
const FOR_EVER = 'public, max-age=31536000, immutable';

type Encoding = 'br' | 'gzip';

interface PageFile {
  readonly type: string;
  readonly etag: string;
  readonly cacheControl: string;
  /** Encoding; null if the client accepts none of ours. */
  readonly encoding: Encoding | null;
  readonly bytes: Buffer;
}

interface CachedFile {
  readonly type: string;
  readonly etag: string;
  readonly cacheControl: string;
  readonly plain: Buffer;
  readonly packed: Map<Encoding, Buffer | null>;
}

const PACKED_NAMES: Readonly<Record<Encoding, string>> = { br: '.br', gzip: '.gz' };

/**
 * Files of the page. Their names are read once, and a request can only name one of them: no path of a request
 * ever reaches the file system.
 */
export class PageFiles {
  private readonly folder: string;
  private readonly startFile: string;
  private names: ReadonlySet<string> | null = null;
  private readonly cached = new Map<string, CachedFile>();

  /** `startFile`: the file at the address `/`. */
  constructor(folder: string, startFile: string) {
    this.folder = folder;
    this.startFile = startFile;
  }

  /** Returns a file by its path, such as `/assets/main-1a2b3c4d.js`; null if there is none. */
  get(path: string, acceptsEncoding: string | undefined): PageFile | null {
    const name = path === '/' ? this.startFile : path.slice(1);
    this.names ??= namesIn(this.folder);
    if (!this.names.has(name)) return null;
    const file = this.cached.get(name) ?? this.load(name);
    const encoding = encodingFor(file, acceptsEncoding);
    const packed = encoding === null ? null : this.packed(name, file, encoding);
    return {
      type: file.type,
      etag: file.etag,
      cacheControl: file.cacheControl,
      encoding: packed === null ? null : encoding,
      bytes: packed ?? file.plain,
    };
  }

  private load(name: string): CachedFile {
    const plain = readFileSync(join(this.folder, name));
    const file: CachedFile = {
      type: TYPES[extname(name)] ?? 'application/octet-stream',
      etag: `"${createHash('sha256').update(plain).digest('base64url').slice(0, 22)}"`,
      cacheControl: HASHED_NAME.test(name) ? FOR_EVER : 'no-cache',
      plain,
      packed: new Map(),
    };
    this.cached.set(name, file);
    return file;
  }

  /** Returns a compressed file, prepared or compressed once; null if compression saves nothing. */
  private packed(name: string, file: CachedFile, encoding: Encoding): Buffer | null {
    const known = file.packed.get(encoding);
    if (known !== undefined) return known;
    const beside = `${name}${PACKED_NAMES[encoding]}`;
    const bytes =
      this.names?.has(beside) === true
        ? readFileSync(join(this.folder, beside))
        : encoding === 'br'
          ? brotliCompressSync(file.plain)
          : gzipSync(file.plain);
    const packed = bytes.length < file.plain.length ? bytes : null;
    file.packed.set(encoding, packed);
    return packed;
  }
}

function namesIn(folder: string): ReadonlySet<string> {
  const names = new Set<string>();
  let entries: readonly string[];
  try {
    entries = readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name));
  } catch {
    return names;
  }
  for (const path of entries.slice(0, MOST_FILES))
    if (statSync(path).size <= LARGEST_BYTES) names.add(relative(folder, path).split(sep).join('/'));
  return names;
}

/** Returns the encoding for a file; null for fonts and pictures, which are compressed already. */
function encodingFor({ type }: CachedFile, accepts: string | undefined): Encoding | null {
  if (!/^(?:text|application\/(?:json|manifest)|image\/svg)/.test(type)) return null;
  const wanted = new Set((accepts ?? '').split(',').map((part) => part.trim().split(';', 1)[0]));
  if (wanted.has('br')) return 'br';
  return wanted.has('gzip') ? 'gzip' : null;
}

/**
 * Content security policy of the page: nothing loads from elsewhere, nothing inline runs, and no other page
 * may frame it. Charts set sizes through element styles in scripts, which it allows.
 */
const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "manifest-src 'self'",
  "frame-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/**
 * Policy of a report, whose scripts anybody may have written: it runs in its own origin, without cookies, and
 * can connect to nothing.
 */
const REPORT_POLICY = [
  'sandbox allow-scripts',
  "default-src 'none'",
  "script-src 'unsafe-inline'",
  "style-src 'unsafe-inline'",
  'img-src data:',
  'font-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'self'",
].join('; ');

/** Policy of the API's own replies, which are no pages. */
export const API_POLICY = "default-src 'none'; frame-ancestors 'none'";

/** Headers that mean something for pages alone. */
export const OF_PAGES = ['permissions-policy', 'cross-origin-opener-policy', 'referrer-policy'] as const;

const OF_ALL = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
} as const;

/** Returns the headers of every reply. */
export function securityHeaders(isSecure: boolean): Readonly<Record<string, string>> {
  return {
    ...OF_ALL,
    'content-security-policy': PAGE_POLICY,
    'x-frame-options': 'DENY',
    ...(isSecure ? { 'strict-transport-security': 'max-age=31536000' } : {}),
  };
}

/** Headers of a report, which override the others. */
export const REPORT_HEADERS = {
  'content-security-policy': REPORT_POLICY,
  'x-frame-options': 'SAMEORIGIN',
} as const;

/** Maximum depth of folders that are searched for reports, and number of entries. */
const DEEPEST = 4;
const MOST_ENTRIES = 5_000;
const MOST_REPORTS = 500;
/** Maximum size of a report: one of a year on minutes is a few megabytes. */
const LARGEST_REPORT_BYTES = 64 * 1_048_576;

/** Number of bytes at a file's start that must show that it is HTML. */
const HEAD_BYTES = 1_024;

/** Folders that are skipped: they hold many small files, and no report. */
const SKIPPED = new Set(['catalogue', 'node_modules', 'backups', 'lab']);

interface FoundReport extends ReportItem {
  readonly path: string;
}

/** Finds HTML files below a data folder, newest first. Links are not followed. */
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

/** Returns the page of a report. Throws `ApiError` if there is none with that id. */
export function readReportPage(dataFolder: string, id: string): Buffer {
  const report = findReports(dataFolder).find((one) => one.id === id);
  if (report === undefined) throw new ApiError('not-found', 'expected the id of a report, was another');
  return readFileSync(report.path);
}

function entriesOf(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    // A folder that is missing or unreadable has no reports.
    return [];
  }
}

function reportAt(dataFolder: string, path: string): FoundReport | null {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat === undefined || stat.size > LARGEST_REPORT_BYTES || !beginsAsPage(path)) return null;
  const name = relative(dataFolder, path).split(sep).join('/');
  return {
    path,
    id: reportIdOf(name),
    name,
    kind: kindOf(name),
    atMs: Math.floor(stat.mtimeMs),
    bytes: stat.size,
  };
}

/** Returns the id of a report by its path below the data folder. */
export function reportIdOf(name: string): string {
  return createHash('sha256').update(name).digest('hex').slice(0, 16);
}

function kindOf(name: string): ReportItem['kind'] {
  if (/stud/i.test(name)) return 'study';
  return /backtest|run/i.test(name) ? 'backtest' : 'report';
}

function beginsAsPage(path: string): boolean {
  const head = Buffer.alloc(HEAD_BYTES);
  try {
    using file = disposable(openSync(path, 'r'), closeSync);
    const length = readSync(file.value, head, 0, HEAD_BYTES, 0);
    return /^\s*<!doctype html/i.test(head.toString('utf8', 0, length));
  } catch {
    return false;
  }
}
