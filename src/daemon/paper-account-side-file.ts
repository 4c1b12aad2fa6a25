import { existsSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { unusable } from '../mirror/unusable.ts';
import type { SideFile } from './backup/side-file.ts';
import { openPaperAccountFile, PAPER_ACCOUNT } from './paper-account-file.ts';

/**
 * The account of a bot on paper, as backups take it along: copied after the mirror, so that it knows all that
 * the mirror does, as an exchange would.
 */
export const PAPER_ACCOUNT_SIDE_FILE: SideFile = {
  name: PAPER_ACCOUNT,
  isVital: true,
  copy: copyAccount,
  open: openPaperAccountFile,
};

function copyAccount(dataFolder: string, to: string): boolean {
  if (!existsSync(join(dataFolder, PAPER_ACCOUNT))) return false;
  const source = openPaperAccountFile(dataFolder);
  try {
    source.prepare('VACUUM INTO ?').run(to);
  } finally {
    source.close();
  }
  const copy = new Database(to, { fileMustExist: true, readonly: true });
  try {
    const health = String(copy.pragma('integrity_check(1)', { simple: true }));
    if (health !== 'ok')
      throw unusable({
        path: to,
        found: `a damaged copy (${health})`,
        advice: 'look after the disk, and copy it again',
      });
  } finally {
    copy.close();
  }
  return true;
}
