import { existsSync, readFileSync } from 'node:fs';
import { mirrorName } from '../../mirror/mirror-path.ts';
import { join } from 'node:path';
import { z } from 'zod';
import { SarrafError } from '../../domain/errors.ts';
import { checksum } from '../../recording/durable-file.ts';

export const MANIFEST = 'manifest.json';

/** A folder of such a name is of a backup that is being made or deleted, or was when its process ended. */
export const UNFINISHED = '.unfinished-';

/** The version of backups that this sarraf writes, and the newest that it reads. */
export const BACKUP_VERSION = 3;

/** Those of the first version have no alerts, those of the second none of the watchdog. */
const READ_VERSIONS = [1, 2, BACKUP_VERSION] as const;

const count = z.int().nonnegative();

const manifestShape = z.object({
  program: z.literal('sarraf backup'),
  version: z.literal(READ_VERSIONS),
  /** Version of sarraf that made it. */
  madeBy: z.string().max(100),
  madeAtMs: count,
  /** The last time that the mirror knows of; null for an empty one. */
  lastAtMs: count.nullable(),
  /** Instance names in the bot's order names. */
  instances: z.array(z.string().max(32)).max(100),
  /** Marks of the mirror in its order ids: two backups that share one are of one mirror. */
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

/** Content of a backup, and the means to verify that each file is whole. */
export type BackupManifest = z.output<typeof manifestShape>;

export type BackedUpFile = BackupManifest['files'][number];

/** Mirrors that a bot goes on from: of one that trades with money, and of one on paper. */
export const BACKED_UP_MIRRORS = [mirrorName('live'), mirrorName('paper')] as const;

export function mirrorOf({ files }: BackupManifest): BackedUpFile | null {
  return files.find(({ name }) => BACKED_UP_MIRRORS.some((mirror) => mirror === name)) ?? null;
}

/** A backup by its folder. */
export interface FoundBackup {
  readonly folder: string;
  readonly manifest: BackupManifest;
}

/**
 * Reads what is in the backup of a folder. Throws `DATA_UNUSABLE` where there is none, where it is damaged,
 * and where a newer sarraf made it.
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

/** Returns why a file is not the one backed up; null if it is, to the last bit. */
export async function fileProblem(path: string, file: BackedUpFile): Promise<string | null> {
  if (!existsSync(path)) return `no ${file.name}`;
  return (await checksum(path)) === file.sha256
    ? null
    : `a ${file.name} that is not the one that was written`;
}

/** Throws `DATA_UNUSABLE` where a file of a backup is missing or is not the one that was written. */
export async function checkFiles({ folder, manifest }: FoundBackup): Promise<void> {
  for (const file of manifest.files) {
    const problem = await fileProblem(join(folder, file.name), file);
    if (problem !== null) throw notABackup(folder, problem, ANOTHER);
  }
}

const ANOTHER = 'it was left as it is. Use another backup';

export function notABackup(folder: string, found: string, advice: string): SarrafError {
  return new SarrafError(
    'DATA_UNUSABLE',
    `expected a whole backup of sarraf in ${folder}, found ${found}: ${advice}`,
  );
}
