import { copyFileSync, existsSync, renameSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { isoText } from '../domain/time-text.ts';
import { SarrafError, invariant, invalidOptions } from '../domain/errors.ts';
import { mirrorFactsOf, type MirrorFacts } from '../mirror/copy-mirror.ts';
import { restoringPath } from '../mirror/mirror-file.ts';
import { unusable, hasWriter } from '../mirror/unusable.ts';
import { syncFile, syncFolder, moveAside } from '../recording/durable-file.ts';
import { claimDataFolder } from './process-locks.ts';
import {
  checkFiles,
  fileProblem,
  mirrorOf,
  notABackup,
  readBackupManifest,
  type BackedUpFile,
  type FoundBackup,
} from './backup/backup-manifest.ts';
import { expectRoom, fullDisk } from './make-backup.ts';
import { PAPER_ACCOUNT_SIDE_FILE } from './paper-account-file.ts';
import { mirrorName } from '../mirror/mirror-path.ts';
import { CONTROL_SIDE_FILE, staysOverRestore, type SideFile } from './side-file.ts';
import { compareAccounts, storedAccount, type AccountHash } from '../venues/account-reader.ts';

/** Endings of the files that form a mirror. Its locks and its reserve file belong to the folder, and stay. */
const MIRROR_FILES = ['', '-wal', '-shm', '.mark'] as const;

/** A verified backup, with the folder to which it is restored. */
export interface PlannedRestore {
  readonly backup: FoundBackup;
  readonly dataFolder: string;
  /** Facts of the folder's current mirror; null if there is none, or it cannot be read. */
  readonly present: MirrorFacts | null;
  /** Files the backup may contain besides the mirror. */
  readonly beside: readonly SideFile[];
  /** Files that stay in the folder because they are newer, such as one with the last operator's halt. */
  readonly retained: ReadonlySet<SideFile['name']>;
}

export interface RestoreResult {
  /** New place of the folder's previous content; null if there was none. */
  readonly keptAs: string | null;
  /** Files that were put in the folder. */
  readonly restored: readonly string[];
}

/**
 * Verifies a backup and compares it with the bot of a folder and, if given, with the instance of a
 * configuration. Changes nothing. Throws `DATA_UNUSABLE` if the backup is not whole or of another version,
 * and `INVALID_OPTIONS` if it is another bot's.
 */
export async function planRestore(
  folder: string,
  to: {
    readonly dataFolder: string;
    readonly instance: string | null;
    /** Files restored with the mirror besides the control database. */
    readonly beside?: readonly SideFile[];
  },
): Promise<PlannedRestore> {
  const { dataFolder, instance } = to;
  const backup = { folder: resolve(folder), manifest: readBackupManifest(folder) };
  const mirror = mirrorOf(backup.manifest);
  if (mirror === null)
    throw notABackup(folder, 'no mirror in it', 'it was left as it is. Use another backup');
  await checkFiles(backup);
  const facts = mirrorFactsOf(join(folder, mirror.name));
  const present = readPresent(join(dataFolder, mirror.name));
  const other = otherBotText(facts, { present, instance });
  if (other !== null) {
    throw invalidOptions(
      `expected a backup of the bot of ${dataFolder}, found ${folder} ${other}. Nothing was changed: name the backup of this bot, or another folder with --data`,
    );
  }
  const account = mirror.name === mirrorName('paper') ? [PAPER_ACCOUNT_SIDE_FILE] : [];
  const beside = [CONTROL_SIDE_FILE, ...account, ...(to.beside ?? [])];
  const usable = beside.filter((file) => staysOverRestore(file, { dataFolder, backup: backup.folder }));
  return { backup, dataFolder, present, beside, retained: new Set(usable.map(({ name }) => name)) };
}

/**
 * Moves the content of a folder that no bot uses aside, under a name of its own, and puts a backup there. At
 * its next start the bot sees that its mirror was restored, whatever the backup's age. In the folder of a
 * restore that was killed no bot starts until the restore is run again. Throws `DATA_UNUSABLE`.
 */
export async function restoreBackup(plan: PlannedRestore, nowMs: number): Promise<RestoreResult> {
  const { backup, dataFolder, beside, retained } = plan;
  using _lock = claimDataFolder(dataFolder);
  const file = mirrorOf(backup.manifest);
  invariant(file !== null, () => `expected a mirror in ${backup.folder}, found none`);
  const mirror = join(dataFolder, file.name);
  refuseWriter(mirror);
  const files = new Map(backup.manifest.files.map((each) => [each.name, each]));
  await copyFile(backup.folder, file, restoringPath(mirror));
  const replaced = beside.filter(({ name }) => !retained.has(name));
  const given = replaced.flatMap(({ name }) => files.get(name) ?? []);
  for (const each of given) await copyFile(backup.folder, each, restoringPath(join(dataFolder, each.name)));
  const aside = MIRROR_FILES.map((ending) => mirror + ending);
  for (const { name } of replaced)
    aside.push(...['', '-wal', '-shm'].map((ending) => join(dataFolder, name + ending)));
  const keptAs = moveAside(aside, join(dataFolder, `replaced-${isoText(nowMs).replaceAll(':', '-')}`));
  for (const { name } of given) renameSync(restoringPath(join(dataFolder, name)), join(dataFolder, name));
  // The last step: until then no bot starts here.
  renameSync(restoringPath(mirror), mirror);
  syncFolder(dataFolder);
  return { keptAs, restored: [...given.map(({ name }) => name), file.name] };
}

/** Reads the facts of a mirror; null if it cannot be read, as after damage, which a backup is for. */
function readPresent(path: string): MirrorFacts | null {
  if (!existsSync(path)) return null;
  try {
    return mirrorFactsOf(path);
  } catch (error) {
    if (error instanceof SarrafError) return null;
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

/** Copies a file; after a crash too, the name has a complete copy or none. */
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

type Owner = Pick<MirrorFacts, 'instances' | 'account'>;

/**
 * Returns why a backup is another bot's, as in `found BACKUP …`; null if nothing indicates it. Instances are
 * identified by order names. Accounts are compared if both mirrors have hashes of one salt; else the bot does
 * it when it starts and queries the exchange.
 */
export function otherBotText(
  backup: Owner,
  of: { readonly present: Owner | null; readonly instance: string | null },
): string | null {
  const { present, instance } = of;
  if (instance !== null && backup.instances.length > 0 && !backup.instances.includes(instance))
    return `with orders of the instance ${backup.instances.join(', ')}, where the configuration has ${instance}`;
  if (present === null) return null;
  if (areApart(backup.instances, present.instances)) {
    return `with orders of the instance ${backup.instances.join(', ')}, where the folder has those of ${present.instances.join(', ')}`;
  }
  const [one, other] = [accountOf(backup), accountOf(present)];
  const isOther = one !== null && other !== null && compareAccounts(one, other) === 'other';
  return isOther ? 'of another account' : null;
}

function areApart(one: readonly string[], other: readonly string[]): boolean {
  return one.length > 0 && other.length > 0 && !one.some((name) => other.includes(name));
}

/** Returns the account of a mirror or backup; null if its row is damaged: the bot refuses it at its start. */
function accountOf({ account }: Owner): AccountHash | null {
  if (account === null) return null;
  try {
    return storedAccount.safeParse(JSON.parse(account)).data ?? null;
  } catch {
    return null;
  }
}
