import { existsSync } from 'node:fs';
import Database from 'better-sqlite3';
import type { SideFile } from '../../daemon/backup/side-file.ts';
import { unusable } from '../../mirror/unusable.ts';
import { PUT_BACK } from './alert-outbox.ts';
import { openOutboxFile, outboxPath } from './outbox-file.ts';

/**
 * Ids that a copy leaves out: alerts and messages since the backup may have them, and people know a
 * repetition by its id.
 */
const SKIPPED_IDS = 10_000;

/** The outbox of a run, as backups take it along. */
export const OUTBOX_SIDE_FILE: SideFile = {
  name: 'alerts.sqlite',
  isVital: false,
  copy: copyOutbox,
  open: (dataFolder) => openOutboxFile(dataFolder),
};

/** What was asked by chat is left out: a button of then is of a state of things that is gone. */
function copyOutbox(dataFolder: string, to: string): boolean {
  if (!existsSync(outboxPath(dataFolder))) return false;
  const source = openOutboxFile(dataFolder);
  try {
    source.prepare('VACUUM INTO ?').run(to);
  } finally {
    source.close();
  }
  const copy = new Database(to, { fileMustExist: true });
  try {
    copy.exec(`
      DELETE FROM meta WHERE name GLOB 'asked *';
      INSERT OR REPLACE INTO meta VALUES ('${PUT_BACK}', 'yes');
      UPDATE sqlite_sequence SET seq = seq + ${SKIPPED_IDS} WHERE name IN ('alerts', 'messages');
      INSERT INTO sqlite_sequence
        SELECT value, ${SKIPPED_IDS} FROM json_each('["alerts", "messages"]')
        WHERE value NOT IN (SELECT name FROM sqlite_sequence);
    `);
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
