import { existsSync } from 'node:fs';
import { copyDatabase } from '../../daemon/backup/copy-database.ts';
import type { SideFile } from '../../daemon/backup/side-file.ts';
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

const AS_A_COPY = `
  DELETE FROM meta WHERE name GLOB 'asked *';
  INSERT OR REPLACE INTO meta VALUES ('${PUT_BACK}', 'yes');
  UPDATE sqlite_sequence SET seq = seq + ${SKIPPED_IDS} WHERE name IN ('alerts', 'messages');
  INSERT INTO sqlite_sequence
    SELECT value, ${SKIPPED_IDS} FROM json_each('["alerts", "messages"]')
    WHERE value NOT IN (SELECT name FROM sqlite_sequence);
`;

/** What was asked by chat is left out: a button of then is of a state of things that is gone. */
function copyOutbox(dataFolder: string, to: string): boolean {
  if (!existsSync(outboxPath(dataFolder))) return false;
  copyDatabase(openOutboxFile(dataFolder), to, AS_A_COPY);
  return true;
}
