import { existsSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { SarrafError } from '../../domain/errors.ts';
import { checkFiles, MANIFEST, readBackupManifest, UNFINISHED, type FoundBackup } from './backup-manifest.ts';

/** Result of retention. */
export interface Retention {
  /** Folders of backups that were deleted, oldest first. */
  readonly deleted: readonly string[];
  /** Parts of the folder left alone though they resemble a backup, with the reason. */
  readonly leftAlone: readonly string[];
}

/**
 * Splits backups into those of the mirror of `newest`, newest first, and those of other mirrors. Backups
 * share a mark if they are of one mirror, even across a restore between them.
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
 * Deletes backups of one mirror until the newest `keep` are left that are whole. What is damaged, of another
 * mirror, of a newer version or no backup at all stays and does not count. For whoever has the folder's lock.
 */
export async function deleteOldBackups(
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
  // Below that nothing goes, so nothing has to be read.
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

/**
 * Deletes a backup. The rest of an interrupted deletion is no backup, and is removed with the next one made.
 */
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

/** Returns the message about a backup that cannot be used. Any other error is thrown. */
function problemText(error: unknown): string {
  if (error instanceof SarrafError) return error.message;
  throw error;
}
