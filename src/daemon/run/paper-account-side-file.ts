import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { copyDatabase } from '../copy-database.ts';
import type { SideFile } from '../side-file.ts';
import { openPaperAccountFile, PAPER_ACCOUNT, paperAccountBeganAtMs } from '../paper-account-file.ts';

/**
 * The account of a bot on paper, as backups take it along: copied after the mirror, so that it knows all that
 * the mirror does, as an exchange would.
 */
export const PAPER_ACCOUNT_SIDE_FILE: SideFile = {
  name: PAPER_ACCOUNT,
  isVital: true,
  copy: copyAccount,
  isOther: (path, backedUpPath) => paperAccountBeganAtMs(path) !== paperAccountBeganAtMs(backedUpPath),
  open: openPaperAccountFile,
};

function copyAccount(dataFolder: string, to: string): boolean {
  if (!existsSync(join(dataFolder, PAPER_ACCOUNT))) return false;
  copyDatabase(openPaperAccountFile(dataFolder), to);
  return true;
}
