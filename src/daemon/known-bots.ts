import { createHash } from 'node:crypto';
import { accessSync, constants, readdirSync, readFileSync, realpathSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { writePrivateFile } from '../configuration/secret-file.ts';

const stored = z.object({
  dataFolder: z.string().min(1).max(4_096),
  dashboard: z
    .url({ protocol: /^https?$/ })
    .max(200)
    .nullable(),
  atMs: z.int().nonnegative(),
});

/** A bot that has run on this machine, as it noted itself. */
export type KnownBot = z.output<typeof stored>;

/** Maximum number of bots that are listed: the newest. */
const MOST_BOTS = 64;

/** Maximum number of note files that are read; a folder with more is not ours alone. */
const MOST_FILES = 1_000;

const folderOf = (ledgerFolder: string): string => join(ledgerFolder, 'bots');

/**
 * Writes a note of a bot beside the ledger that it shares with others, so that each bot can show all. Only
 * this user can read it. Throws what the system throws.
 */
export function noteBot(ledgerFolder: string, bot: KnownBot): void {
  const dataFolder = realpathSync(bot.dataFolder);
  const name = createHash('sha256').update(dataFolder).digest('hex').slice(0, 16);
  writePrivateFile(join(folderOf(ledgerFolder), `${name}.json`), JSON.stringify({ ...bot, dataFolder }));
}

/**
 * Returns the bots that were noted, newest first. Notes of deleted folders are deleted; folders of another
 * user, and those that this user cannot read, are left out.
 */
export function knownBots(ledgerFolder: string): readonly KnownBot[] {
  const folder = folderOf(ledgerFolder);
  let names: readonly string[];
  try {
    names = readdirSync(folder).filter((name) => /^[0-9a-f]{16}\.json$/.test(name));
  } catch {
    return [];
  }
  return names
    .slice(0, MOST_FILES)
    .flatMap((name) => readNote(join(folder, name)) ?? [])
    .filter(({ dataFolder }) => isOwnFolder(dataFolder))
    .toSorted((left, right) => right.atMs - left.atMs)
    .slice(0, MOST_BOTS);
}

function readNote(path: string): KnownBot | null {
  try {
    const note = stored.safeParse(JSON.parse(readFileSync(path, 'utf8'))).data ?? null;
    if (note !== null && statSync(note.dataFolder, { throwIfNoEntry: false }) === undefined) {
      rmSync(path, { force: true });
      return null;
    }
    return note;
  } catch {
    return null;
  }
}

function isOwnFolder(path: string): boolean {
  try {
    accessSync(path, constants.R_OK);
    const user = process.getuid?.();
    return user === undefined || statSync(path).uid === user;
  } catch {
    return false;
  }
}
