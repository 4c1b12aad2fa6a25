import { join } from 'node:path';
import { openOutboxFile, OUTBOX_NAMES } from '../../src/alerts/outbox-file.ts';
import { LedgerStore } from '../../src/budget/store.ts';
import { openControlFile } from '../../src/daemon/control-file.ts';
import { openPaperAccountFile } from '../../src/daemon/paper-account-file.ts';
import { openAccessFile } from '../../src/dashboard/access-store.ts';
import { openMirrorFile } from '../../src/mirror/mirror-file.ts';
import { openStudyDatabase } from '../../src/study/store/study-database.ts';

const A_STUDY = {
  what: 'a study',
  applicationId: 7,
  version: 1,
  tables: 'CREATE TABLE trials (id INTEGER PRIMARY KEY) STRICT',
};

/** The databases of a bot or a study: file name, and a function that opens or makes it in a folder. */
export const DATA_FILES: readonly (readonly [
  name: string,
  open: (folder: string) => { close: () => void },
])[] = [
  ['control.sqlite', (folder) => openControlFile(folder, 1_000)],
  ['access.sqlite', (folder) => openAccessFile(folder)],
  [OUTBOX_NAMES.run, (folder) => openOutboxFile(folder, 'run')],
  [OUTBOX_NAMES.watchdog, (folder) => openOutboxFile(folder, 'watchdog')],
  ['paper-account.sqlite', (folder) => openPaperAccountFile(folder)],
  ['mirror.sqlite', (folder) => openMirrorFile(join(folder, 'mirror.sqlite'), 'full')],
  ['ledger.sqlite', (folder) => openLedger(join(folder, 'ledger.sqlite'))],
  ['study.sqlite', (folder) => openStudyDatabase(join(folder, 'study.sqlite'), A_STUDY)],
];

const openLedger = (path: string): LedgerStore =>
  new LedgerStore({
    path,
    budgets: [],
    subjects: { ip: 'here', token: 'there' },
    whenMissing: 'empty',
    machine: {
      bootId: 'boot',
      owner: 'me',
      lifeSignOf: () => 'dead',
      monotonicMs: () => 0,
      wallMs: () => 0,
    },
  });
