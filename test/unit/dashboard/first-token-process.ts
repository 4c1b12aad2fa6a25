import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

/** Makes the first token of a folder; the process is killed at a call of the file system for that file. */
const [, , folder = '', at = ''] = process.argv;
const call = fs[at as 'openSync' | 'renameSync'] as (...given: readonly unknown[]) => unknown;
Object.assign(fs, {
  [at]: (...given: readonly unknown[]): unknown => {
    const isOfFile = String(given[0]).includes('dashboard-token');
    if (isOfFile && at === 'openSync') process.kill(process.pid, 'SIGKILL');
    const result = call(...given);
    if (isOfFile) process.kill(process.pid, 'SIGKILL');
    return result;
  },
});
syncBuiltinESMExports();
const { AccessStore } = await import('../../../src/dashboard/access-store.ts');
const { makeFirstToken } = await import('../../../src/dashboard/begin-dashboard.ts');
makeFirstToken(new AccessStore(folder), folder);
