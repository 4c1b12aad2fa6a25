import {
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  statfsSync,
} from 'node:fs';
import { dirname, join, resolve, basename } from 'node:path';
import { messageOf, SarrafError, dataUnusable } from '../domain/errors.ts';
import { isoText } from '../domain/time-text.ts';
import { VERSION } from '../exchange/version.ts';
import { copyMirror } from '../mirror/copy-mirror.ts';
import { unusable, sqliteCode } from '../mirror/unusable.ts';
import { checksum, syncFile, syncFolder } from '../recording/durable-file.ts';
import { acquireProcessLock } from './process-locks.ts';
import {
  BACKUP_VERSION,
  BACKED_UP_MIRRORS,
  MANIFEST,
  UNFINISHED,
  type BackedUpFile,
  type BackupManifest,
  type FoundBackup,
  checkFiles,
  readBackupManifest,
} from './backup/backup-manifest.ts';
import { PAPER_ACCOUNT_SIDE_FILE } from './paper-account-file.ts';
import { mirrorName } from '../mirror/mirror-path.ts';
import { CONTROL_SIDE_FILE, type SideFile } from './side-file.ts';
import { RESERVE_FILE_ROOM_BYTES } from '../mirror/mirror-store.ts';
import { z } from 'zod';
import { readPrivateFile, writePrivateFile } from '../configuration/secret-file.ts';

export interface BackupOptions {
  readonly dataFolder: string;
  /** Parent folder of the backup's folder. It is created if missing. */
  readonly out: string;
  /** Number of this mirror's backups that stay there; null: all. */
  readonly keep: number | null;
  readonly nowMs: number;
  /** Files to include besides the control database. */
  readonly beside?: readonly SideFile[];
  readonly onProgress: (progress: BackupProgress) => void;
  /** Stops the backup; nothing is left of it then. */
  readonly signal: AbortSignal;
}

/** Progress of a backup. `share`: from 0 to 1; null if unknown. */
interface BackupProgress {
  readonly phase: 'copying' | 'checking' | 'looking at older backups';
  readonly megabytes: number;
  readonly share: number | null;
}

/** A complete backup in its final place. */
interface WholeBackup extends FoundBackup {
  /** Unreadable files that are left out, with the reason. */
  readonly leftOut: readonly string[];
}

export interface MadeBackup extends WholeBackup {
  readonly retention: Retention;
  /** Reason the backup could not be noted in the data folder; null if it was. */
  readonly noteProblem: string | null;
}

/**
 * Copies the mirror of a data folder and the files that belong to it, also while a bot runs there, into a
 * folder of their own: a complete, verified backup or none. It never contains a credential or the ledger: an
 * old ledger would count requests as not sent. Throws `DATA_UNUSABLE` if the mirror cannot be read, if there
 * is no space, and while another backup is made there.
 */
export async function makeBackup(options: BackupOptions): Promise<MadeBackup> {
  const out = resolve(options.out);
  const name = mirrorNameIn(options.dataFolder);
  const mirror = join(options.dataFolder, name);
  mkdirSync(out, { recursive: true, mode: 0o700 });
  using _lock = acquireProcessLock({
    path: join(out, 'backup.lock'),
    what: out,
    otherwise: 'name another folder with --out',
  });
  removeUnfinished(out);
  expectRoom(out, bytesOf(mirror));
  const backup = await copyWhole(mirror, { ...options, out });
  const noteProblem = tryToNote(options.dataFolder, backup);
  const { keep, onProgress } = options;
  if (keep === null) return { ...backup, retention: { deleted: [], leftAlone: [] }, noteProblem };
  onProgress({ phase: 'looking at older backups', megabytes: 0, share: null });
  return { ...backup, retention: await makeRoom(out, backup, keep), noteProblem };
}

/** Notes the backup in its data folder. Returns the error if it cannot: the backup is complete without. */
function tryToNote(dataFolder: string, { folder, manifest }: FoundBackup): string | null {
  try {
    noteBackup(dataFolder, { folder, madeAtMs: manifest.madeAtMs });
    return null;
  } catch (error) {
    return messageOf(error);
  }
}

async function makeRoom(out: string, newest: FoundBackup, keep: number): Promise<Retention> {
  try {
    return await deleteOldBackups(out, { newest, keep });
  } catch (error) {
    throw dataUnusable(
      `expected to be able to delete older backups in ${out}, but: ${messageOf(error)}. The new one, ${newest.folder}, is whole`,
      { cause: error },
    );
  }
}

/**
 * Returns the mirror that a bot would continue from; that of real money before that of paper. Throws if there
 * is none.
 */
function mirrorNameIn(dataFolder: string): (typeof BACKED_UP_MIRRORS)[number] {
  const found = BACKED_UP_MIRRORS.find((name) => existsSync(join(dataFolder, name)));
  if (found !== undefined) return found;
  const path = join(dataFolder, mirrorName('live'));
  const other = mirrorName('embedded');
  if (!existsSync(join(dataFolder, other)))
    throw unusable({ path, found: 'nothing', advice: 'name the data folder of the bot with --data' });
  throw unusable({
    path,
    found: `${other}, that of a bot that begins anew with every run and has nothing to go on from`,
    advice:
      'back up a bot of the mode live or paper; copy that file while the bot is stopped if you want to keep it',
  });
}

/** Returns the most bytes that a copy of a mirror needs. */
function bytesOf(mirror: string): number {
  const sizes = ['', '-wal'].map((ending) => statSync(mirror + ending, { throwIfNoEntry: false })?.size ?? 0);
  return sizes.reduce((sum, size) => sum + size, 0);
}

function removeUnfinished(out: string): void {
  for (const name of readdirSync(out))
    if (name.startsWith(UNFINISHED)) rmSync(join(out, name), { recursive: true, force: true });
}

async function copyWhole(mirror: string, options: BackupOptions): Promise<WholeBackup> {
  const { out, nowMs } = options;
  const name = `sarraf-backup-${isoText(nowMs).replaceAll(':', '-')}`;
  const draft = join(out, `${UNFINISHED}${name}`);
  const folder = join(out, name);
  try {
    mkdirSync(draft, { mode: 0o700 });
    const filled = await fill(draft, mirror, options);
    // Fails if another backup of the same millisecond has the name: a folder with files is never replaced.
    renameSync(draft, folder);
    syncFolder(out);
    return { folder, ...filled };
  } catch (error) {
    rmSync(draft, { recursive: true, force: true });
    throw fullDisk(out, error) ?? error;
  }
}

async function fill(
  draft: string,
  mirror: string,
  options: BackupOptions,
): Promise<Omit<WholeBackup, 'folder'>> {
  const { out, nowMs, signal, onProgress } = options;
  const mirrorFile = mirrorNameIn(options.dataFolder);
  const copy = join(draft, mirrorFile);
  const facts = await copyMirror(mirror, copy, {
    onStep({ bytes, ofBytes }) {
      signal.throwIfAborted();
      expectRoom(out, ofBytes - bytes);
      const phase = bytes === ofBytes ? 'checking' : 'copying';
      onProgress({ phase, megabytes: megabytesOf(bytes), share: ofBytes === 0 ? null : bytes / ofBytes });
    },
  });
  signal.throwIfAborted();
  // After the mirror: alerts are found in it.
  const { names, leftOut } = copySideFiles(draft, options);
  const files: BackedUpFile[] = [];
  for (const name of [mirrorFile, ...names] as const) {
    const path = join(draft, name);
    syncFile(path);
    files.push({ name, bytes: statSync(path).size, sha256: await checksum(path) });
  }
  signal.throwIfAborted();
  const { epochs, instances, lastAtMs, rows } = facts;
  const manifest: BackupManifest = {
    program: 'sarraf backup',
    version: BACKUP_VERSION,
    madeBy: VERSION,
    madeAtMs: nowMs,
    lastAtMs,
    instances: [...instances],
    epochs: [...epochs],
    rows: { ...rows },
    files,
  };
  const path = join(draft, MANIFEST);
  writeFileSync(path, `${JSON.stringify(manifest, null, 2)}\n`);
  syncFile(path);
  syncFolder(dirname(path));
  return { manifest, leftOut };
}

function copySideFiles(
  draft: string,
  { dataFolder, beside = [] }: BackupOptions,
): { readonly names: readonly SideFile['name'][]; readonly leftOut: readonly string[] } {
  const names: SideFile['name'][] = [];
  const leftOut: string[] = [];
  const isOnPaper = mirrorNameIn(dataFolder) === mirrorName('paper');
  const account = isOnPaper ? [PAPER_ACCOUNT_SIDE_FILE] : [];
  for (const { name, isVital, copy } of [CONTROL_SIDE_FILE, ...account, ...beside]) {
    const to = join(draft, name);
    try {
      if (copy(dataFolder, to)) names.push(name);
    } catch (error) {
      if (isVital || fullDisk(draft, error) !== null) throw error;
      rmSync(to, { force: true });
      leftOut.push(`${name}: ${messageOf(error)}`);
    }
  }
  return { names, leftOut };
}

interface Retention {
  /** Folders of deleted backups, oldest first. */
  readonly deleted: readonly string[];
  /** Entries of the folder that resemble a backup but were left alone, with the reason. */
  readonly leftAlone: readonly string[];
}

/**
 * Splits backups into those of the mirror of `newest`, newest first, and those of other mirrors. Backups
 * share an epoch mark if they are of one mirror, even across a restore between them.
 */
function ofSameMirror(
  newest: FoundBackup,
  all: readonly FoundBackup[],
): { readonly own: readonly FoundBackup[]; readonly others: readonly FoundBackup[] } {
  const epochs = new Set(newest.manifest.epochs);
  const isOwn = ({ manifest }: FoundBackup): boolean => manifest.epochs.some((epoch) => epochs.has(epoch));
  const own = all.filter((one) => one.folder !== newest.folder && isOwn(one));
  return {
    own: [newest, ...own.toSorted((one, other) => other.manifest.madeAtMs - one.manifest.madeAtMs)],
    others: all.filter((one) => one.folder !== newest.folder && !isOwn(one)),
  };
}

/**
 * Deletes backups of one mirror except the newest `keep` complete ones. Anything damaged, of another mirror,
 * of a newer version, or not a backup stays and does not count. The caller must hold the folder's lock.
 */
async function deleteOldBackups(
  root: string,
  { newest, keep }: { readonly newest: FoundBackup; readonly keep: number },
): Promise<Retention> {
  const { found, leftAlone } = listBackups(root);
  const { own, others } = ofSameMirror(newest, found);
  const left = [
    ...leftAlone,
    ...others.map(({ folder }) => `${folder} is of another mirror: delete it yourself if nobody needs it`),
  ];
  const deleted: string[] = [];
  // With fewer, nothing is deleted, so nothing has to be read.
  if (own.length > keep) {
    let whole = 0;
    for (const backup of own) {
      const problem = backup === newest ? null : await problemOf(backup);
      if (problem !== null) left.push(problem);
      else if (whole < keep) whole += 1;
      else deleted.unshift(backup.folder);
    }
    for (const folder of deleted) removeBackup(folder);
  }
  return { deleted, leftAlone: left };
}

/** Deletes a backup. What is left of an interrupted deletion is removed when the next backup is made. */
function removeBackup(folder: string): void {
  const leaving = join(dirname(folder), UNFINISHED + basename(folder));
  renameSync(folder, leaving);
  rmSync(leaving, { recursive: true });
}

function listBackups(root: string): { readonly found: FoundBackup[]; readonly leftAlone: string[] } {
  const found: FoundBackup[] = [];
  const leftAlone: string[] = [];
  for (const entry of readdirSync(root, { withFileTypes: true })) {
    const folder = join(root, entry.name);
    if (!entry.isDirectory() || entry.name.startsWith(UNFINISHED) || !existsSync(join(folder, MANIFEST)))
      continue;
    try {
      found.push({ folder, manifest: readBackupManifest(folder) });
    } catch (error) {
      leftAlone.push(problemText(error));
    }
  }
  return { found, leftAlone };
}

async function problemOf(backup: FoundBackup): Promise<string | null> {
  try {
    await checkFiles(backup);
    return null;
  } catch (error) {
    return problemText(error);
  }
}

/** Returns the message of a backup that cannot be used; throws any other error. */
function problemText(error: unknown): string {
  if (error instanceof SarrafError) return error.message;
  throw error;
}

const ADVICE = 'Nothing was kept of the copy: make room there, or name a folder on another disk';

export const megabytesOf = (bytes: number): number => Math.ceil(bytes / 1_048_576);

/**
 * Throws `DATA_UNUSABLE` if the disk of a folder has no space for a copy. A bot may write to the same disk:
 * what its reserve file needs stays free.
 */
export function expectRoom(folder: string, bytes: number): void {
  const { bavail, bsize } = statfsSync(folder);
  const neededBytes = bytes + RESERVE_FILE_ROOM_BYTES;
  if (bavail * bsize >= neededBytes) return;
  throw dataUnusable(
    `expected ${megabytesOf(neededBytes)} MB free for a copy in ${folder}, with what a bot needs besides, found ${megabytesOf(bavail * bsize)} MB. ${ADVICE}`,
  );
}

/** Returns the error for a disk that became full during a copy; null for any other error. */
export function fullDisk(folder: string, error: unknown): SarrafError | null {
  const { code = '' } = error as NodeJS.ErrnoException;
  if (sqliteCode(error) !== 'SQLITE_FULL' && code !== 'ENOSPC' && code !== 'EDQUOT') return null;
  return dataUnusable(`expected room for a copy in ${folder}, found a full disk. ${ADVICE}`, {
    cause: error,
  });
}

const noted = z.object({ folder: z.string(), madeAtMs: z.int().nonnegative() });

/** A backup as its data folder remembers it; its folder may be gone by now. */
type NotedBackup = z.output<typeof noted>;

const pathOf = (dataFolder: string): string => join(dataFolder, 'last-backup.json');

/** Notes in a data folder that a backup of it was made. Throws what the system throws. */
export function noteBackup(dataFolder: string, { folder, madeAtMs }: NotedBackup): void {
  writePrivateFile(pathOf(dataFolder), JSON.stringify({ folder, madeAtMs }));
}

/** Returns the last backup of a data folder; null if none is noted, or the note cannot be read. */
export function lastBackup(dataFolder: string): NotedBackup | null {
  try {
    return noted.parse(JSON.parse(readPrivateFile(pathOf(dataFolder)) ?? 'null'));
  } catch {
    return null;
  }
}
