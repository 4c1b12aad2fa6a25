import { existsSync, readFileSync } from 'node:fs';
import { mirrorName } from '../../mirror/mirror-path.ts';
import { join } from 'node:path';
import { z } from 'zod';
import { SarrafError, dataUnusable } from '../../domain/errors.ts';
import { checksum } from '../../recording/durable-file.ts';

export const MANIFEST = 'manifest.json';

/** Part of the name of a folder whose backup is being made or deleted, or was when its process ended. */
export const UNFINISHED = '.unfinished-';

/** Version of the backups that this sarraf writes, and the newest that it reads. */
export const BACKUP_VERSION = 3;

/** Readable versions. Backups of version 1 have no alerts, those of version 2 none of the watchdog. */
const READ_VERSIONS = [1, 2, BACKUP_VERSION] as const;

const count = z.int().nonnegative();

const manifestShape = z.object({
  program: z.literal('sarraf backup'),
  version: z.literal(READ_VERSIONS),
  /** Version of sarraf that made the backup. */
  madeBy: z.string().max(100),
  madeAtMs: count,
  /** Last time that the mirror contains, in ms since 1970; null if the mirror is empty. */
  lastAtMs: count.nullable(),
  /** Instance names that occur in the bot's order names. */
  instances: z.array(z.string().max(32)).max(100),
  /** Epoch marks of the mirror in its order ids: two backups that share one are of the same mirror. */
  epochs: z.array(z.string().max(4)).max(200),
  rows: z.record(z.string().max(100), count),
  files: z
    .array(
      z.object({
        name: z.enum([
          'mirror.sqlite',
          'paper.sqlite',
          'paper-account.sqlite',
          'control.sqlite',
          'alerts.sqlite',
          'watchdog-alerts.sqlite',
        ]),
        bytes: count,
        sha256: z.string().regex(/^[0-9a-f]{64}$/),
      }),
    )
    .min(1)
    .max(5),
});

/** Content of a backup, with what is needed to verify that each file is whole. */
export type BackupManifest = z.output<typeof manifestShape>;

export type BackedUpFile = BackupManifest['files'][number];

/** Names of the mirrors that a bot continues from: that of trading with money, and that of paper trading. */
export const BACKED_UP_MIRRORS = [mirrorName('live'), mirrorName('paper')] as const;

export function mirrorOf({ files }: BackupManifest): BackedUpFile | null {
  return files.find(({ name }) => BACKED_UP_MIRRORS.some((mirror) => mirror === name)) ?? null;
}

/** A backup and its folder. */
export interface FoundBackup {
  readonly folder: string;
  readonly manifest: BackupManifest;
}

/**
 * Reads the manifest of the backup in a folder. Throws `DATA_UNUSABLE` if there is none, if it is damaged, or
 * if a newer sarraf made it.
 */
export function readBackupManifest(folder: string): BackupManifest {
  const path = join(folder, MANIFEST);
  if (!existsSync(path))
    throw notABackup(folder, `no ${MANIFEST}`, 'name a folder that "sarraf backup" made');
  let content: unknown;
  try {
    content = JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    throw notABackup(folder, `a damaged ${MANIFEST} (${String(error)})`, ANOTHER);
  }
  const version = z.object({ version: z.number() }).safeParse(content).data?.version ?? 0;
  if (version > BACKUP_VERSION) {
    const found = `one of version ${version}, where this sarraf reads up to ${BACKUP_VERSION}`;
    throw notABackup(folder, found, 'restore it with the sarraf that made it, or a newer one');
  }
  const read = manifestShape.safeParse(content);
  if (read.success) return read.data;
  throw notABackup(folder, `a damaged ${MANIFEST} (${z.prettifyError(read.error)})`, ANOTHER);
}

/** Returns why a file is not the one that was backed up; null if every byte is the same. */
export async function fileProblem(path: string, file: BackedUpFile): Promise<string | null> {
  if (!existsSync(path)) return `no ${file.name}`;
  return (await checksum(path)) === file.sha256
    ? null
    : `a ${file.name} that is not the one that was written`;
}

/** Checks a backup's files. Throws `DATA_UNUSABLE` if one is missing or is not the one that was written. */
export async function checkFiles({ folder, manifest }: FoundBackup): Promise<void> {
  for (const file of manifest.files) {
    const problem = await fileProblem(join(folder, file.name), file);
    if (problem !== null) throw notABackup(folder, problem, ANOTHER);
  }
}

const ANOTHER = 'it was left as it is. Use another backup';

export function notABackup(folder: string, found: string, advice: string): SarrafError {
  return dataUnusable(`expected a whole backup of sarraf in ${folder}, found ${found}: ${advice}`);
}
