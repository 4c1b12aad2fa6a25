import { openSync } from 'node:fs';
import { devNull } from 'node:os';
import Database from 'better-sqlite3';
import { acquireProcessLock } from '../../../src/daemon/process-locks.ts';
import { DEFAULT_RETENTION } from '../../../src/mirror/pruner.ts';
import { MirrorStore } from '../../../src/mirror/mirror-store.ts';

/** Opens as many files as this process may, and then prints how a lock and a mirror fail. */
const folder = process.argv[2] ?? '';
const failure = (act: () => unknown): string => {
  try {
    act();
    return 'none';
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
};
const attempts = [
  () => acquireProcessLock({ path: `${folder}/a.lock`, what: 'a folder', otherwise: 'name another' }),
  () =>
    MirrorStore.open({
      path: `${folder}/mirror.sqlite`,
      retention: DEFAULT_RETENTION,
      nowMs: 0,
      epoch: () => 'e',
      durability: 'full',
    }),
];
// Loads SQLite first, since its library is a file that has to be opened, too.
new Database(':memory:').close();
failure(() => {
  for (;;) openSync(devNull, 'r');
});
console.log(JSON.stringify(attempts.map(failure)));
