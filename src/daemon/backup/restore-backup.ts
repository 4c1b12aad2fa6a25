import { copyFileSync, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { isoText } from '../../domain/time-text.ts';
import { SarrafError } from '../../domain/errors.ts';
import { mirrorFactsOf, type MirrorFacts } from '../../mirror/mirror-facts.ts';
import { restoringPath } from '../../mirror/mirror-file.ts';
import { unusable } from '../../mirror/unusable.ts';
import { hasWriter } from '../../mirror/writer-lock.ts';
import { syncFile, syncFolder } from '../../recording/durable-file.ts';
import { controlPath, openControlFile } from '../control/control-file.ts';
import { lockDataFolder } from '../process-locks/run-locks.ts';
import {
  checkFiles,
  fileProblem,
  notABackup,
  readBackupManifest,
  type BackedUpFile,
  type FoundBackup,
} from './backup-manifest.ts';
import { otherBotText } from './other-bot.ts';
import { expectRoom, fullDisk } from './room-for-copy.ts';

/** Files of a mirror that go with it. Its locks and its ballast are of the folder, and stay. */
const MIRROR_FILES = ['', '-wal', '-shm', '.mark'] as const;

const LOCK_WAIT_MS = 2_000;

/** A backup that was verified, and the folder that it is to go to. */
export interface PlannedRestore {
  readonly backup: FoundBackup;
  readonly dataFolder: string;
  /** What the folder's mirror has now; null where there is none, or it can not be read. */
  readonly present: MirrorFacts | null;
  /** Whether the folder's control database stays, with the halt of the last operator. */
  readonly keepsControl: boolean;
}

export interface RestoreResult {
  /** Where what was in the folder is now; null where there was nothing. */
  readonly keptAs: string | null;
  /** Files that were put in the folder. */
  readonly restored: readonly string[];
}

/**
 * Verifies a backup and holds it against the bot of a folder, and against the instance of a configuration
 * where one is given. Changes nothing. Throws `DATA_UNUSABLE` where the backup is not whole or of another
 * version, and `INVALID_OPTIONS` where it is another bot's.
 */
export async function planRestore(
  folder: string,
  to: { readonly dataFolder: string; readonly instance: string | null },
): Promise<PlannedRestore> {
  const { dataFolder, instance } = to;
  const backup = { folder: resolve(folder), manifest: readBackupManifest(folder) };
  if (!backup.manifest.files.some(({ name }) => name === 'mirror.sqlite'))
    throw notABackup(folder, 'no mirror in it', 'it was left as it is. Use another backup');
  await checkFiles(backup);
  const facts = mirrorFactsOf(join(folder, 'mirror.sqlite'));
  const present = readPresent(join(dataFolder, 'mirror.sqlite'));
  const other = otherBotText(facts, { present, instance });
  if (other !== null) {
    throw new SarrafError(
      'INVALID_OPTIONS',
      `expected a backup of the bot of ${dataFolder}, found ${folder} ${other}. Nothing was changed: name the backup of this bot, or another folder with --data`,
    );
  }
  return { backup, dataFolder, present, keepsControl: isControlUsable(dataFolder) };
}

/**
 * Puts a backup into a folder that no bot has, and what was there aside under a name of its own. The next
 * start of the bot sees that its mirror was put back, whatever the backup's age. A restore that is killed
 * leaves a folder in which no bot starts until it is given again. Throws `DATA_UNUSABLE`.
 */
export async function restoreBackup(plan: PlannedRestore, nowMs: number): Promise<RestoreResult> {
  const { backup, dataFolder, keepsControl } = plan;
  const lock = lockDataFolder(dataFolder);
  try {
    const mirror = join(dataFolder, 'mirror.sqlite');
    refuseWriter(mirror);
    const files = new Map(backup.manifest.files.map((file) => [file.name, file]));
    const file = files.get('mirror.sqlite');
    const control = keepsControl ? undefined : files.get('control.sqlite');
    if (file === undefined) return { keptAs: null, restored: [] };
    await copyFile(backup.folder, file, restoringPath(mirror));
    if (control !== undefined) await copyFile(backup.folder, control, `${controlPath(dataFolder)}.restoring`);
    const aside = MIRROR_FILES.map((ending) => mirror + ending);
    if (!keepsControl) aside.push(...['', '-wal', '-shm'].map((ending) => controlPath(dataFolder) + ending));
    const keptAs = moveAside(aside, join(dataFolder, `replaced-${isoText(nowMs).replaceAll(':', '-')}`));
    if (control !== undefined) renameSync(`${controlPath(dataFolder)}.restoring`, controlPath(dataFolder));
    // The last step: until then no bot starts here.
    renameSync(restoringPath(mirror), mirror);
    syncFolder(dataFolder);
    return { keptAs, restored: [...(control === undefined ? [] : ['control.sqlite']), 'mirror.sqlite'] };
  } finally {
    lock.release();
  }
}

/** Null where it can not be read, as after damage: that is what a backup is for. */
function readPresent(path: string): MirrorFacts | null {
  if (!existsSync(path)) return null;
  try {
    return mirrorFactsOf(path);
  } catch (error) {
    if (error instanceof SarrafError) return null;
    throw error;
  }
}

/** One that is there has the newer halt. */
function isControlUsable(dataFolder: string): boolean {
  if (!existsSync(controlPath(dataFolder))) return false;
  try {
    openControlFile(dataFolder, LOCK_WAIT_MS).close();
    return true;
  } catch (error) {
    if (error instanceof SarrafError) return false;
    throw error;
  }
}

function refuseWriter(mirror: string): void {
  if (hasWriter(mirror) !== true) return;
  throw unusable({
    path: mirror,
    found: 'a bot that has it open',
    advice: 'end that one, or name another folder with --data',
  });
}

/** A whole copy under the name, as after a crash too, or none. */
async function copyFile(from: string, file: BackedUpFile, to: string): Promise<void> {
  const draft = `${to}.${process.pid}.tmp`;
  try {
    expectRoom(dirname(to), file.bytes);
    copyFileSync(join(from, file.name), draft);
    syncFile(draft);
    const problem = await fileProblem(draft, file);
    if (problem !== null) throw notABackup(from, problem, 'look after the disk, and give the command again');
    renameSync(draft, to);
    syncFolder(dirname(to));
  } catch (error) {
    rmSync(draft, { force: true });
    throw fullDisk(dirname(to), error) ?? error;
  }
}

function moveAside(paths: readonly string[], folder: string): string | null {
  const there = paths.filter((path) => existsSync(path));
  if (there.length === 0) return null;
  mkdirSync(folder, { mode: 0o700 });
  for (const path of there) renameSync(path, join(folder, path.slice(dirname(path).length + 1)));
  syncFolder(folder);
  return folder;
}
