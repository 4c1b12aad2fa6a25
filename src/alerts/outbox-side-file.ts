import { existsSync } from 'node:fs';
import { copyDatabase, type SideFile } from '../daemon/side-file.ts';
import { PUT_BACK } from './alert-outbox.ts';
import { openOutboxFile, OUTBOX_NAMES, outboxPath, type OutboxKeeper } from './outbox-file.ts';

/**
 * Ids that a copy leaves out: alerts and messages since the backup may have them, and people know a
 * repetition by its id.
 */
const SKIPPED_IDS = 10_000;

/** The outboxes of a run and of its watchdog, as backups take them along. */
export const OUTBOX_SIDE_FILES: readonly SideFile[] = (['run', 'watchdog'] as const).map((keeper) => ({
  name: OUTBOX_NAMES[keeper],
  isOther: null,
  isVital: false,
  copy: (dataFolder, to) => copyOutbox(dataFolder, { to, keeper }),
  open: (dataFolder) => openOutboxFile(dataFolder, keeper),
}));

const AS_A_COPY = `
  DELETE FROM meta WHERE name GLOB 'asked *';
  INSERT OR REPLACE INTO meta VALUES ('${PUT_BACK}', 'yes');
  UPDATE sqlite_sequence SET seq = seq + ${SKIPPED_IDS} WHERE name IN ('alerts', 'messages');
  INSERT INTO sqlite_sequence
    SELECT value, ${SKIPPED_IDS} FROM json_each('["alerts", "messages"]')
    WHERE value NOT IN (SELECT name FROM sqlite_sequence);
`;

/** Copies the outbox without chat requests: an old button refers to a state that is gone. */
function copyOutbox(
  dataFolder: string,
  { to, keeper }: { readonly to: string; readonly keeper: OutboxKeeper },
): boolean {
  if (!existsSync(outboxPath(dataFolder, keeper))) return false;
  copyDatabase(openOutboxFile(dataFolder, keeper), to, AS_A_COPY);
  return true;
}
