import { setImmediate } from 'node:timers/promises';
import { claimDataFolder } from '../../../../src/daemon/process-locks.ts';

/** A process that claims a data folder, forgets the lock, says so, and runs: `FOLDER` (`--expose-gc`). */
claimDataFolder(process.argv[2] ?? '');
for (let round = 0; round < 3; round += 1) {
  await setImmediate();
  globalThis.gc?.();
}
console.log(globalThis.gc === undefined ? 'has nothing to collect with' : 'has it');
setInterval(() => undefined, 60_000);
