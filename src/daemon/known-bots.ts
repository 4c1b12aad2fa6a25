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

/** A bot that has run on this machine, as it noted itself down. */
export type KnownBot = z.output<typeof stored>;

/** Bots that are listed: the newest. */
const MOST_BOTS = 64;

/** Files that are looked at; a folder with more is not ours alone. */
const MOST_FILES = 1_000;

const folderOf = (ledgerFolder: string): string => join(ledgerFolder, 'bots');

/**
 * Notes a bot down beside the ledger that it shares with the others, so that each of them can show all. Only
 * this user can read it. Throws what the system throws.
 */
export function noteBot(ledgerFolder: string, bot: KnownBot): void {
  const dataFolder = realpathSync(bot.dataFolder);
  const name = createHash('sha256').update(dataFolder).digest('hex').slice(0, 16);
  writePrivateFile(join(folderOf(ledgerFolder), `${name}.json`), JSON.stringify({ ...bot, dataFolder }));
}

/**
 * The bots that were noted down, newest first. Notes of folders that are gone are taken away; folders of
 * another user, and those that this one can not read, are left out.
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
